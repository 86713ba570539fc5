"""Servers with limits that they do not tell, and what arrived at them when."""

from __future__ import annotations

import heapq
import time
from dataclasses import dataclass, field
from typing import Protocol

from tests.drain.models import OK

Answer = tuple[int, dict[str, str], bytes]


class Limit(Protocol):
    """A hidden limit."""

    def admits(self, now: float) -> bool:
        """Whether a request that arrives now is taken."""
        ...


@dataclass
class PerSecond:
    """So many requests a second; a burst of so many after a rest."""

    rate: float
    burst: float
    _level: float = field(init=False)
    _at: float | None = None

    def __post_init__(self) -> None:
        self._level = self.burst

    def admits(self, now: float) -> bool:
        passed = 0.0 if self._at is None else now - self._at
        self._level, self._at = min(self.burst, self._level + passed * self.rate), now
        if self._level < 1:
            return False
        self._level -= 1
        return True


@dataclass
class AtOnce:
    """So many requests in work; each takes so many seconds."""

    places: int
    seconds: float
    _ends: list[float] = field(default_factory=list)

    def admits(self, now: float) -> bool:
        while self._ends and self._ends[0] <= now:
            heapq.heappop(self._ends)
        if len(self._ends) >= self.places:
            return False
        heapq.heappush(self._ends, now + self.seconds)
        return True


@dataclass
class Limited:
    """A script for a LoopbackModel with a hidden limit: 429 above it, with the headers given."""

    limit: Limit
    headers: dict[str, str] = field(default_factory=dict)
    accepted: list[float] = field(default_factory=list)
    refused: list[float] = field(default_factory=list)

    def __call__(self, place: int, times: int) -> Answer:
        now = time.monotonic()
        if self.limit.admits(now):
            self.accepted.append(now)
            return 200, {}, OK
        self.refused.append(now)
        return 429, self.headers, b"slow down"


def most_within(times: list[float], seconds: float) -> int:
    """The most events that any window of so many seconds holds."""
    most, start = 0, 0
    for end, at in enumerate(times):
        while at - times[start] >= seconds:
            start += 1
        most = max(most, end - start + 1)
    return most
