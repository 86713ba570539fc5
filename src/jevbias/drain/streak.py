"""Telling a broken run from a broken probe."""

from __future__ import annotations

from dataclasses import dataclass, field

from jevbias.drain.sending import Outcome

LONGEST = 5
"""So many probes that end for one and the same reason, with no success in between, are the run's fault."""


@dataclass
class Streak:
    """Consecutive probes that ended for the same reason."""

    cause: tuple[str, ...] | None = None
    probes: list[int] = field(default_factory=list)

    def add(self, cause: tuple[str, ...], probe_id: int) -> bool:
        """Count one more; True when there are enough to stop the run."""
        if cause != self.cause:
            self.cause, self.probes = cause, []
        self.probes.append(probe_id)
        return len(self.probes) >= LONGEST

    def end(self) -> None:
        """Something went well."""
        self.cause, self.probes = None, []


def cause_of(outcome: Outcome) -> tuple[str, ...]:
    """What makes two failures the same.

    Permanent errors are compared with their message. Where retries were exhausted the kind is enough: the
    messages of an ailing server often carry numbers of their own.
    """
    if outcome.reading.verdict == "retry":
        return (outcome.error_kind,)
    return (outcome.error_kind, outcome.error)
