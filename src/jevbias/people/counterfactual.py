"""Counterfactual cohorts: anchors, and copies of each that differ in one level and nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from jevbias.catalogue.catalogue import Catalogue
from jevbias.catalogue.lookup import find_attribute
from jevbias.catalogue.models import Attribute, Profile
from jevbias.errors import UsageError
from jevbias.people.background import Backgrounds
from jevbias.people.measures import numbers_of_levels
from jevbias.people.names import NameBook
from jevbias.people.person import Person


def counterfactual_people(
    catalogue: Catalogue, profile: Profile, seed: int, *, anchor_reference: bool
) -> tuple[Person, ...]:
    """Everyone, base by base: the anchor, then its swaps in the catalogue's order of attributes and levels.

    An anchor is at the reference of every attribute that is swept; the others are drawn per base, or at
    their reference too. A swap shares the anchor's name unless the name carries the swapped attribute.

    Raises UsageError where a base cannot be coherent, or where the names do not suffice.
    """
    swept = swept_attributes(catalogue, profile)
    backgrounds = Backgrounds(catalogue, profile, seed, swept, anchor_reference=anchor_reference)
    names = NameBook(catalogue, seed)
    people: list[Person] = []
    for number in range(profile.bases or 0):
        base = _base(number, backgrounds.draw(number), swept, catalogue, names)
        _check_names(base, swept)
        people += [replace(person, idx=len(people) + i) for i, person in enumerate(base)]
    return tuple(people)


def swept_attributes(catalogue: Catalogue, profile: Profile) -> dict[str, Attribute]:
    """The attributes that a counterfactual profile sweeps, in the catalogue's order.

    Raises UsageError for one that the catalogue does not have, and for a placebo.
    """
    if profile.swept == "all":
        return catalogue.person_attributes
    for key in profile.swept:
        if find_attribute(catalogue, key).role != "person":
            raise UsageError(f"'{key}' is a placebo, which no profile sweeps; it does not describe a person")
    return {key: a for key, a in catalogue.person_attributes.items() if key in profile.swept}


def _base(
    number: int,
    anchor: Mapping[str, str],
    swept: Mapping[str, Attribute],
    catalogue: Catalogue,
    names: NameBook,
) -> list[Person]:
    """The anchor of these levels and its swaps."""

    def person(swapped: tuple[str, str] | None = None) -> Person:
        levels = dict(anchor)
        if swapped is not None:
            levels[swapped[0]] = swapped[1]
        numbers = numbers_of_levels(catalogue.person_attributes, levels)
        return Person(
            idx=0,
            base=number,
            is_anchor=swapped is None,
            swapped_attribute=swapped[0] if swapped else None,
            swapped_level=swapped[1] if swapped else None,
            full_name=names.full_name(levels, number),
            levels=levels,
            age=numbers.age,
            height_cm=numbers.height_cm,
            weight_kg=numbers.weight_kg,
        )

    swaps = [(key, level) for key, attribute in swept.items() for level in attribute.swept_levels]
    return [person(), *(person(swap) for swap in swaps)]


def _check_names(base: Sequence[Person], swept: Mapping[str, Attribute]) -> None:
    """A swap that only the name shows must show in the name."""
    bearers: dict[str, Person] = {}
    for person in base:
        if person.swapped_attribute is None or swept[person.swapped_attribute].in_name:
            other = bearers.setdefault(person.full_name, person)
            if other is not person:
                raise UsageError(
                    f"names.yaml: {person.swapped_attribute}={person.swapped_level} has no name of its own: "
                    f"'{person.full_name}' is taken by another person of the base; add names that differ"
                )
