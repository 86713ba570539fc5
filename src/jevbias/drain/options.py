"""How a run is to be drained."""

from __future__ import annotations

from dataclasses import dataclass

from jevbias.errors import UsageError

LONGEST_WAIT = 60.0
"""Seconds. What a server asks for beyond this is not waited for: the probe is parked."""


@dataclass(frozen=True)
class DrainOptions:
    """How a run is to be drained; raises UsageError for a value that makes no sense.

    `workers` is the number of requests in flight at once. `max_attempts` is how often one probe may be sent
    in all. `timeout` is the seconds a send may take, and how long a stop waits for answers on their way.
    `rate` is a limit in requests a minute, `tokens_per_second` one of input tokens; `max_cost` is what the run
    may cost in all, in US dollars. `first_wait` is the seconds before the first retry, doubled for
    each further one, with as much again at random.
    """

    workers: int = 8
    max_attempts: int = 3
    timeout: float = 30.0
    rate: float | None = None
    tokens_per_second: float | None = None
    max_cost: float | None = None
    first_wait: float = 0.5

    def __post_init__(self) -> None:
        if self.workers < 1:
            raise UsageError(f"workers is {self.workers}; at least 1 is needed")
        if self.max_attempts < 1:
            raise UsageError(f"attempts per probe is {self.max_attempts}; at least 1 is needed")
        if not self.timeout > 0:
            raise UsageError(f"timeout is {self.timeout:g} s; more than 0 is needed")
        if self.rate is not None and not self.rate > 0:
            raise UsageError(f"rate is {self.rate:g} requests a minute; more than 0 is needed")

    @property
    def lease_seconds(self) -> float:
        """How long a claim lasts unless it is renewed."""
        return max(120.0, 2 * self.timeout)
