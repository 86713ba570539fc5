"""What one result of a batch means for its probe."""

from __future__ import annotations

from dataclasses import replace

from jevbias.drain.sending import Outcome
from jevbias.drivers.base import Driver, Reading, Reply
from jevbias.drivers.provider_batch import COMPLETED, BatchResult
from jevbias.plan.model import Ask

_WILL_NOT_PASS = ("context_length", "invalid", "max_tokens", "too_large", "too_long", "unsupported")
"""What the code of an error contains that every further try would meet too."""


def outcome_of_result(
    driver: Driver, ask: Ask, result: BatchResult, sent_at: float, body_sha256: str | None = None
) -> Outcome:
    """The outcome of one request, read as if it had gone alone. What may pass later and what would stop a run
    are both a retry: the probe goes back to the queue.
    """
    if result.reply is not None:
        reply, reading = result.reply, driver.read(ask, result.reply)
    else:
        reply, reading = _without_reply(driver, ask, result)
    if reading.verdict == "stop":
        reading = replace(reading, verdict="retry")
    return Outcome(reply, reading, sent_at, body_sha256)


def outcome_of_missing(status: str, sent_at: float, body_sha256: str | None = None) -> Outcome:
    """The outcome of a request without a result in a batch that ended with this status: it goes back to the
    queue. Only a batch that was completed may have billed it.
    """
    billed = status == COMPLETED
    error = f"the batch ended as {status} without a result for this request"
    reply = Reply(None, b"", 0.0, fault="missing", fault_message=error, possibly_billed=billed)
    return Outcome(reply, Reading("retry", error_kind=f"batch_{status}", error=error), sent_at, body_sha256)


def _without_reply(driver: Driver, ask: Ask, result: BatchResult) -> tuple[Reply, Reading]:
    """What an error in place of a reply means: as the driver reads it in a reply, where it does. Otherwise it
    ends the probe where its code says that no try will do better.
    """
    if result.error is None:
        message = "the batch holds neither a reply nor a reason for this request"
        reply = Reply(None, b"", 0.0, fault="missing", fault_message=message, possibly_billed=True)
        return reply, Reading("retry", error_kind="missing", error=message)
    reading = driver.read(ask, Reply(200, result.error, 0.0))
    message, code = reading.error or "an error without a message", (result.error_code or "").lower()
    kind = f"batch_{code}" if code else "batch_error"
    reply = Reply(None, result.error, 0.0, fault=kind, fault_message=message)
    if reading.verdict in ("answered", "malformed"):
        lasting = any(sign in code for sign in _WILL_NOT_PASS)
        reading = Reading("failed" if lasting else "retry", error_kind=kind, error=message)
    return reply, reading
