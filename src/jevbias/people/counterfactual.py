"""Counterfactual cohorts: anchors, and copies of each that differ in one level and nothing else."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from jevbias.catalogue.catalogue import Catalogue
from jevbias.catalogue.models import Profile
from jevbias.errors import UsageError
from jevbias.people.background import Backgrounds
from jevbias.people.measures import numbers_of_levels
from jevbias.people.names import NameBook
from jevbias.people.person import Person
from jevbias.people.swept import swept_levels


def counterfactual_people(
    catalogue: Catalogue, profile: Profile, seed: int, names: NameBook, *, anchor_reference: bool
) -> tuple[Person, ...]:
    """Everyone, base by base: the anchor, then its swaps in the catalogue's order of attributes and levels,
    then its placebo swaps where the profile has placebos.

    An anchor is at the reference of every attribute that is swept and of every placebo; the others are drawn
    per base, or at their reference too. A swap shares the anchor's name unless the name carries the swapped
    attribute. Placebos change nothing else about anybody.

    Raises UsageError where a base cannot be coherent, where the names do not suffice, or where the profile
    has placebos and the catalogue none.
    """
    swept = swept_levels(catalogue, profile)
    placebos = _placebos(catalogue) if profile.placebos else {}
    backgrounds = Backgrounds(catalogue, profile, seed, swept, anchor_reference=anchor_reference)
    people: list[Person] = []
    for number in range(profile.bases or 0):
        levels = _with_references(catalogue, backgrounds.draw(number), placebos)
        base = _base(number, levels, {**swept, **placebos}, catalogue, names)
        _check_names(base, catalogue)
        people += [replace(person, idx=len(people) + i) for i, person in enumerate(base)]
    return tuple(people)


def _placebos(catalogue: Catalogue) -> dict[str, list[str]]:
    """The levels of the placebo attributes that are swapped in."""
    placebos = {key: attribute.swept_levels for key, attribute in catalogue.placebo_attributes.items()}
    if not placebos:
        raise UsageError(
            "the catalogue has no placebos; give attributes.yaml attributes with 'role: placebo', or leave "
            "placebos out"
        )
    return placebos


def _with_references(
    catalogue: Catalogue, drawn: Mapping[str, str], placebos: Collection[str]
) -> dict[str, str]:
    """The levels of an anchor with the reference of each placebo, in the catalogue's order."""
    return {
        key: drawn.get(key, attribute.reference)
        for key, attribute in catalogue.attributes.items()
        if key in drawn or key in placebos
    }


def _base(
    number: int,
    anchor: Mapping[str, str],
    swapped_in: Mapping[str, Sequence[str]],
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

    swaps = [(key, level) for key, levels in swapped_in.items() for level in levels]
    return [person(), *(person(swap) for swap in swaps)]


def _check_names(base: Sequence[Person], catalogue: Catalogue) -> None:
    """A swap that only the name shows must show in the name."""
    bearers: dict[str, Person] = {}
    for person in base:
        if person.swapped_attribute is None or catalogue.attributes[person.swapped_attribute].in_name:
            other = bearers.setdefault(person.full_name, person)
            if other is not person:
                raise UsageError(
                    f"names.yaml: {person.swapped_attribute}={person.swapped_level} has no name of its own: "
                    f"'{person.full_name}' is taken by another person of the base; add names that differ"
                )
