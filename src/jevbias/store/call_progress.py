"""How far a run without a plan is: what it has asked so far, and whether anybody works on it."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, Engine, func, select

from jevbias.store.bench_runs import worker_of
from jevbias.store.call_tables import CALL
from jevbias.store.calls import count_calls
from jevbias.store.connections import reading
from jevbias.store.runs import find_run
from jevbias.store.tables import Run

KINDS = ("testbench", "collab")
"""Kinds of runs whose calls follow from one another."""


@dataclass(frozen=True)
class CallProgress:
    """One look at a run of calls. Times are seconds since the epoch, a cost is in US dollars; tokens and cost
    are None where nobody said.

    `done` calls came to an end, `failed` of them without a success; `open` ones were sent and nothing is
    known of them. `deserted`: running by its status, but the process that worked on it is gone.
    """

    run_id: int
    name: str
    kind: str
    status: str
    done: int
    failed: int
    open: int
    sends: int
    possibly_billed: int
    input_tokens: int | None
    output_tokens: int | None
    cost: float | None
    costed: int
    failures: dict[str, int]
    """HTTP status or fault: calls that ended so."""
    started_at: float | None
    finished_at: float | None
    last_activity: float | None
    stop_reason: str | None
    deserted: bool

    @property
    def at_rest(self) -> bool:
        """Whether nobody works on the run any more."""
        return self.status != "running" or self.deserted


def call_progress(engine: Engine, name: str) -> CallProgress:
    """Look at a run of calls. Raises UsageError when there is none of this name."""
    run = find_run(engine, name)
    run_id = run.id or 0
    with reading(engine) as connection:
        counts = count_calls(connection, run_id)
        took = connection.execute(
            select(
                func.sum(CALL.c.input_tokens).label("input_tokens"),
                func.sum(CALL.c.output_tokens).label("output_tokens"),
                func.sum(CALL.c.cost).label("cost"),
                func.count(CALL.c.cost).label("costed"),
                func.max(CALL.c.done_at).label("last"),
            ).where(CALL.c.run_id == run_id)
        ).one()
        return CallProgress(
            run_id=run_id,
            name=run.name,
            kind=run.kind,
            status=run.status,
            done=counts.done,
            failed=counts.failed,
            open=counts.open,
            sends=counts.sends,
            possibly_billed=counts.possibly_billed,
            input_tokens=took.input_tokens,
            output_tokens=took.output_tokens,
            cost=took.cost,
            costed=took.costed,
            failures=_failures(connection, run_id),
            started_at=run.started_at,
            finished_at=run.finished_at,
            last_activity=took.last,
            stop_reason=run.stop_reason,
            deserted=_is_deserted(connection, run),
        )


def _failures(connection: Connection, run_id: int) -> dict[str, int]:
    rows = connection.execute(
        select(CALL.c.http_status, CALL.c.fault, func.count())
        .where(CALL.c.run_id == run_id, CALL.c.status == "done")
        .where(~func.coalesce(CALL.c.http_status, 0).between(200, 299))
        .group_by(CALL.c.http_status, CALL.c.fault)
        .order_by(func.count().desc(), CALL.c.http_status, CALL.c.fault)
    )
    return {f"http_{status}" if status is not None else str(fault): count for status, fault, count in rows}


def _is_deserted(connection: Connection, run: Run) -> bool:
    worker = worker_of(connection, run)
    return run.status == "running" and (worker is None or worker.is_dead)
