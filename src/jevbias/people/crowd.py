"""People laid out on a near-orthogonal array, whose levels and numbers can still change hands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import get_args

import numpy as np

from jevbias.catalogue.catalogue import Catalogue
from jevbias.people.array import extend_array, near_orthogonal_array
from jevbias.people.coherence import broken_rules
from jevbias.people.keyed_words import keyed_words
from jevbias.people.measures import Measure, Numbers, level_of_number, measured_attribute
from jevbias.people.pair_counts import PairCounts, Whole
from jevbias.people.spread import AGES, HEIGHTS, WEIGHTS, Builds, spread_evenly, stated_numbers

_WEIGHT_SLICES = 5
"""Weights are laid out in so many slices of equal size, as their levels depend on the height too."""
_BROKEN_RULE = 1_000
"""A broken rule is as bad as so many kilograms that no level of build has."""


class Crowd:
    """The people of a factorial run while they are being laid out.

    `columns` names the attribute of each column of `layout`: those without a measure in the catalogue's
    order, then age, height and build (whose number is the weight). `levels` has, by person, the level of
    every attribute; those of measures follow the numbers.
    """

    def __init__(self, catalogue: Catalogue, people: int, seed: int) -> None:
        self.attributes, self.rules = catalogue.person_attributes, catalogue.incompatible
        self._measured = _measured_attributes(catalogue)
        self._builds = Builds(self.attributes[self._measured["bmi"]]) if "bmi" in self._measured else None
        categorical = [key for key, attribute in self.attributes.items() if attribute.measure is None]
        self.columns = [*categorical, *self._measured.values()]

        level_counts = [len(self.attributes[key].levels) for key in categorical]
        spread = {measure: spread_evenly(self._range(measure), people) for measure in self._measured}
        sizes = [self._slice_sizes(measure, numbers) for measure, numbers in spread.items()]
        crossed = near_orthogonal_array(level_counts, people, seed)
        array = extend_array(crossed, level_counts, sizes, seed)
        self.layout = PairCounts(array.T, [*level_counts, *map(len, sizes)])

        self._numbers = {
            measure: _deal(numbers, column, seed, measure)
            for (measure, numbers), column in zip(spread.items(), array.T[len(categorical) :], strict=True)
        }
        names = [list(self.attributes[key].levels) for key in categorical]
        self.levels = [
            {key: listed[level] for key, listed, level in zip(categorical, names, row, strict=True)}
            for row in crossed.tolist()
        ]
        for person in range(people):
            self._follow_numbers(person)

    def numbers(self, person: int) -> Numbers:
        """Age, height and weight of a person."""
        numbers = {measure: dealt[person] for measure, dealt in self._numbers.items()}
        return Numbers(numbers.get("age"), numbers.get("height"), numbers.get("bmi"))

    def fault(self, person: int) -> int:
        """How far a person is from being possible; 0 where they are."""
        broken = sum(1 for _ in broken_rules(self.levels[person], self.rules))
        return broken * _BROKEN_RULE + self._unstated_kilograms(person)

    def columns_at_fault(self, person: int) -> list[int]:
        """The columns that have a part in a person's fault."""
        keys = {key for rule in broken_rules(self.levels[person], self.rules) for key in rule.levels}
        if self._unstated_kilograms(person):
            keys |= {self._measured["height"], self._measured["bmi"]}
        return [column for column, key in enumerate(self.columns) if key in keys]

    def swap(self, column: int, person: int, partner: int) -> None:
        """Swap what two people have in a column. `settle_swap` follows where it is to stay; the same swap
        again undoes it.
        """
        key = self.columns[column]
        measure = self.attributes[key].measure
        if measure is None:
            one, other = self.levels[person], self.levels[partner]
            one[key], other[key] = other[key], one[key]
        else:
            numbers = self._numbers[measure]
            numbers[person], numbers[partner] = numbers[partner], numbers[person]
            self._follow_numbers(person)
            self._follow_numbers(partner)

    def settle_swap(self, column: int, person: int, partner: int) -> None:
        """Make the layout follow a swap."""
        levels = self.layout.codes[column, [partner, person]] - np.int32(self.layout.starts[column])
        self.layout.move(column, np.array([person, partner]), levels)

    def settle_weights(self) -> None:
        """Give everyone whose weight has no level at their height the nearest weight that has one."""
        if self._builds is not None:
            weights, heights = self._numbers["bmi"], self._numbers["height"]
            weights[:] = [self._builds.nearest(w, h) for w, h in zip(weights, heights, strict=True)]

    def _range(self, measure: Measure) -> Sequence[int]:
        """The numbers that a measure is spread over, ascending."""
        if measure == "age":
            return stated_numbers(self.attributes[self._measured["age"]], AGES)
        heights = stated_numbers(self.attributes[self._measured["height"]], HEIGHTS)
        return self._builds.stated_weights(heights, WEIGHTS) if measure == "bmi" and self._builds else heights

    def _slice_sizes(self, measure: Measure, ascending: Sequence[int]) -> list[int]:
        """How many of the numbers each slice has that the layout keeps apart: a slice is a level, or a fifth
        of the weights.
        """
        if measure == "bmi":
            people = len(ascending)
            return [
                (n + 1) * people // _WEIGHT_SLICES - n * people // _WEIGHT_SLICES
                for n in range(_WEIGHT_SLICES)
            ]
        attribute = self.attributes[self._measured[measure]]
        return list(Counter(level_of_number(attribute, number) for number in ascending).values())

    def _follow_numbers(self, person: int) -> None:
        """Give a person the levels that their numbers belong to."""
        for measure, key in self._measured.items():
            number = self._numbers[measure][person]
            if measure == "bmi" and self._builds is not None:
                level: str | None = self._builds.level(number, self._numbers["height"][person])
            else:
                level = level_of_number(self.attributes[key], number)
            if level is None:
                raise AssertionError("numbers are dealt from those that a level has")
            self.levels[person][key] = level

    def _unstated_kilograms(self, person: int) -> int:
        if self._builds is None:
            return 0
        weight, height = self._numbers["bmi"][person], self._numbers["height"][person]
        return abs(self._builds.nearest(weight, height) - weight)


def _measured_attributes(catalogue: Catalogue) -> dict[Measure, str]:
    found = {
        measure: measured_attribute(catalogue.person_attributes, measure) for measure in get_args(Measure)
    }
    return {measure: key for measure, key in found.items() if key is not None}


def _deal(ascending: Sequence[int], slices: Whole, seed: int, measure: Measure) -> list[int]:
    """Give the first of the numbers to the people of the first slice, in random order, and so on."""
    words = keyed_words(len(slices), seed, "deal", measure)
    dealt = np.empty(len(slices), np.int64)
    dealt[np.lexsort((words, slices))] = ascending
    numbers: list[int] = dealt.tolist()
    return numbers
