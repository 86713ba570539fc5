"""Numbers spread evenly over a range, as far as the catalogue has levels for them."""

from __future__ import annotations

from collections.abc import Sequence

from jevbias.catalogue.models import Attribute
from jevbias.errors import UsageError
from jevbias.people.measures import body_mass_index, level_of_number

AGES = range(19, 68)
"""Years."""
HEIGHTS = range(150, 201)
"""Centimetres."""
WEIGHTS = range(45, 146)
"""Kilograms."""


def spread_evenly(numbers: Sequence[int], people: int) -> list[int]:
    """One number for each of `people` people, ascending, such that all occur about equally often; both ends
    occur where there are at least two people.
    """
    steps, gaps = len(numbers) - 1, people - 1
    if people > steps:
        return [numbers[place * len(numbers) // people] for place in range(people)]
    return [
        numbers[(2 * place * steps + gaps) // (2 * gaps) if gaps else steps // 2] for place in range(people)
    ]


def stated_numbers(attribute: Attribute, numbers: range) -> list[int]:
    """Those of the numbers that a level of the attribute has in its range; where it has none, all numbers
    that its levels have.
    """
    inside = [number for number in numbers if level_of_number(attribute, number) is not None]
    if inside:
        return inside
    ranges = sorted(level.range for level in attribute.levels.values() if level.range is not None)
    return [number for low, high in ranges for number in range(int(low), int(high))]


class Builds:
    """The weights that a build attribute has levels for, at each height."""

    def __init__(self, build: Attribute) -> None:
        self._build = build
        self._levels: dict[int, dict[int, str]] = {}
        self._nearest: dict[tuple[int, int], int] = {}

    def stated_weights(self, heights: Sequence[int], weights: range) -> list[int]:
        """Those of the weights that have a level at one of the heights at least; all where none has."""
        stated = [weight for weight in weights if any(weight in self._levels_at(h) for h in heights)]
        return stated or list(weights)

    def nearest(self, weight_kg: int, height_cm: int) -> int:
        """The weight that has a level at this height and comes closest."""
        asked = weight_kg, height_cm
        if asked not in self._nearest:
            stated = self._levels_at(height_cm)
            self._nearest[asked] = min(stated, key=lambda weight: abs(weight - weight_kg))
        return self._nearest[asked]

    def level(self, weight_kg: int, height_cm: int) -> str:
        """The level of the nearest weight that has one."""
        return self._levels_at(height_cm)[self.nearest(weight_kg, height_cm)]

    def _levels_at(self, height_cm: int) -> dict[int, str]:
        if height_cm not in self._levels:
            heaviest = max(level.range[1] for level in self._build.levels.values() if level.range)
            levels = {}
            for weight in range(1, int(heaviest * height_cm**2 / 10_000) + 2):
                level = level_of_number(self._build, body_mass_index(weight, height_cm))
                if level is not None:
                    levels[weight] = level
            if not levels:
                raise UsageError(
                    f"no whole number of kilograms at {height_cm}cm lies in a range of {self._build.label}; "
                    "widen the ranges in attributes.yaml"
                )
            self._levels[height_cm] = levels
        return self._levels[height_cm]
