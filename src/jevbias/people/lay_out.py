"""Laying a crowd out: categorical attributes first, then ages, heights and builds against them."""

from __future__ import annotations

from collections.abc import Sequence

from jevbias.catalogue.catalogue import Catalogue
from jevbias.people.array import balanced_shuffle, extend_array, near_orthogonal_array
from jevbias.people.crowd import Crowd
from jevbias.people.keyed import keyed_shuffle
from jevbias.people.measures import measured_attributes
from jevbias.people.spread import AGES, HEIGHTS, levels_of_numbers, spread_evenly


def lay_out(catalogue: Catalogue, people: int, seed: int) -> Crowd:
    """A crowd in which every level of the attributes without a measure, and of build, occurs about equally
    often, ages and heights spread evenly, and every two attributes are close to fully crossed.
    """
    attributes = catalogue.person_attributes
    measured = measured_attributes(attributes)
    crossed = [key for key, attribute in attributes.items() if attribute.measure is None]
    columns = [*crossed, *measured.values()]
    level_counts = [len(attributes[key].levels) for key in columns]

    stated = {
        measured[measure]: levels_of_numbers(attributes[measured[measure]], numbers)
        for measure, numbers in (("age", AGES), ("height", HEIGHTS))
        if measure in measured
    }
    spread = {key: spread_evenly(list(levels), people) for key, levels in stated.items()}
    added = balanced_shuffle(level_counts[len(crossed) :], people, seed)
    for position, key in enumerate(measured.values()):
        if key in spread:
            places = list(attributes[key].levels)
            added[:, position] = [places.index(stated[key][number]) for number in spread[key]]
    array = near_orthogonal_array(level_counts[: len(crossed)], people, seed)
    array = extend_array(array, added, level_counts, seed)
    numbers = {}
    for key, ascending in spread.items():
        places = list(attributes[key].levels)
        own = [places[place] for place in array[:, columns.index(key)].tolist()]
        numbers[key] = _deal(ascending, [stated[key][number] for number in ascending], own, seed, key)
    return Crowd(attributes, catalogue.incompatible, columns, array, numbers)


def _deal(
    numbers: Sequence[int], levels_of_numbers: Sequence[str], levels: Sequence[str], seed: int, key: str
) -> list[int]:
    """Give each person of a level one of the level's numbers, in random order."""
    decks: dict[str, list[int]] = {level: [] for level in levels}
    for number, level in zip(numbers, levels_of_numbers, strict=True):
        decks[level].append(number)
    shuffled = {level: keyed_shuffle(deck, seed, "deal", key, level) for level, deck in decks.items()}
    return [shuffled[level].pop() for level in levels]
