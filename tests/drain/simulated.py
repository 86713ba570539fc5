"""A drain against a server with a hidden limit, in simulated time: the control law alone, thousands of sends
in a moment.
"""

from __future__ import annotations

import heapq
import math
import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count

from jevbias.drain.concurrency import Concurrency
from tests.drain.limited import Limit

REFUSED_IN = 0.003


@dataclass
class Simulated:
    """What came of it: when requests were taken and refused, how often in a row one probe was refused, and
    the most that were ever in flight.
    """

    taken: list[float] = field(default_factory=list)
    refused: list[float] = field(default_factory=list)
    worst: int = 0
    most_in_flight: int = 0

    def throughput(self, begin: float, end: float) -> float:
        """Requests taken a second between two moments."""
        return sum(begin <= at < end for at in self.taken) / (end - begin)


def simulate(
    law: Concurrency,
    limit: Limit,
    latency: Callable[[random.Random], float],
    seconds: float,
    *,
    hint: float | None = None,
    seed: int = 1,
) -> Simulated:
    """Workers that never run out of probes. A refused probe waits on its own, as in a drain, and goes back
    into the line; whoever is let in is sent.
    """
    drawn, number, found = random.Random(seed), count(), Simulated()
    events: list[tuple[float, int, Callable[[float], None]]] = []
    line = deque([0] * law.workers)
    in_flight = 0

    def later(at: float, event: Callable[[float], None]) -> None:
        heapq.heappush(events, (at, next(number), event))

    def send(now: float, refusals: int) -> None:
        nonlocal in_flight
        law.sent(now)
        in_flight += 1
        found.most_in_flight = max(found.most_in_flight, in_flight)
        taken = limit.admits(now)
        arrives = now + (latency(drawn) if taken else REFUSED_IN)
        later(arrives, lambda at: answered(now, at) if taken else refused(now, at, refusals + 1))

    def answered(sent_at: float, now: float) -> None:
        nonlocal in_flight
        in_flight -= 1
        law.answered(sent_at, now)
        found.taken.append(now)
        line.append(0)

    def refused(sent_at: float, now: float, refusals: int) -> None:
        nonlocal in_flight
        in_flight -= 1
        law.refuse(sent_at, now, hint)
        found.refused.append(now)
        found.worst = max(found.worst, refusals)
        own = law.first_wait * min(8.0, 2 ** (refusals - 1) + drawn.random())
        later(now + min(60.0, max(own, hint or 0.0)), lambda at: line.append(refusals))

    now = 0.0
    while now < seconds:
        wait = 0.0
        while line and (wait := law.wait(in_flight, now)) <= 1e-9:
            send(now, line.popleft())
        if line and wait < math.inf:
            later(now + wait + 0.001 * drawn.random(), lambda at: None)
        now, _, event = heapq.heappop(events)
        event(now)
    return found
