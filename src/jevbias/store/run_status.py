"""The status of a run as a whole: planned, running, stopped, finished."""

from __future__ import annotations

from sqlalchemy import Connection, exists, func, or_, select

from jevbias.store.owner import BATCH
from jevbias.store.tables import PENDING, PROBE, RUN, RUNNING

DESERTED = "its process is gone"

_LEFT = select(PROBE.c.id).where(or_(PENDING, RUNNING))


def mark_running(connection: Connection, run_id: int, now: float) -> None:
    """A process begins to work on the run."""
    connection.execute(
        RUN.update()
        .where(RUN.c.id == run_id)
        .values(
            status="running",
            started_at=func.coalesce(RUN.c.started_at, now),
            finished_at=None,
            stop_reason=None,
        )
    )


def mark_ended(
    connection: Connection, run_id: int, now: float, owner: str, reason: str | None = None
) -> None:
    """A process ends its work, for this `reason` if before the run's end. The run is finished when no probe
    is left, and stopped when some are and no other process is at work on them: what batches hold waits.
    """
    left = exists(_LEFT.where(PROBE.c.run_id == run_id))
    others = exists(
        select(PROBE.c.id).where(
            PROBE.c.run_id == run_id,
            RUNNING,
            PROBE.c.lease_owner != owner,
            ~PROBE.c.lease_owner.startswith(BATCH),
        )
    )
    this = RUN.c.id == run_id
    connection.execute(
        RUN.update()
        .where(this, RUN.c.status != "finished", ~left)
        .values(status="finished", finished_at=now, stop_reason=None)
    )
    connection.execute(
        RUN.update()
        .where(this, RUN.c.status == "running", left, ~others)
        .values(status="stopped", stop_reason=reason)
    )


def mark_deserted(connection: Connection, run_id: int, now: float) -> None:
    """Probes of processes that are gone are back in the queue: a run still called running has stopped where
    nobody holds a probe although some are due, and is finished where none is left.
    """
    running = select(RUN.c.id).where(RUN.c.id == run_id, RUN.c.status == "running")
    waiting = _LEFT.where(PROBE.c.run_id == run_id)
    due = waiting.where(or_(PROBE.c.not_before.is_(None), PROBE.c.not_before <= now))
    if connection.execute(running.where(or_(exists(due), ~exists(waiting)))).first() is not None:
        mark_ended(connection, run_id, now, owner="", reason=DESERTED)
