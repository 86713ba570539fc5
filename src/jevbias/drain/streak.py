"""Telling a broken run from a broken probe."""

from __future__ import annotations

from dataclasses import dataclass, field

from jevbias.drain.sending import Outcome

LONGEST = 5
"""So many probes that end for one and the same reason, with no success in between, are the run's fault."""
LONGEST_AMONG_ANSWERS = 20
"""So many replies without a usable answer in a row are the run's fault where others had one. A model that
answers three times in four gets there by chance once in 10^12 replies, one that answers every other time once
in two million.
"""


@dataclass
class Streak:
    """Consecutive probes that ended for the same reason."""

    cause: tuple[str, ...] | None = None
    probes: list[int] = field(default_factory=list)

    def add(self, cause: tuple[str, ...], probe_id: int) -> int:
        """Count one more; returns how many there are."""
        if cause != self.cause:
            self.cause, self.probes = cause, []
        self.probes.append(probe_id)
        return len(self.probes)

    def end(self) -> None:
        """Something went well."""
        self.cause, self.probes = None, []


def cause_of(outcome: Outcome) -> tuple[str, ...]:
    """What makes two failures the same.

    Permanent errors are compared with their message. Where retries were exhausted, and where a reply came
    without a usable answer, the kind is enough: the messages of an ailing server often carry numbers of their
    own, and which question was missed first depends on the scenario.
    """
    if outcome.reading.verdict in ("retry", "malformed"):
        return (outcome.error_kind,)
    return (outcome.error_kind, outcome.error)
