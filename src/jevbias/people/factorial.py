"""Factorial cohorts: people who differ in everything at once, laid out so that attributes stay apart."""

from __future__ import annotations

from jevbias.catalogue.catalogue import Catalogue
from jevbias.catalogue.models import Profile
from jevbias.people.lay_out import lay_out
from jevbias.people.names import NameBook
from jevbias.people.person import Person
from jevbias.people.repair import repair


def factorial_people(
    catalogue: Catalogue, profile: Profile, seed: int, names: NameBook
) -> tuple[Person, ...]:
    """`profile.people` people, whose attributes are laid out on a near-orthogonal array.

    Ages spread evenly over 19 to 67 years and heights over 150 to 200 cm, as far as the levels have ranges
    for them. Builds are balanced, so that each is asked about equally often; a weight, of 45 to 145 kg, is
    drawn from those that the person's build has at the person's height. Combinations that no person can
    have are swapped away: columns keep their counts.

    Raises UsageError, with the reason, where that is not possible.
    """
    crowd = lay_out(catalogue, profile.people or 0, seed)
    repair(crowd, seed)
    return tuple(
        Person(
            idx=idx,
            base=None,
            is_anchor=False,
            swapped_attribute=None,
            swapped_level=None,
            full_name=name,
            levels={key: levels[key] for key in crowd.attributes},
            age=numbers.age,
            height_cm=numbers.height_cm,
            weight_kg=numbers.weight_kg,
        )
        for idx, (name, levels, numbers) in enumerate(
            zip(names.full_names(crowd.levels), crowd.levels, crowd.numbers(seed), strict=True)
        )
    )
