"""An event loop whose clock jumps to the next timer instead of waiting for it: what a drain does over minutes
is seen in a moment, and no busy machine changes it.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

_ROUND = 1e-6
"""Seconds that each round of the loop takes: a clock that stood still would not reach what rounding left."""


class _Jumps(selectors.SelectSelector):
    """Never waits: says instead how long it would have waited, and perhaps a little longer."""

    def __init__(self, lateness: Callable[[], float]):
        super().__init__()
        self.now = 1_000.0
        self._lateness = lateness

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            raise RuntimeError("nothing is left that could ever happen")
        self.now += _ROUND
        if timeout > 0:
            self.now += timeout + self._lateness()
        return super().select(0)


class _VirtualLoop(asyncio.SelectorEventLoop):
    def __init__(self, lateness: Callable[[], float]):
        self._jumps = _Jumps(lateness)
        super().__init__(self._jumps)

    def time(self) -> float:
        return self._jumps.now


def in_virtual_time(job: Coroutine[Any, Any, T], lateness: Callable[[], float] = lambda: 0.0) -> T:
    """Run a job without threads or sockets; every wake-up comes so many seconds late."""
    with asyncio.Runner(loop_factory=lambda: _VirtualLoop(lateness)) as runner:
        return runner.run(job)


def now() -> float:
    """The moment by the running loop's clock."""
    return asyncio.get_running_loop().time()
