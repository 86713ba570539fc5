"""Which ask each probe of a plan puts, by its place among the asks: a tenth of a hash's room."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from jevbias.plan.asks import PlannedAsks
from jevbias.plan.model import Ask, Frame, Plan
from jevbias.plan.probes import PlacedProbe, PlannedProbes


def placed_probes(plan: Plan) -> Iterator[PlacedProbe]:
    """The probes in order, each with the place of its ask among the plan's, from 0."""
    if isinstance(plan.probes, PlannedProbes):
        return plan.probes.placed()
    places = {digest: place for place, digest in enumerate(plan.asks)}
    return ((*probe[:-1], places[probe.ask_hash]) for probe in plan.probes)


def asked_times(plan: Plan) -> Iterator[tuple[Ask, int]]:
    """Each ask, in the plan's order, and how many probes put it."""
    if isinstance(plan.probes, PlannedProbes):
        times: Mapping[int, int] = plan.probes.ask_counts()
    else:
        times = Counter(place for *_, place in placed_probes(plan))
    return ((ask, times[place]) for place, ask in enumerate(plan.asks.values()))


def planned_frames(plan: Plan) -> list[Frame]:
    """Every frame that is asked, in the order in which the asks first use them."""
    return plan.asks.frames if isinstance(plan.asks, PlannedAsks) else list(plan.frames.values())
