"""How a run is to be drained."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from jevbias.errors import UsageError

LONGEST_WAIT = 60.0
"""Seconds. What a server asks for beyond this is not waited for: the probe is parked."""
LONGEST_PARK = 7 * 86_400.0
"""Seconds that a probe is parked at most, whatever a server asks for: some mean milliseconds by them."""
_SECONDS = {"s": 1, "sec": 1, "second": 1, "min": 60, "minute": 60, "h": 3600, "hour": 3600}
_RATE = re.compile(r"(?P<number>\d{1,12}(\.\d{1,6})?)(\s*/\s*(?P<unit>[a-z]+))?", re.ASCII)


@dataclass(frozen=True)
class DrainOptions:
    """How a run is to be drained; raises UsageError for a value that makes no sense.

    `workers` is the number of requests in flight at once. `max_attempts` is how often one probe may be sent
    in all. `timeout` is the seconds a send may take, and how long a stop waits for answers on their way.
    `rate` is a limit in requests a minute, `tokens_per_second` one of input tokens, both of this process;
    `max_cost` is what the run may cost in all, in US dollars. `first_wait` is the seconds before the first
    retry, doubled for each further one, with as much again at random. A refusal for the pace (429, 529) uses
    up no attempt: the probe is sent again, more slowly.
    """

    workers: int = 8
    max_attempts: int = 3
    timeout: float = 30.0
    rate: float | None = None
    tokens_per_second: float | None = None
    max_cost: float | None = None
    call_cost: float | None = None
    """What one call may cost in US dollars, as far as the model's price tells; None where it is not known."""
    first_wait: float = 0.5

    def __post_init__(self) -> None:
        if self.workers < 1:
            raise UsageError(f"workers is {self.workers}; at least 1 is needed")
        if self.max_attempts < 1:
            raise UsageError(f"attempts per probe is {self.max_attempts}; at least 1 is needed")
        if not self.timeout > 0:
            raise UsageError(f"timeout is {self.timeout:g} s; more than 0 is needed")
        if self.rate is not None and not 0 < self.rate < math.inf:
            raise UsageError(f"rate is {self.rate:g} requests a minute; more than 0 is needed")
        if self.tokens_per_second is not None and not 0 < self.tokens_per_second < math.inf:
            raise UsageError(f"tokens per second is {self.tokens_per_second:g}; more than 0 is needed")
        if self.max_cost is not None and not 0 < self.max_cost < math.inf:
            raise UsageError(f"--max-cost: {self.max_cost:g} is not allowed; give US dollars above 0")

    @property
    def lease_seconds(self) -> float:
        """How long a claim lasts unless it is renewed."""
        return max(120.0, 2 * self.timeout)


def parse_rate(text: str) -> float:
    """Requests a minute, from `1200/min`, `20/s` or `1200`. Raises UsageError for anything else."""
    return _rate(text, "min", "--rate", "requests such as 1200/min, 20/s or 1200 (a minute)")


def parse_token_rate(text: str) -> float:
    """Tokens a second, from `250000/s`, `15000000/min` or `250000`. Raises UsageError for anything else."""
    return _rate(text, "s", "--tokens-per-second", "tokens such as 250000 or 250000/s")


def _rate(text: str, usual: str, flag: str, allowed: str) -> float:
    """How many in the usual unit of time."""
    found = _RATE.fullmatch(text.strip().lower())
    seconds = _SECONDS.get(found["unit"] or usual) if found is not None else None
    number = float(found["number"]) if found is not None else 0.0
    if seconds is None or not number > 0:
        raise UsageError(f"{flag}: '{text[:40]}' is no rate; give {allowed}")
    return number * _SECONDS[usual] / seconds
