"""Numbers spread evenly over a range, as far as the catalogue has levels for them."""

from __future__ import annotations

from collections.abc import Sequence

from jevbias.catalogue.models import Attribute
from jevbias.people.measures import level_of_number

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


def levels_of_numbers(attribute: Attribute, numbers: range) -> dict[int, str]:
    """The level of each of the numbers that a level of the attribute has in its range; where it has none of
    them, the level of every number that its levels have. Ascending.
    """
    ranges = [level.range for level in attribute.levels.values() if level.range is not None]
    every = range(int(min(low for low, _ in ranges)), int(max(high for _, high in ranges)))
    return _stated(attribute, numbers) or _stated(attribute, every)


def _stated(attribute: Attribute, numbers: range) -> dict[int, str]:
    levels = ((number, level_of_number(attribute, number)) for number in numbers)
    return {number: level for number, level in levels if level is not None}
