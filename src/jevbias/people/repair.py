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


def repair(crowd: Crowd, people: int, seed: int) -> None:
    """Let impossible people exchange what makes them so, an age or a weight or a level, with someone else:
    columns keep their counts, and among the exchanges that help the one that harms the layout least is made.

    A weight that still has no level at its height becomes the nearest that has one. Raises UsageError that
    names the rule where a person stays impossible.
    """
    for round_ in range(_ROUNDS):
        faults = {person: crowd.fault(person) for person in range(people)}
        impossible = sorted((person for person in faults if faults[person]), key=lambda p: (-faults[p], p))
        helped = [_exchange(crowd, person, _partners(people, seed, round_, person)) for person in impossible]
        if not any(helped):
            break
    crowd.settle_weights()
    for person in range(people):
        for rule in broken_rules(crowd.levels[person], crowd.rules):
            raise UsageError(
                f"no coherent crowd of {people} people: someone would have {describe_rule(rule)}; "
                "take more people or change the rule in attributes.yaml"
            )


def _partners(people: int, seed: int, round_: int, person: int) -> NDArray[np.intp]:
    """Whom a person may exchange with: everyone else, or some of them in a large crowd."""
    if people <= _PARTNERS:
        return np.delete(np.arange(people), person)
    some = keyed_order(people, seed, "partners", round_, person)[:_PARTNERS]
    return np.delete(some, np.flatnonzero(some == person))


def _exchange(crowd: Crowd, person: int, partners: NDArray[np.intp]) -> bool:
    """Make the exchange that harms the layout least among those that leave the person without fault and the
    partner with no more than before; failing that, among those that reduce their fault at all.
    """
    before = crowd.fault(person)
    columns = crowd.columns_at_fault(person)
    if not columns:
        return False
    costs = np.concatenate([crowd.layout.swap_costs(column, person, partners) for column in columns])
    fallback: tuple[int, int] | None = None
    for choice in np.argsort(costs, kind="stable").tolist():
        column, partner = columns[choice // len(partners)], int(partners[choice % len(partners)])
        partner_before = crowd.fault(partner)
        crowd.swap(column, person, partner)
        after, partner_after = crowd.fault(person), crowd.fault(partner)
        if after == 0 and partner_after <= partner_before:
            crowd.settle_swap(column, person, partner)
            return True
        crowd.swap(column, person, partner)
        if fallback is None and after + partner_after < before + partner_before:
            fallback = column, partner
    if fallback is None:
        return False
    crowd.swap(fallback[0], person, fallback[1])
    crowd.settle_swap(fallback[0], person, fallback[1])
    return True
