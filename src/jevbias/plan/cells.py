"""Who is asked what, how often: a profile and its people become cells and their replicates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import NamedTuple

from jevbias.catalogue.models import CONDITIONS, VARIANTS, Condition, Profile, Variant
from jevbias.people.keyed import keyed_bytes, keyed_shuffle
from jevbias.people.person import Person


class Cell(NamedTuple):
    """One person × one scenario × one variant × one condition, asked `replicates` times."""

    person: Person
    scenario: str
    variant: Variant
    condition: Condition
    replicates: int


def plan_cells(
    profile: Profile, people: Sequence[Person], positions: Mapping[str, int], seed: int
) -> Iterator[Cell]:
    """Every cell of a run.

    Each person meets each scenario of `profile` in each condition once; replicate subjects are asked
    `replicates` times in the richest condition, anchors `anchor_replicates` times in every condition.
    `positions` gives each scenario's place in the profile before any narrowing.
    """
    rotation = _rotation(people, seed)
    subjects = replicate_subjects(profile, people, rotation, seed)
    richest = max(profile.conditions, key=CONDITIONS.index)
    for scenario in profile.scenarios:
        for person in people:
            variant = VARIANTS[(rotation[person.idx] + positions[scenario]) % len(VARIANTS)]
            for condition in profile.conditions:
                if person.is_anchor:
                    replicates = profile.anchor_replicates
                elif person.idx in subjects and condition == richest:
                    replicates = profile.replicates
                else:
                    replicates = 1
                yield Cell(person, scenario, variant, condition, replicates)


def replicate_subjects(
    profile: Profile, people: Sequence[Person], rotation: Mapping[int, int], seed: int
) -> set[int]:
    """The `idx` of the people asked more than once: never anchors, spread evenly over bases (counterfactual)
    or over the variants they meet (factorial); fewer than the profile asks for where there are too few.
    """
    groups: dict[int, list[Person]] = {}
    for person in people:
        if not person.is_anchor:
            group = rotation[person.idx] if person.base is None else person.base
            groups.setdefault(group, []).append(person)
    ranked = [
        sorted(groups[group], key=lambda person: keyed_bytes(seed, "replicates", person.identity))
        for group in sorted(groups)
    ]
    in_turn = [person.idx for turn in zip_longest(*ranked) for person in turn if person is not None]
    return set(in_turn[: profile.replicate_subjects])


def _rotation(people: Sequence[Person], seed: int) -> dict[int, int]:
    """What is added to a scenario's position to find a person's variant: their base, so that no pair is
    split over two cases; people without a base are spread evenly at random.
    """
    unbased = keyed_shuffle([person.idx for person in people if person.base is None], seed, "variants")
    rotation = {idx: turn % len(VARIANTS) for turn, idx in enumerate(unbased)}
    rotation.update({person.idx: person.base for person in people if person.base is not None})
    return rotation
