"""What a drain counts while it runs, for its display."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count

from jevbias.drain.progress import DrainState
from jevbias.store.outcomes import CompletedProbe
from jevbias.store.progress import RunProgress

_RATE_SECONDS = 30.0


@dataclass
class Tally:
    """Where the run stands: what the database said last, and what this process has added since."""

    run: str
    total: int
    answered: int
    failed: int
    done: int
    cost: float | None
    in_flight: int = 0
    sent: int = 0
    reached: bool = False
    """Whether any reply has come back in this drain."""
    began: float = field(default_factory=time.monotonic)
    _waits: dict[int, tuple[float, str]] = field(default_factory=dict)
    _keys: Iterator[int] = field(default_factory=count)
    _idle: str | None = None
    _meanwhile: list[CompletedProbe] | None = None
    _samples: deque[tuple[float, int]] = field(default_factory=deque)

    @classmethod
    def begin(cls, progress: RunProgress) -> Tally:
        """Start from what the database says."""
        tally = cls(progress.name, progress.probes, 0, 0, 0, None)
        tally._take_over(progress)
        return tally

    async def refresh(self, look: Awaitable[RunProgress]) -> RunProgress:
        """Take over what the database says, which knows of other processes too. What this process completes
        during the look is added to it.
        """
        meanwhile = self._meanwhile = []
        try:
            progress = await look
        finally:
            self._meanwhile = None
        self._take_over(progress)
        for probe in meanwhile:
            self._add(probe)
        return progress

    def completed(self, probe: CompletedProbe) -> None:
        """Count a probe that ended."""
        self._add(probe)
        if self._meanwhile is not None:
            self._meanwhile.append(probe)

    def _take_over(self, progress: RunProgress) -> None:
        self.done = progress.finished
        self.answered = progress.by_status["answered"]
        self.failed = progress.by_status["failed"]
        self.cost = progress.cost

    def _add(self, probe: CompletedProbe) -> None:
        self.done += 1
        self.answered += probe.status == "answered"
        self.failed += probe.status == "failed"
        if probe.sent.cost is not None:
            self.cost = (self.cost or 0.0) + probe.sent.cost

    @contextmanager
    def sending(self) -> Iterator[None]:
        """A request is on its way."""
        self.in_flight += 1
        self.sent += 1
        try:
            yield
        finally:
            self.in_flight -= 1

    @contextmanager
    def waiting(self, seconds: float, reason: str) -> Iterator[None]:
        """A worker waits so long, and why."""
        key = next(self._keys)
        self._waits[key] = (time.monotonic() + seconds, reason)
        try:
            yield
        finally:
            del self._waits[key]

    @property
    def seconds(self) -> float:
        """How long the drain has lasted."""
        return time.monotonic() - self.began

    def idle(self, reason: str | None) -> None:
        """Why there is nothing to claim; None when there is."""
        self._idle = reason

    def state(self) -> DrainState:
        """One look for the view."""
        now = time.monotonic()
        self._samples.append((now, self.done))
        while now - self._samples[0][0] > _RATE_SECONDS:
            self._samples.popleft()
        then, done_then = self._samples[0]
        rate = (self.done - done_then) / (now - then) if self.done > done_then else None
        left = self.total - self.done
        return DrainState(
            run=self.run,
            total=self.total,
            done=self.done,
            answered=self.answered,
            failed=self.failed,
            in_flight=self.in_flight,
            seconds=now - self.began,
            rate=rate,
            eta_seconds=left / rate if rate and left else None,
            cost=self.cost,
            waiting=self._reason(now),
        )

    def _reason(self, now: float) -> str | None:
        if not self._waits:
            return self._idle
        until, reason = max(self._waits.values())
        who = f"{len(self._waits)} workers " if len(self._waits) > 1 else ""
        return f"{who}backing off {max(0.0, until - now):.0f} s after {reason}"
