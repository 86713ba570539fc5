"""What a user sees of a drain while it runs."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from typing import Protocol, TextIO


@dataclass(frozen=True)
class DrainState:
    """One look at a drain. `rate` is in probes a second over the last half minute; `eta_seconds`, `cost` (US
    dollars) and `rate` are None where nobody knows; `waiting` is why nothing moves, where nothing does;
    `held` is how many requests are in flight at once, and why, where it is fewer than there are workers.
    """

    run: str
    total: int
    done: int
    answered: int
    failed: int
    in_flight: int
    seconds: float
    rate: float | None = None
    eta_seconds: float | None = None
    cost: float | None = None
    waiting: str | None = None
    held: str | None = None


class ProgressView(Protocol):
    """Shows a drain. Whatever it writes goes to stderr."""

    def start(self, state: DrainState) -> None:
        """The drain begins."""
        ...

    def update(self, state: DrainState) -> None:
        """Called several times a second; the view decides what is worth showing."""
        ...

    def note(self, line: str) -> None:
        """Something the user should know now."""
        ...

    def stop(self, state: DrainState) -> None:
        """The drain is over."""
        ...


class SilentView:
    """Shows nothing."""

    def start(self, state: DrainState) -> None:
        """Show nothing."""

    def update(self, state: DrainState) -> None:
        """Show nothing."""

    def note(self, line: str) -> None:
        """Show nothing."""

    def stop(self, state: DrainState) -> None:
        """Show nothing."""


class LineView:
    """A line at the start, one every ten seconds, one at the end: for logs, and terminals that are none."""

    def __init__(self, stream: TextIO, every: float = 10.0):
        self._stream, self._every = stream, every
        self._last = 0.0

    def start(self, state: DrainState) -> None:
        """Say what is to be done."""
        self._last = time.monotonic()
        self.note(f"{state.run}: {state.done:,} of {state.total:,} done, {state.total - state.done:,} to go")

    def update(self, state: DrainState) -> None:
        """A line when the last one is old enough."""
        if time.monotonic() - self._last >= self._every:
            self._last = time.monotonic()
            self.note(f"{state.run}: {described(state)}")

    def note(self, line: str) -> None:
        """The line, at once."""
        self._stream.write(line + "\n")
        self._stream.flush()

    def stop(self, state: DrainState) -> None:
        """Where it ended."""
        self.note(f"{state.run}: {state.done:,} of {state.total:,} done in {duration(state.seconds)}")


def choose_view(stream: TextIO = sys.stderr) -> ProgressView:
    """A moving display on a terminal, plain lines anywhere else."""
    if stream.isatty():
        from jevbias.drain.rich_view import RichView

        return RichView(stream)
    return LineView(stream)


def described(state: DrainState) -> str:
    """The state in one line."""
    parts = [f"{state.done:,}/{state.total:,}"]
    if state.failed:
        parts.append(f"{state.failed:,} failed")
    parts.append("rate n/a" if state.rate is None else f"{state.rate:.1f}/s")
    parts.append("ETA n/a" if state.eta_seconds is None else f"ETA {duration(state.eta_seconds)}")
    parts.append("cost n/a" if state.cost is None else f"${state.cost:.4f}")
    parts += [reason for reason in (state.held, state.waiting) if reason]
    return " · ".join(parts)


def duration(seconds: float) -> str:
    """Seconds as people say them: `8.4 s`, `3 min 20 s`, `2 h 5 min`."""
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"
