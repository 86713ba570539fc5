"""The values that pass between the queue and whoever drains it. Neutral about how a model was asked."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Literal

from jevbias.plan.model import Ask
from jevbias.store.owner import Owner

FinalStatus = Literal["answered", "refused", "malformed", "failed"]


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to send one probe once more. `attempt` is the number of the attempt row that was committed
    with it; a lease of the same probe with another number is another's.
    """

    probe_id: int
    attempt: int


@dataclass(frozen=True, slots=True)
class ClaimedProbe:
    """A probe to send: its lease, what to ask, and how many attempts it has used, this one included."""

    lease: Lease
    position: int
    attempts: int
    ask: Ask


@dataclass(frozen=True, slots=True)
class SentAttempt:
    """What became of one send.

    `outcome` is the probe's new status or the kind of error that came back. `http_status` is None where
    nothing came back; then `possibly_billed` says whether the model may have worked all the same. Times are
    seconds since the epoch and milliseconds; the duration (of an answer in a batch), tokens and cost (US
    dollars) are None where nobody said.
    """

    started_at: float
    duration_ms: float | None
    outcome: str
    http_status: int | None = None
    body_sha256: str | None = None
    possibly_billed: bool = False
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    cached_tokens: int | None = None
    """Of the input tokens, those that the provider's cache served."""


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """One question's answer; `value` and `favourability` on [0, 1]."""

    question: str
    kind: str
    value: float
    favourability: float
    confidence: float | None = None
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CompletedProbe:
    """How a probe ended. `response` is the raw body of the last reply; `error_kind` and `error` are None when
    all is well.
    """

    lease: Lease
    status: FinalStatus
    sent: SentAttempt
    answers: tuple[StoredAnswer, ...] = ()
    error_kind: str | None = None
    error: str | None = None
    response: bytes | None = None
    model_answered: str | None = None
    request_id: str | None = None


@dataclass(frozen=True, slots=True)
class ParkedProbe:
    """A probe that goes back to the queue after a send: not to be sent before `not_before` (None: any time).

    `forgiven` gives it all its attempts back, for errors that are not its own (a refused key).
    """

    lease: Lease
    sent: SentAttempt
    not_before: float | None
    error_kind: str | None
    error: str | None
    forgiven: bool = False


class Stored(Enum):
    """What became of a completion."""

    KEPT = "the lease was held"
    LATE = "the lease was lost and nobody else had an answer: it counts"
    SUPERSEDED = "the lease was lost and another's answer counts: this one is kept with its attempt"
    RECORDED = "the lease was lost and there was no answer: the attempt's outcome is recorded"
    GONE = "the run was deleted"


@dataclass(frozen=True)
class Outlook:
    """What is left of a run from one process's point of view.

    `ready`: a probe may be claimed now. Only where none may: how many are parked, when the earliest of them
    may be sent (seconds since the epoch), how many other processes hold, how many batches do, and which
    of those processes live on this host and yet let their leases run out.
    """

    ready: bool
    parked: int = 0
    next_at: float | None = None
    held_elsewhere: int = 0
    in_batches: int = 0
    stalled: tuple[Owner, ...] = ()

    @property
    def is_over(self) -> bool:
        """Whether nothing is left but what this process holds itself, or a batch does."""
        return not (self.ready or self.parked or self.held_elsewhere)
