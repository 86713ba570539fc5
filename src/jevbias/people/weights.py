"""Weights for people whose height and build are settled."""

from __future__ import annotations

from collections.abc import Sequence

from jevbias.catalogue.models import Attribute
from jevbias.errors import UsageError
from jevbias.people.keyed import keyed_shuffle
from jevbias.people.measures import body_mass_index, level_of_number
from jevbias.people.spread import WEIGHTS, spread_evenly


class Weights:
    """The whole numbers of kilograms that put a person of some height into a level of build."""

    def __init__(self, build: Attribute) -> None:
        self._build = build
        self._by_height: dict[int, dict[str, list[int]]] = {}

    def of(self, level: str, height_cm: int) -> list[int]:
        """Those from 45 to 145 kg, ascending; none where the level has none at this height."""
        if height_cm not in self._by_height:
            by_level: dict[str, list[int]] = {key: [] for key in self._build.levels}
            for weight in WEIGHTS:
                found = level_of_number(self._build, body_mass_index(weight, height_cm))
                if found is not None:
                    by_level[found].append(weight)
            self._by_height[height_cm] = by_level
        return self._by_height[height_cm][level]

    def check(self, heights: Sequence[int]) -> None:
        """Raise UsageError for a level that has no weight at any of the heights."""
        for key, level in self._build.levels.items():
            if not any(self.of(key, height) for height in set(heights)):
                low, high = level.range or (0, 0)
                raise UsageError(
                    f"{self._build.label} {key}: nobody of {min(heights)} to {max(heights)}cm and "
                    f"{WEIGHTS[0]} to {WEIGHTS[-1]}kg lies in its range, {low:g} to {high:g}"
                )

    def deal(self, levels: Sequence[str], heights: Sequence[int], seed: int) -> list[int]:
        """A weight for each person: within a level they spread evenly over what each one's height allows,
        and the lightest and the heaviest weight that anybody could have occur.
        """
        allowed = [self.of(level, height) for level, height in zip(levels, heights, strict=True)]
        dealt = [0] * len(levels)
        for level in dict.fromkeys(levels):
            members = [person for person, own in enumerate(levels) if own == level]
            shuffled = keyed_shuffle(members, seed, "weight", level)
            for person, percent in zip(shuffled, spread_evenly(range(101), len(members)), strict=True):
                dealt[person] = allowed[person][(percent * (len(allowed[person]) - 1) + 50) // 100]
        lightest = min(range(len(levels)), key=lambda person: allowed[person][0])
        heaviest = max(range(len(levels)), key=lambda person: allowed[person][-1])
        dealt[lightest] = allowed[lightest][0]
        dealt[heaviest] = allowed[heaviest][-1]
        return dealt
