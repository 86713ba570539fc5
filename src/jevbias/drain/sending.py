"""One send of one body: what came back, and how the store says it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import cast

from jevbias.drain.token_counts import kept_count
from jevbias.drivers.base import Driver, Reading, Reply
from jevbias.drivers.failures import one_line
from jevbias.plan.model import Ask
from jevbias.store.outcomes import (
    CompletedProbe,
    FinalStatus,
    Lease,
    ParkedProbe,
    SentAttempt,
    StoredAnswer,
)

_LONGEST_TEXT = 500
_REFUSALS_FOR_PACE = ("http_429", "http_529")
_UNREACHED = ("connection", "dns", "timeout")


@dataclass(frozen=True)
class Outcome:
    """A send with its reply and what the driver reads in it. `started_at` is in seconds since the epoch;
    `body_sha256` is None where no body could be made, and then nothing was sent.
    """

    reply: Reply
    reading: Reading
    started_at: float
    body_sha256: str | None

    @property
    def never_arrived(self) -> bool:
        """Whether the server cannot have seen the request."""
        return self.reply.status is None and not self.reply.possibly_billed

    @property
    def unreached(self) -> bool:
        """Whether no connection to the server came about: that is not the probe's fault."""
        return self.never_arrived and self.reply.fault in _UNREACHED

    @property
    def refused_for_pace(self) -> bool:
        """Whether the server says that too much is sent: that is the drain's fault, not the probe's."""
        return self.reading.verdict == "retry" and self.reading.error_kind in _REFUSALS_FOR_PACE

    @property
    def possibly_billed(self) -> bool:
        """Whether the model may have worked although no answer arrived, or not all of one."""
        success = self.reply.status is not None and 200 <= self.reply.status < 300
        cut_short = self.reading.verdict == "retry" and self.reading.error_kind == "truncated"
        return self.reply.possibly_billed or (success and cut_short)

    @property
    def error_kind(self) -> str:
        """A short word for what went wrong."""
        return _clean(self.reading.error_kind) or self.reading.verdict

    @property
    def error(self) -> str:
        """One line about what went wrong."""
        return _clean(self.reading.error or self.reply.fault_message) or self.error_kind


def render(driver: Driver, ask: Ask, now: float) -> bytes | Outcome:
    """The body of an ask; where none can be made (text that is no UTF-8), the outcome says so."""
    try:
        return driver.render(ask)
    except ValueError as error:
        reading = Reading("failed", error_kind="unrenderable", error=f"the ask cannot be sent: {error}")
        return Outcome(Reply(None, b"", 0.0), reading, now, None)


def read(driver: Driver, ask: Ask, body: bytes, reply: Reply, started_at: float) -> Outcome:
    """What a reply means."""
    return Outcome(reply, driver.read(ask, reply), started_at, hashlib.sha256(body).hexdigest())


def attempted(outcome: Outcome) -> SentAttempt:
    """The attempt as the store keeps it."""
    reading = outcome.reading
    ended = reading.verdict in ("answered", "refused", "malformed")
    return SentAttempt(
        started_at=outcome.started_at,
        duration_ms=outcome.reply.latency_ms,
        outcome=reading.verdict if ended else outcome.error_kind,
        http_status=outcome.reply.status,
        body_sha256=outcome.body_sha256,
        possibly_billed=outcome.possibly_billed,
        input_tokens=kept_count(reading.input_tokens),
        output_tokens=kept_count(reading.output_tokens),
        cost=reading.cost,
        cached_tokens=kept_count(reading.cached_tokens),
    )


def completed(lease: Lease, outcome: Outcome, error: str | None = None) -> CompletedProbe:
    """The probe as it ended; a retry that is not made any more ends it as failed. `error` replaces the
    outcome's own line.
    """
    reading = outcome.reading
    status: str = "failed" if reading.verdict in ("retry", "stop") else reading.verdict
    kind, line = (None, None) if status == "answered" else (outcome.error_kind, error or outcome.error)
    if status == "answered" and reading.rejected:
        kind = "incomplete"
        line = _clean("; ".join(f"{question}: {why}" for question, why in reading.rejected.items()))
    return CompletedProbe(
        lease=lease,
        status=cast("FinalStatus", status),
        sent=attempted(outcome),
        answers=tuple(
            StoredAnswer(a.question, a.kind, a.value, a.favourability, a.confidence, a.flags)
            for a in reading.answers
        ),
        error_kind=kind,
        error=line,
        response=outcome.reply.body or None,
        model_answered=_clean(reading.model_answered),
        request_id=_clean(outcome.reply.request_id),
    )


def parked(lease: Lease, outcome: Outcome, *, not_before: float | None, forgiven: bool) -> ParkedProbe:
    """The probe as it goes back to the queue."""
    return ParkedProbe(lease, attempted(outcome), not_before, outcome.error_kind, outcome.error, forgiven)


def _clean(text: str | None) -> str | None:
    """Text of a server's, as one short line that any database takes."""
    if text is None:
        return None
    return one_line(text, _LONGEST_TEXT) or None
