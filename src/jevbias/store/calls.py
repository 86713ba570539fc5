"""The call ledger: requests of runs without a plan, each written down before it leaves and once answered."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, Row, and_, func, or_, select

from jevbias.errors import UsageError
from jevbias.store.call_tables import CALL
from jevbias.store.spent import Spent
from jevbias.store.tables import RUN

_CHUNK = 500


@dataclass(frozen=True, slots=True)
class NewCall:
    """A request to send: what it is for, unique within its run, and its body."""

    key: str
    body: bytes


@dataclass(frozen=True, slots=True)
class CallResult:
    """What came back of one send. `http_status` is None where nothing usable did; then `fault` names the kind
    and `error` says it in one line. The latency is in milliseconds, `retry_after` in seconds, the cost in US
    dollars, `sent_at` and `done_at` in seconds since the epoch; None where nobody said.
    """

    key: str
    http_status: int | None
    response: bytes | None
    latency_ms: float
    sent_at: float
    done_at: float
    possibly_billed: bool = False
    fault: str | None = None
    error: str | None = None
    retry_after: float | None = None
    location: str | None = None
    model_answered: str | None = None
    request_id: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class StoredCall:
    """A call as the ledger has it. `sent_at` is when it was sent last, `sends` how often, `possibly_billed`
    how many of the sends may have been paid for without a known answer. `result` is None while nothing came
    back.
    """

    key: str
    body_sha256: str
    sends: int
    possibly_billed: int
    sent_at: float
    result: CallResult | None
    packed_body: bytes = field(repr=False)

    @property
    def body(self) -> bytes:
        """The request as it was sent, byte for byte."""
        return zlib.decompress(self.packed_body)


@dataclass(frozen=True)
class CallCounts:
    """How many calls a run has made: `done` came to an end, of these `failed` without an HTTP status of
    success; `open` were sent and nothing is known of them. Tokens are sums of what servers reported.
    """

    done: int
    failed: int
    open: int
    sends: int
    possibly_billed: int
    input_tokens: int
    output_tokens: int


def find_calls(connection: Connection, run_id: int, calls: Sequence[NewCall]) -> list[StoredCall | None]:
    """For each call the stored one where it is done, which must not be sent again; None for what is left.

    Raises UsageError where a key is stored with another body.
    """
    known = _stored(connection, run_id, [call.key for call in calls])
    found: list[StoredCall | None] = []
    for call in calls:
        stored = known.get(call.key)
        if stored is not None and stored.body_sha256 != _sha256(call.body):
            raise UsageError(
                f"call {call.key} is stored with another request than the one to send now: its options, the "
                "model or the version changed since; start a new run"
            )
        found.append(stored if stored is not None and stored.result is not None else None)
    return found


def start_calls(connection: Connection, run_id: int, calls: Sequence[NewCall], now: float) -> None:
    """Note that calls, of which none is done, are about to be sent. One that a process left without an answer
    counts as sent once more. Raises UsageError where the run was deleted.
    """
    if connection.execute(select(RUN.c.id).where(RUN.c.id == run_id)).first() is None:
        raise UsageError("the run was deleted while it was worked on")
    known = _stored(connection, run_id, [call.key for call in calls])
    again = [call.key for call in calls if call.key in known]
    if again:
        connection.execute(
            CALL.update()
            .where(CALL.c.run_id == run_id, CALL.c.key.in_(again), CALL.c.status == "sent")
            .values(sends=CALL.c.sends + 1, possibly_billed=CALL.c.possibly_billed + 1, sent_at=now)
        )
    fresh = [_new_row(run_id, call, now) for call in calls if call.key not in known]
    if fresh:
        connection.execute(CALL.insert(), fresh)


def finish_calls(connection: Connection, run_id: int, results: Sequence[CallResult]) -> None:
    """Store what came back of calls that were sent. What is done already stays as it is."""
    for result in results:
        connection.execute(
            CALL.update()
            .where(CALL.c.run_id == run_id, CALL.c.key == result.key, CALL.c.status == "sent")
            .values(
                status="done",
                possibly_billed=CALL.c.possibly_billed + int(result.possibly_billed),
                response=None if result.response is None else zlib.compress(result.response),
                **{name: getattr(result, name) for name in _PLAIN},
            )
        )


_PLAIN = (
    *("http_status", "latency_ms", "sent_at", "done_at", "fault", "error", "retry_after", "location"),
    *("model_answered", "request_id", "input_tokens", "output_tokens", "cost"),
)


def list_calls(connection: Connection, run_id: int, prefix: str = "") -> list[StoredCall]:
    """The calls of a run whose keys begin so, in the order in which they were first sent."""
    query = select(CALL).where(CALL.c.run_id == run_id).order_by(CALL.c.id)
    if prefix:
        query = query.where(CALL.c.key.startswith(prefix, autoescape=True))
    return [_call(row) for row in connection.execute(query)]


def count_calls(connection: Connection, run_id: int) -> CallCounts:
    """How many calls a run has made, and what they took."""
    done = CALL.c.status == "done"
    row = connection.execute(
        select(
            func.count().filter(done),
            func.count().filter(and_(done, ~_SUCCEEDED)),
            func.count().filter(~done),
            func.coalesce(func.sum(CALL.c.sends), 0),
            func.coalesce(func.sum(CALL.c.possibly_billed), 0),
            func.coalesce(func.sum(CALL.c.input_tokens), 0),
            func.coalesce(func.sum(CALL.c.output_tokens), 0),
        ).where(CALL.c.run_id == run_id)
    ).one()
    return CallCounts(*(int(value) for value in row))


def spent_on_calls(connection: Connection, run_id: int) -> Spent:
    """What a run's calls have cost. Sends of which nothing came back count as unknown, and so do successes
    that name no cost.
    """
    unpriced = and_(CALL.c.status == "done", CALL.c.cost.is_(None), _SUCCEEDED)
    unanswered = CALL.c.status == "sent"
    row = connection.execute(
        select(
            func.coalesce(func.sum(CALL.c.cost), 0.0),
            func.max(CALL.c.cost),
            func.coalesce(func.sum(CALL.c.possibly_billed), 0)
            + func.count().filter(or_(unpriced, unanswered)),
        ).where(CALL.c.run_id == run_id)
    ).one()
    return Spent(float(row[0]), row[1], int(row[2]))


_SUCCEEDED = func.coalesce(CALL.c.http_status, 0).between(200, 299)


def _stored(connection: Connection, run_id: int, keys: Sequence[str]) -> dict[str, StoredCall]:
    found: dict[str, StoredCall] = {}
    for start in range(0, len(keys), _CHUNK):
        query = select(CALL).where(CALL.c.run_id == run_id, CALL.c.key.in_(keys[start : start + _CHUNK]))
        found |= {row.key: _call(row) for row in connection.execute(query)}
    return found


def _new_row(run_id: int, call: NewCall, now: float) -> dict[str, Any]:
    return {
        "run_id": run_id,
        "key": call.key,
        "body": zlib.compress(call.body),
        "body_sha256": _sha256(call.body),
        "status": "sent",
        "sends": 1,
        "possibly_billed": 0,
        "sent_at": now,
    }


def _sha256(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


def _call(row: Row[Any]) -> StoredCall:
    result = None
    if row.status == "done":
        result = CallResult(
            key=row.key,
            response=None if row.response is None else zlib.decompress(row.response),
            possibly_billed=row.possibly_billed == row.sends,
            **{name: row._mapping[name] for name in _PLAIN},
        )
    return StoredCall(
        key=row.key,
        body_sha256=row.body_sha256,
        sends=row.sends,
        possibly_billed=row.possibly_billed,
        sent_at=row.sent_at,
        result=result,
        packed_body=row.body,
    )
