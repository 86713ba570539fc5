"""How far a run is: what came of its probes, what was sent, and what it has cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Engine, Row, Select, and_, case, func, or_, select

from jevbias.errors import UsageError
from jevbias.store.clock import Clock
from jevbias.store.connections import reading
from jevbias.store.owner import Owner, is_batch
from jevbias.store.tables import ANSWER, ATTEMPT, FINISHED_STATUSES, PROBE, PROBE_STATUSES, RUN, RUNNING

_RATE_SECONDS = 60.0


@dataclass(frozen=True)
class RunProgress:
    """One look at a run. Times are seconds since the epoch; a cost is in US dollars.

    `sends` are known to have arrived, because something came back; `possible_sends` may have (a timeout, a
    worker that was killed): what was paid for lies between `sends` and their sum. `cost` and tokens are None
    where nobody said, and leave out `uncosted` replies whose cost nobody said.
    """

    run_id: int
    name: str
    status: str
    probes: int
    by_status: dict[str, int]
    failures: dict[str, int]
    """Kind of error: probes that ended refused, malformed or failed because of it."""
    incomplete: int
    """Answered probes with a question whose answer is missing or unusable."""
    answers: int
    sends: int
    possible_sends: int
    input_tokens: int | None
    output_tokens: int | None
    cost: float | None
    uncosted: int
    parked: int
    next_at: float | None
    """When the earliest parked probe may be sent."""
    abandoned: int
    """Probes held by a process of this host that is gone: `jevbias reset` returns them at once."""
    started_at: float | None
    finished_at: float | None
    last_activity: float | None
    rate: float | None
    """Probes a second over the last minute; None unless the run is running and has moved in that minute."""
    eta_seconds: float | None
    """None where there is no rate, or nothing is left."""
    stop_reason: str | None = None
    """Why the run stopped before its end, in one line."""
    deserted: bool = False
    """Running by its status, but no process that is known to live holds any of its probes."""
    in_batches: int = 0
    """Of the running probes, those that batches hold: `jevbias batch collect` brings their answers."""
    cached_tokens: int | None = None
    """Of the input tokens, those that the provider's cache served; None where nobody said."""
    costed: int = 0
    """Replies whose cost is known."""
    kind: str = "bias"

    @property
    def finished(self) -> int:
        """Probes that have ended, however they did."""
        return sum(self.by_status[status] for status in FINISHED_STATUSES)

    @property
    def left(self) -> int:
        """Probes pending or running."""
        return self.probes - self.finished

    @property
    def cost_per_call(self) -> float | None:
        """The mean cost of the replies whose cost is known, in US dollars; None where there are none."""
        return None if self.cost is None or not self.costed else self.cost / self.costed

    @property
    def at_rest(self) -> bool:
        """Whether nobody works on the run any more: it is through, has stopped, or was deserted."""
        return self.left == 0 or self.status == "stopped" or self.deserted


def run_progress(engine: Engine, run_id: int) -> RunProgress:
    """Look at a run. Raises UsageError when there is none of this id."""
    with reading(engine) as connection:
        run = connection.execute(select(RUN).where(RUN.c.id == run_id)).first()
        if run is None:
            raise UsageError(f"there is no run with the id {run_id}")
        clock = Clock()
        clock.synchronise(connection)
        now = clock.now()
        statuses = _counts(connection, run_id)
        failures = _failures(connection, run_id)
        sends = connection.execute(_sends(run_id)).one()
        activity = connection.execute(_activity(run_id, now)).one()
        held = connection.execute(_holders(run_id)).all()
        answers = connection.execute(_answers(run_id)).scalar_one()
        last = activity.last
        deserted = run.status == "running" and _is_deserted(run.started_at, activity, held, now)
        recent = last is not None and now - last < _RATE_SECONDS
        moving = run.status == "running" and recent and not deserted
        rate = _rate(connection, run_id, last) if moving else None
    left = statuses["pending"] + statuses["running"]
    return RunProgress(
        run_id=run_id,
        name=run.name,
        status=run.status,
        probes=sum(statuses.values()),
        by_status=statuses,
        failures=failures,
        incomplete=activity.incomplete,
        answers=answers,
        sends=sends.known,
        possible_sends=sends.possible,
        input_tokens=sends.input_tokens,
        output_tokens=sends.output_tokens,
        cost=sends.cost,
        cached_tokens=sends.cached_tokens,
        costed=sends.costed,
        uncosted=sends.uncosted,
        parked=activity.parked,
        next_at=activity.next_at,
        abandoned=sum(holder.probes for holder in held if _is_gone(holder.lease_owner)),
        started_at=run.started_at,
        finished_at=run.finished_at,
        last_activity=last,
        rate=rate,
        eta_seconds=left / rate if rate and left else None,
        stop_reason=run.stop_reason,
        deserted=deserted and left > 0,
        in_batches=sum(holder.probes for holder in held if is_batch(holder.lease_owner)),
        kind=run.kind,
    )


def _counts(connection: Connection, run_id: int) -> dict[str, int]:
    rows = connection.execute(
        select(PROBE.c.status, func.count()).where(PROBE.c.run_id == run_id).group_by(PROBE.c.status)
    )
    found = {status: count for status, count in rows}
    return {status: found.get(status, 0) for status in PROBE_STATUSES}


def _failures(connection: Connection, run_id: int) -> dict[str, int]:
    kind = func.coalesce(PROBE.c.error_kind, PROBE.c.status)
    rows = connection.execute(
        select(kind, func.count())
        .where(PROBE.c.run_id == run_id, PROBE.c.status.in_(("refused", "malformed", "failed")))
        .group_by(kind)
        .order_by(func.count().desc(), kind)
    )
    return {kind: count for kind, count in rows}


def _sends(run_id: int) -> Select[int, int, Any, Any, Any, Any, int, int]:
    came_back = ATTEMPT.c.http_status.is_not(None)
    may_have_arrived = and_(
        ATTEMPT.c.http_status.is_(None), or_(ATTEMPT.c.outcome.is_(None), ATTEMPT.c.possibly_billed)
    )
    worked = ATTEMPT.c.outcome.in_(("answered", "refused", "malformed"))
    return (
        select(
            func.count().filter(came_back).label("known"),
            func.count().filter(may_have_arrived).label("possible"),
            func.sum(ATTEMPT.c.input_tokens).label("input_tokens"),
            func.sum(ATTEMPT.c.output_tokens).label("output_tokens"),
            func.sum(ATTEMPT.c.cached_tokens).label("cached_tokens"),
            func.sum(ATTEMPT.c.cost).label("cost"),
            func.count(ATTEMPT.c.cost).label("costed"),
            func.count().filter(and_(came_back, worked, ATTEMPT.c.cost.is_(None))).label("uncosted"),
        )
        .select_from(PROBE.join(ATTEMPT, ATTEMPT.c.probe_id == PROBE.c.id))
        .where(PROBE.c.run_id == run_id)
    )


def _activity(run_id: int, now: float) -> Select[Any, int, int, Any, int]:
    pending = PROBE.c.status == "pending"
    parked = and_(pending, PROBE.c.not_before > now)
    due = and_(pending, or_(PROBE.c.not_before.is_(None), PROBE.c.not_before <= now))
    incomplete = and_(PROBE.c.status == "answered", PROBE.c.error_kind.is_not(None))
    return select(
        func.max(PROBE.c.answered_at).label("last"),
        func.count().filter(incomplete).label("incomplete"),
        func.count().filter(parked).label("parked"),
        func.min(case((parked, PROBE.c.not_before))).label("next_at"),
        func.count().filter(due).label("due"),
    ).where(PROBE.c.run_id == run_id)


def _holders(run_id: int) -> Select[Any, int, Any]:
    return (
        select(
            PROBE.c.lease_owner,
            func.count().label("probes"),
            func.max(PROBE.c.lease_until).label("lease_until"),
        )
        .where(PROBE.c.run_id == run_id, RUNNING)
        .group_by(PROBE.c.lease_owner)
    )


def _is_deserted(started_at: float | None, activity: Row[Any], held: Sequence[Row[Any]], now: float) -> bool:
    """Whether the processes that hold probes are gone or have let their leases run out; where none holds
    any, whether probes that are due have waited for a minute. A drain whose probes are all parked holds none.
    """
    processes = [holder for holder in held if not is_batch(holder.lease_owner)]
    if processes:
        return all(
            holder.lease_until < now or Owner.parse(holder.lease_owner).is_dead for holder in processes
        )
    quiet_since = max(started_at or 0.0, activity.last or 0.0)
    return activity.due > 0 and now - quiet_since > _RATE_SECONDS


def _is_gone(owner: str) -> bool:
    return not is_batch(owner) and Owner.parse(owner).is_dead


def _answers(run_id: int) -> Select[int]:
    return (
        select(func.count())
        .select_from(PROBE.join(ANSWER, ANSWER.c.probe_id == PROBE.c.id))
        .where(PROBE.c.run_id == run_id)
    )


def _rate(connection: Connection, run_id: int, last: float) -> float | None:
    count, first = connection.execute(
        select(func.count(), func.min(PROBE.c.answered_at)).where(
            PROBE.c.run_id == run_id, PROBE.c.answered_at > last - _RATE_SECONDS
        )
    ).one()
    return (count - 1) / (last - first) if count > 1 and last > first else None
