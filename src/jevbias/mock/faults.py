"""A fault plan at work: which rule a request falls under."""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from jevbias.mock.fault_plan import Above, BatchLife, Face, FaultPlan, FaultReply, FaultRule, When

NO_FAULTS = FaultPlan()
_PLAIN_LIFE = BatchLife()
_ROUNDING = 1e-9
"""How much a bucket that was filled in many small steps may lack."""


class Faults:
    """Decides about every request as it comes. `now` is the clock of the limits, in seconds."""

    def __init__(self, plan: FaultPlan = NO_FAULTS, now: Callable[[], float] = time.monotonic) -> None:
        self._plan = plan
        self._rules = [_Rule(rule, f"{plan.seed}\x1f{index}", now) for index, rule in enumerate(plan.faults)]

    @contextmanager
    def during(self, face: Face, path: str, body: bytes) -> Iterator[FaultReply | None]:
        """The fault of a request, None for most; the block is the time in which it is being answered. Every
        rule counts every request that fits it, also one that an earlier rule decides.
        """
        fitting = [rule for rule in self._rules if rule.fits(face, path, body)]
        striking = [rule for rule in fitting if rule.strikes(body)]
        passed = [rule for rule in fitting if rule not in striking]
        for rule in passed:
            rule.in_flight += 1
        try:
            yield striking[0].reply if striking else None
        finally:
            for rule in passed:
                rule.in_flight -= 1

    def life_of_batch(self, number: int) -> BatchLife:
        """How the batch that was submitted as the nth (from 1) goes."""
        return next((life for life in self._plan.batches if life.nth in (None, number)), _PLAIN_LIFE)


class _Rule:
    """One rule, and what it has seen."""

    def __init__(self, rule: FaultRule, key: str, now: Callable[[], float]) -> None:
        self.reply, self.in_flight = rule.reply, 0
        self._when, self._key = rule.when, key
        self._seen, self._came = 0, Counter[bytes]()
        self._limit = _Limit.read(rule.when.above, now) if rule.when.above else None

    def fits(self, face: Face, path: str, body: bytes) -> bool:
        when = self._when
        return (
            when.face in (None, face)
            and when.path in (None, path)
            and (when.contains is None or when.contains.encode() in body)
        )

    def strikes(self, body: bytes) -> bool:
        """Count a request that fits, and say whether the rule is for this one."""
        self._seen += 1
        digest = hashlib.sha256(body).digest()
        self._came[digest] += 1
        when, number = self._when, self._seen
        return (
            when.nth in (None, number)
            and (when.every is None or number % when.every == 0)
            and (when.first or 1) <= number <= (when.last or number)
            and (when.times is None or self._came[digest] <= when.times)
            and _in_share(when, self._key, digest)
            and (self._limit is None or self._limit.passed(self.in_flight))
        )


def _in_share(when: When, key: str, digest: bytes) -> bool:
    if when.share is None:
        return True
    draw = hashlib.sha256(f"{key}\x1f{digest.hex()}".encode()).digest()
    return int.from_bytes(draw[:6], "big") / 2**48 < when.share


@dataclass
class _Limit:
    """A bucket of `burst` that fills evenly, and a number of requests at a time; what is refused takes
    nothing from the bucket.
    """

    per_second: float | None
    burst: float
    concurrent: int | None
    now: Callable[[], float]
    level: float = field(init=False)
    filled_at: float = field(init=False)

    @classmethod
    def read(cls, above: Above, now: Callable[[], float]) -> _Limit:
        return cls(above.per_second, above.burst or max(1.0, above.per_second or 1.0), above.concurrent, now)

    def __post_init__(self) -> None:
        self.level, self.filled_at = self.burst, self.now()

    def passed(self, in_flight: int) -> bool:
        """Whether this request is one too many, beside those in flight."""
        if self.concurrent is not None and in_flight >= self.concurrent:
            return True
        if self.per_second is None:
            return False
        now = self.now()
        self.level = min(self.burst, self.level + (now - self.filled_at) * self.per_second)
        self.filled_at = now
        if self.level < 1 - _ROUNDING:
            return True
        self.level -= 1
        return False
