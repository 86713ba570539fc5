"""Which ask each probe of a plan puts, by its place among the asks: a tenth of a hash's room."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from jevbias.plan.model import Ask, Plan
from jevbias.plan.probes import PlannedProbes


def ask_places(plan: Plan) -> Iterable[int]:
    """For each probe in its order, the place of its ask among the plan's, from 0."""
    if isinstance(plan.probes, PlannedProbes):
        return plan.probes.ask_places
    places = {digest: place for place, digest in enumerate(plan.asks)}
    return (places[probe.ask_hash] for probe in plan.probes)


def asked_times(plan: Plan) -> Iterator[tuple[Ask, int]]:
    """Each ask, in the plan's order, and how many probes put it."""
    times = Counter(ask_places(plan))
    return ((ask, times[place]) for place, ask in enumerate(plan.asks.values()))
