"""The statements of the probe queue, built once, for SQLite and PostgreSQL both."""

from __future__ import annotations

from sqlalchemy import BindParameter, String, and_, bindparam, case, cast, exists, func, or_, select

from jevbias.store.many_rows import InsertRows, UpdateRows
from jevbias.store.owner import BATCH
from jevbias.store.tables import ANSWER, ATTEMPT, PENDING, PROBE, RUNNING

_LEASE_ENDS = {"lease_owner": None, "lease_until": None}
_IDS: BindParameter[int] = bindparam("ids", expanding=True)

_DUE = or_(PROBE.c.not_before.is_(None), PROBE.c.not_before <= bindparam("now"))

_HELD = and_(
    PROBE.c.id == bindparam("probe"),
    RUNNING,
    PROBE.c.lease_owner == bindparam("me"),
    PROBE.c.last_attempt == bindparam("attempt"),
)
_THIS_ATTEMPT = and_(ATTEMPT.c.probe_id == bindparam("probe"), ATTEMPT.c.number == bindparam("attempt"))

# On PostgreSQL a common table expression that locks rows is evaluated once, which a plain IN (SELECT … LIMIT)
# does not promise; SQLite ignores the locking clause, its write transactions are one at a time.
_NEXT = (
    select(PROBE.c.id)
    .where(PROBE.c.run_id == bindparam("run"), PENDING, _DUE)
    .order_by(PROBE.c.position)
    .limit(bindparam("limit"))
    .with_for_update(skip_locked=True)
    .cte("next_probes")
)

CLAIM = (
    PROBE.update()
    .where(PROBE.c.id.in_(select(_NEXT.c.id)))
    .values(
        status="running",
        lease_owner=bindparam("me"),
        lease_until=bindparam("until"),
        not_before=None,
        attempts=PROBE.c.attempts + 1,
        last_attempt=PROBE.c.last_attempt + 1,
    )
    .returning(PROBE.c.id, PROBE.c.position, PROBE.c.ask_id, PROBE.c.attempts, PROBE.c.last_attempt)
)

BEGIN_ATTEMPT = InsertRows(ATTEMPT, ("probe_id", "number", "started_at", "possibly_billed"))

_RESULT = (
    "status",
    "error_kind",
    "error",
    "response",
    "model_answered",
    "request_id",
    "latency_ms",
    "input_tokens",
    "output_tokens",
    "cached_tokens",
    "cost",
    "answered_at",
)

COMPLETE = UpdateRows(PROBE, ("id",), _RESULT, emptied=(*_LEASE_ENDS, "not_before"))

_LOCKED = (
    select(PROBE.c.id, PROBE.c.last_attempt)
    .where(PROBE.c.id.in_(_IDS), RUNNING, PROBE.c.lease_owner == bindparam("me"))
    .with_for_update()
    .cte("locked")
)
HELD = select(
    func.aggregate_strings(
        cast(_LOCKED.c.id, String) + ":" + cast(_LOCKED.c.last_attempt, String), separator=" "
    )
)
"""`probe:attempt` of every lease held, in one row: on SQLite each row that is fetched costs a wait for
Python's lock, as in `many_rows`.
"""

STATUS = (
    select(PROBE.c.status)
    .where(PROBE.c.id == bindparam("probe"), PROBE.c.run_id == bindparam("run"))
    .with_for_update()
)

IS_HELD = select(PROBE.c.id).where(_HELD).with_for_update()

END_ATTEMPT = UpdateRows(
    ATTEMPT,
    ("probe_id", "number"),
    (
        "started_at",
        "duration_ms",
        "outcome",
        "http_status",
        "body_sha256",
        "possibly_billed",
        "input_tokens",
        "output_tokens",
        "cached_tokens",
        "cost",
    ),
)

KEEP_RESPONSE = ATTEMPT.update().where(_THIS_ATTEMPT).values(response=bindparam("new_response"))

FORGET_ATTEMPT = ATTEMPT.delete().where(
    _THIS_ATTEMPT, or_(ATTEMPT.c.outcome.is_(None), ATTEMPT.c.outcome == "unknown")
)

ADD_ANSWERS = InsertRows(
    ANSWER, ("probe_id", "question", "kind", "value", "favourability", "confidence", "flags")
)

PARK = (
    PROBE.update()
    .where(_HELD)
    .values(
        status="pending",
        not_before=bindparam("new_not_before"),
        error_kind=bindparam("new_error_kind"),
        error=bindparam("new_error"),
        attempts=case((bindparam("forgiven"), 0), else_=PROBE.c.attempts),
        **_LEASE_ENDS,
    )
)

FORGIVE = PROBE.update().where(_HELD).values(attempts=PROBE.c.attempts - 1)

RETRY = (
    PROBE.update()
    .where(_HELD)
    .values(
        lease_until=bindparam("new_until"),
        attempts=PROBE.c.attempts + 1,
        last_attempt=PROBE.c.last_attempt + 1,
    )
    .returning(PROBE.c.last_attempt)
)

RENEW = (
    PROBE.update()
    .where(PROBE.c.id.in_(_IDS), RUNNING, PROBE.c.lease_owner == bindparam("me"))
    .values(lease_until=bindparam("new_until"))
    .returning(PROBE.c.id, PROBE.c.last_attempt)
)

RELEASE = (
    PROBE.update()
    .where(_HELD)
    .values(status="pending", attempts=PROBE.c.attempts - bindparam("unsent"), **_LEASE_ENDS)
)

_TO_REOPEN = and_(
    PROBE.c.run_id == bindparam("run"), PROBE.c.status.in_(bindparam("statuses", expanding=True))
)
_SAME_PROBE = ATTEMPT.alias("same_probe")
_LAST_UNUSABLE = (
    select(func.max(_SAME_PROBE.c.number))
    .where(_SAME_PROBE.c.probe_id == ATTEMPT.c.probe_id, _SAME_PROBE.c.outcome.in_(("refused", "malformed")))
    .scalar_subquery()
)

KEEP_ALL_REPLIES = (
    ATTEMPT.update()
    .where(
        ATTEMPT.c.probe_id.in_(select(PROBE.c.id).where(_TO_REOPEN)),
        ATTEMPT.c.number == _LAST_UNUSABLE,
        ATTEMPT.c.response.is_(None),
    )
    .values(response=select(PROBE.c.response).where(PROBE.c.id == ATTEMPT.c.probe_id).scalar_subquery())
)

REOPEN_ALL = (
    PROBE.update()
    .where(_TO_REOPEN)
    .values(
        status="pending",
        attempts=0,
        not_before=None,
        **dict.fromkeys(column for column in _RESULT if column not in ("status", "error_kind", "error")),
    )
)

KEEP_REPLIES = KEEP_ALL_REPLIES.where(ATTEMPT.c.probe_id.in_(_IDS))
REOPEN = REOPEN_ALL.where(PROBE.c.id.in_(_IDS))

_OF_RUN = PROBE.c.run_id == bindparam("run")

READY = select(exists(select(PROBE.c.id).where(_OF_RUN, PENDING, _DUE)))

PARKED = select(func.count().label("probes"), func.min(PROBE.c.not_before).label("next_at")).where(
    _OF_RUN, PENDING, PROBE.c.not_before > bindparam("now")
)

_BY_A_BATCH = PROBE.c.lease_owner.startswith(BATCH)

HELD_ELSEWHERE = select(
    func.count().filter(~_BY_A_BATCH).label("held"), func.count().filter(_BY_A_BATCH).label("in_batches")
).where(_OF_RUN, RUNNING, PROBE.c.lease_owner != bindparam("me"))
