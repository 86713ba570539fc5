"""People laid out over attributes, whose levels and numbers can still change hands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from jevbias.catalogue.models import Attribute, Incompatible
from jevbias.people.coherence import broken_rules
from jevbias.people.measures import Numbers, measured_attributes
from jevbias.people.pair_counts import PairCounts, Whole
from jevbias.people.weights import Weights


class Crowd:
    """The people of a factorial run while they are being laid out.

    `columns` names the attribute of each column of `layout`. `levels` has the level of every attribute by
    person. `numbers` has the ages and the heights by attribute; a number changes hands with its level.
    Weights are dealt last, from height and build.
    """

    def __init__(
        self,
        attributes: Mapping[str, Attribute],
        rules: Sequence[Incompatible],
        columns: Sequence[str],
        array: Whole,
        numbers: Mapping[str, list[int]],
    ) -> None:
        self.attributes, self.rules, self.columns = attributes, rules, columns
        names = [list(attributes[key].levels) for key in columns]
        self.layout = PairCounts(array.T, [len(listed) for listed in names])
        self.levels = [
            {key: listed[level] for key, listed, level in zip(columns, names, row, strict=True)}
            for row in array.tolist()
        ]
        self._numbers = {key: list(dealt) for key, dealt in numbers.items()}
        self._measured = measured_attributes(attributes)
        self._weights = Weights(attributes[self._measured["bmi"]]) if "bmi" in self._measured else None
        if self._weights is not None:
            self._weights.check(self._numbers[self._measured["height"]])

    def faults(self, person: int) -> int:
        """How many things make a person impossible: rules broken, a build without weight at the height."""
        return sum(1 for _ in broken_rules(self.levels[person], self.rules)) + (not self._can_weigh(person))

    def columns_at_fault(self, person: int) -> list[int]:
        """The columns that have a part in a person's faults."""
        keys = {key for rule in broken_rules(self.levels[person], self.rules) for key in rule.levels}
        if not self._can_weigh(person):
            keys |= {self._measured["height"], self._measured["bmi"]}
        return [column for column, key in enumerate(self.columns) if key in keys]

    def swap(self, column: int, person: int, partner: int) -> None:
        """Swap what two people have in a column, though not in the layout; the same again undoes it."""
        key = self.columns[column]
        one, other = self.levels[person], self.levels[partner]
        one[key], other[key] = other[key], one[key]
        if key in self._numbers:
            numbers = self._numbers[key]
            numbers[person], numbers[partner] = numbers[partner], numbers[person]

    def settle_swap(self, column: int, person: int, partner: int) -> None:
        """Make the layout follow a swap."""
        levels = self.layout.codes[column, [partner, person]] - np.int32(self.layout.starts[column])
        self.layout.move(column, np.array([person, partner]), levels)

    def numbers(self, seed: int) -> list[Numbers]:
        """Age, height and weight of everyone, once nobody has a fault; deals the weights."""
        unknown: list[int | None] = [None] * len(self.levels)
        by_measure = {m: self._numbers[key] for m, key in self._measured.items() if key in self._numbers}
        weights: Sequence[int | None] = unknown
        if self._weights is not None:
            builds = [levels[self._measured["bmi"]] for levels in self.levels]
            weights = self._weights.deal(builds, by_measure["height"], seed)
        ages, heights = by_measure.get("age", unknown), by_measure.get("height", unknown)
        return [Numbers(*numbers) for numbers in zip(ages, heights, weights, strict=True)]

    def _can_weigh(self, person: int) -> bool:
        """Whether some weight puts a person of this height into this build."""
        if self._weights is None:
            return True
        height = self._numbers[self._measured["height"]][person]
        return bool(self._weights.of(self.levels[person][self._measured["bmi"]], height))
