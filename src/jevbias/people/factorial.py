"""Factorial cohorts: people who differ in everything at once, laid out so that attributes stay apart."""

from __future__ import annotations

from jevbias.catalogue.catalogue import Catalogue
from jevbias.catalogue.models import Profile
from jevbias.people.crowd import Crowd
from jevbias.people.names import NameBook
from jevbias.people.person import Person
from jevbias.people.repair import repair


def factorial_people(catalogue: Catalogue, profile: Profile, seed: int) -> tuple[Person, ...]:
    """`profile.people` people on a near-orthogonal array over the attributes without a measure.

    Ages, heights and weights spread evenly over 19 to 67 years, 150 to 200 cm and 45 to 145 kg, as far as
    the levels have ranges for them, and are laid out against the array too; the levels of measures follow
    from the numbers. Combinations that no person can have are exchanged away: columns keep their counts.

    Raises UsageError, naming the rule, where that is not possible.
    """
    people = profile.people or 0
    crowd = Crowd(catalogue, people, seed)
    repair(crowd, people, seed)
    names = NameBook(catalogue, seed).full_names(crowd.levels)
    return tuple(_person(crowd, idx, name) for idx, name in enumerate(names))


def _person(crowd: Crowd, idx: int, name: str) -> Person:
    numbers = crowd.numbers(idx)
    return Person(
        idx=idx,
        base=None,
        is_anchor=False,
        swapped_attribute=None,
        swapped_level=None,
        full_name=name,
        levels={key: crowd.levels[idx][key] for key in crowd.attributes},
        age=numbers.age,
        height_cm=numbers.height_cm,
        weight_kg=numbers.weight_kg,
    )
