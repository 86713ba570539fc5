"""Making a crowd coherent without wrecking its balance."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from jevbias.errors import UsageError
from jevbias.people.coherence import broken_rules, describe_rule
from jevbias.people.crowd import Crowd
from jevbias.people.keyed_words import keyed_order

_ROUNDS = 20
_PARTNERS = 500
"""So many others at most are asked to swap with a person."""


def repair(crowd: Crowd, seed: int) -> None:
    """Let impossible people swap what makes them so, an age, a height or a level, with someone else: columns
    keep their counts, and of the swaps that help the one that harms the layout least is made.

    Raises UsageError, with the reason, where a person stays impossible.
    """
    people = range(len(crowd.levels))
    for round_ in range(_ROUNDS):
        impossible = [person for person in people if crowd.faults(person)]
        helped = [_help(crowd, person, _partners(len(people), person, seed, round_)) for person in impossible]
        if not any(helped):
            break
    for person in people:
        if crowd.faults(person):
            raise UsageError(f"no coherent crowd of {len(people)} people: {_reason(crowd, person)}")


def _partners(people: int, person: int, seed: int, round_: int) -> NDArray[np.intp]:
    """Whom a person may swap with: everyone else, or some of them where there are many."""
    if people <= _PARTNERS:
        return np.delete(np.arange(people), person)
    some = keyed_order(people, seed, "partners", person, round_)[:_PARTNERS]
    return np.delete(some, np.flatnonzero(some == person))


def _help(crowd: Crowd, person: int, partners: NDArray[np.intp]) -> bool:
    """Make the swap that harms the layout least among those that leave the person without fault and the
    partner with no more faults than before; failing that, among those that leave both together with fewer.
    """
    columns = crowd.columns_at_fault(person)
    if not columns or not len(partners):
        return False
    costs = np.concatenate([crowd.layout.swap_costs(column, person, partners) for column in columns])
    order = np.argsort(costs, kind="stable").tolist()
    choices = [(columns[place // len(partners)], int(partners[place % len(partners)])) for place in order]
    fewest = (0, crowd.faults(person) - 1)
    return any(
        _swap_if(crowd, column, person, partner, tolerated)
        for tolerated in dict.fromkeys(fewest)
        for column, partner in choices
    )


def _swap_if(crowd: Crowd, column: int, person: int, partner: int, tolerated: int) -> bool:
    """Swap what two people have in a column, if that leaves the person with so many faults at most and both
    together with fewer.
    """
    before, partner_before = crowd.faults(person), crowd.faults(partner)
    crowd.swap(column, person, partner)
    after = crowd.faults(person)
    spare = before - after - 1 if tolerated else 0
    if after <= tolerated and crowd.faults(partner) <= partner_before + spare:
        crowd.settle_swap(column, person, partner)
        return True
    crowd.swap(column, person, partner)
    return False


def _reason(crowd: Crowd, person: int) -> str:
    for rule in broken_rules(crowd.levels[person], crowd.rules):
        return f"someone would have {describe_rule(rule)}; change the rule in attributes.yaml"
    build, height = (
        next(key for key, a in crowd.attributes.items() if a.measure == m) for m in ("bmi", "height")
    )
    levels = crowd.levels[person]
    return f"nobody has {height} {levels[height]} with {build} {levels[build]}; widen the ranges"
