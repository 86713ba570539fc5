"""Who is asked what, how often: a profile and its people become cells and their replicates."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import NamedTuple

from jevbias.catalogue.models import CONDITIONS, VARIANTS, Attribute, Condition, Profile, Variant
from jevbias.people.keyed import keyed_bytes, keyed_shuffle
from jevbias.people.person import Person


class Cell(NamedTuple):
    """One person × one scenario × one variant × one condition, asked `replicates` times. `beside` marks the
    variants an anchor meets beside the one its base does.
    """

    person: Person
    scenario: str
    variant: Variant
    condition: Condition
    replicates: int
    beside: bool = False


def plan_cells(
    profile: Profile,
    people: Sequence[Person],
    positions: Mapping[str, int],
    seed: int,
    placebos: Mapping[str, Attribute],
) -> Iterator[Cell]:
    """Every cell of a run.

    Each person meets each scenario of `profile` in each condition once; replicate subjects are asked
    `replicates` times in the richest condition, anchors `anchor_replicates` times in every condition. A
    placebo swap is asked about only where it can be seen: its payload would be the anchor's otherwise, and
    there are controls enough to pay for. Where the profile says so, anchors meet the other two variants once
    as well. `positions` gives each scenario's place in the profile before any narrowing; `placebos` are the
    attributes of that role.
    """
    rotation = _rotation(people, seed)
    subjects = replicate_subjects(profile, people, rotation, placebos, seed)
    richest = max(profile.conditions, key=CONDITIONS.index)
    for person in people:
        placebo = placebos.get(person.swapped_attribute or "")
        for condition in profile.conditions:
            if placebo is not None and not placebo.visible_in(condition):
                continue
            if person.is_anchor:
                replicates = profile.anchor_replicates
            elif person.idx in subjects and condition == richest:
                replicates = profile.replicates
            else:
                replicates = 1
            for scenario in profile.scenarios:
                variant = VARIANTS[(rotation[person.idx] + positions[scenario]) % len(VARIANTS)]
                yield Cell(person, scenario, variant, condition, replicates)
                if person.is_anchor and profile.anchor_in_every_variant:
                    others = (other for other in VARIANTS if other != variant)
                    yield from (Cell(person, scenario, other, condition, 1, beside=True) for other in others)


def replicate_subjects(
    profile: Profile,
    people: Sequence[Person],
    rotation: Mapping[int, int],
    placebos: Collection[str],
    seed: int,
) -> set[int]:
    """The `idx` of the people asked more than once: never anchors and never placebo swaps, spread evenly over
    bases (counterfactual) or over the variants they meet (factorial); fewer than the profile asks for where
    there are too few.
    """
    groups: dict[int, list[Person]] = {}
    for person in people:
        if not person.is_anchor and person.swapped_attribute not in placebos:
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
