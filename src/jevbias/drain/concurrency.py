"""How many requests may be in flight: what a server bears is found out, and kept to."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass, field

from jevbias.drain.options import LONGEST_WAIT

FIRST = 4
"""Requests in flight at the start; each answer allows one more, which doubles them in a round trip."""
AFTER_START, USUALLY, IN_SUCCESSION = 0.5, 0.95, 0.8
"""What is left of the level after a refusal that ends the slow start, after any other, and after one that
comes within a second of the last.
"""
REGAINED = 5.0
"""Seconds in which what a refusal took is added again; then the step doubles, every so many seconds."""

_SUCCESSION = 1.0
_ROUNDS, _HINTS = 5, 40
"""What was taken is added again in no less than so many round trips, and so many times what a hint asks for:
else a slow server would be overrun before it has answered, and pauses would take up most of the time.
"""
_LATENCIES = 256
"""So many of the last latencies make the mean: with few, its noise alone would run into a limit."""
_HEADROOM = 1.15
"""The pace is so much above what the level yields: a limit of requests at once is met by the level alone."""
_LONGEST_GAP = 30.0
"""Seconds between two sends, however low the level."""


@dataclass
class Concurrency:
    """A level between 0 and `workers` requests in flight, which follows the server's refusals for pace (429
    and 529): slow start, additive increase, multiplicative decrease. All times are seconds of one clock.

    The level is a real number. Once a server has refused, sends are also spaced by latency / level, so that
    a limit in requests a second is met by a level that a whole number could not express, below 1 too. Every
    refusal counts once per round: those of requests that were sent before the level fell say nothing new.
    After a refusal nothing at all is sent while the server's hint lasts. Where a round brought nothing but
    refusals the pause is at least `first_wait`, doubled with each further one, and as much again at random.
    """

    workers: int
    first_wait: float = 0.5
    chance: Callable[[], float] = random.random
    level: float = field(init=False)
    refused_rounds: int = field(default=0, init=False)
    """Rounds of refusals since the last answer."""
    held_until: float = field(default=-math.inf, init=False)
    _starting: bool = field(default=True, init=False)
    _spaced: bool = field(default=False, init=False)
    _fell_at: float = field(default=-math.inf, init=False)
    _step: float = field(default=0.0, init=False)
    _period: float = field(default=REGAINED, init=False)
    _grown_at: float = field(default=-math.inf, init=False)
    _next_at: float = field(default=-math.inf, init=False)
    _latency: float = field(default=0.0, init=False)
    _answers: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self.level = float(min(FIRST, self.workers))

    @property
    def at_once(self) -> int:
        """How many requests may be in flight."""
        return max(1, math.ceil(self.level))

    @property
    def is_open(self) -> bool:
        """Whether the workers alone bound what is in flight."""
        return self.level >= self.workers and not self._spaced

    @property
    def refused(self) -> bool:
        """Whether it is refusals that keep the level below the workers."""
        return self._spaced

    def wait(self, in_flight: int, now: float) -> float:
        """Seconds until one more may be sent; infinite where an answer has to come first."""
        if in_flight >= self.at_once:
            return math.inf
        return max(0.0, self.held_until - now, self._next_at - now)

    def sent(self, now: float) -> None:
        """One more is in flight."""
        if self._spaced and self._latency:
            gap = min(_LONGEST_GAP, self._latency / (_HEADROOM * self.level))
            self._next_at = max(self._next_at, now - gap) + gap

    def answered(self, sent_at: float, now: float) -> None:
        """The server took a request that was sent at `sent_at`."""
        self.refused_rounds = 0
        self._answers += 1
        self._latency += (now - sent_at - self._latency) / min(self._answers, _LATENCIES)
        if self._starting:
            self.level += 1.0
        elif self._spaced:
            doublings = min(30, int((now - self._resumed_at) / self._period))
            passed = now - max(self._grown_at, self._resumed_at)
            self.level += min(max(0.0, passed), self._period) * self._step * 2**doublings
        self._grown_at = now
        if self.level >= self.workers:
            self.level = float(self.workers)
            self._starting = self._spaced = False

    def refuse(self, sent_at: float, now: float, hint: float | None) -> None:
        """The server refused, for its pace, a request that was sent at `sent_at`; `hint` is what it asks to
        wait in seconds, None where it does not say.
        """
        pause = hint or 0.0
        if sent_at >= self._fell_at:
            self.refused_rounds += 1
            self._fall(sent_at, now, pause)
            if self.refused_rounds > 1:
                own = self.first_wait * 2 ** min(30, self.refused_rounds - 2) * (1 + self.chance())
                pause = max(pause, min(own, LONGEST_WAIT))
        self.held_until = max(self.held_until, now + min(pause, LONGEST_WAIT))

    @property
    def _resumed_at(self) -> float:
        return max(self._fell_at, self.held_until)

    def _fall(self, sent_at: float, now: float, pause: float) -> None:
        if self._starting:
            left = AFTER_START
        else:
            left = IN_SUCCESSION if sent_at - self._resumed_at < _SUCCESSION else USUALLY
        before = self.level
        least = min(before, 1.0, self._latency / _LONGEST_GAP)
        self.level = max(before * left, least)
        self._period = max(REGAINED, _ROUNDS * self._latency, min(LONGEST_WAIT, _HINTS * pause))
        self._step = (before - self.level) / self._period
        self._starting, self._spaced = False, True
        self._fell_at = now
