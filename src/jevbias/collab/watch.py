"""Which call of code that a user wrote is under way, and for how long."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

CALL_SECONDS = 10.0
"""How long one call may take."""


class Watch:
    """Is told of every call before it is made; whoever waits in another thread asks it what is late."""

    def __init__(self, seconds: float = CALL_SECONDS, clock: Callable[[], float] = time.monotonic) -> None:
        self.seconds = seconds
        self._clock = clock
        self._now: tuple[str, float, float] | None = None

    @contextmanager
    def during(self, what: str, seconds: float | None = None) -> Iterator[None]:
        """A call that `what` names, allowed so many seconds. One within another has its own time, and the
        outer one begins anew after it: something has moved.
        """
        outer, limit = self._now, self.seconds if seconds is None else seconds
        self._now = what, self._clock(), limit
        try:
            yield
        finally:
            self._now = None if outer is None else (outer[0], self._clock(), outer[2])

    @property
    def late(self) -> str | None:
        """What has not returned in time, in a line; None where nothing is late."""
        now = self._now
        if now is None or self._clock() - now[1] < now[2]:
            return None
        return f"{now[0]}: has not returned within {now[2]:g} s"

    @property
    def left(self) -> float:
        """Seconds until what is under way is late, never quite none."""
        now = self._now
        left = self.seconds if now is None else now[1] + now[2] - self._clock()
        return max(left, 0.005)
