"""Runs of calls instead of a plan: making one, and who works on it."""

from __future__ import annotations

import time
import zlib
from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, Engine, func, select

from jevbias import __version__
from jevbias.catalogue.canonical import canonical_hash, canonical_json
from jevbias.errors import UsageError
from jevbias.store.connections import writing
from jevbias.store.owner import Owner
from jevbias.store.planning import check_run_name, free_the_name
from jevbias.store.runs import find_run
from jevbias.store.tables import RUN, Run


def create_bench_run(
    engine: Engine,
    *,
    kind: str,
    name: str,
    driver: str,
    model: str,
    base_url: str,
    seed: int,
    settings: Mapping[str, Any],
    design: str | None = None,
) -> Run:
    """Store a new run of a kind that has no plan, and return it; it is `planned`.

    `settings` is everything its requests depend on, and no secret; its hash stands in place of a plan's.
    `design` says what the run does, in a word or two (None: its kind). Raises UsageError for a name that is
    not allowed, taken or being planned.
    """
    check_run_name(name)
    row = {
        "name": name,
        "kind": kind,
        "profile": kind,
        "design": design or kind,
        "seed": seed,
        "driver": driver,
        "model": model,
        "base_url": base_url,
        "settings": dict(settings),
        "catalogue": zlib.compress(canonical_json({})),
        "catalogue_hash": canonical_hash({}),
        "plan_hash": canonical_hash(dict(settings)),
        "margin": 0.0,
        "alpha": 0.05,
        "status": "planned",
        "created_at": time.time(),
        "jevbias_version": __version__,
    }
    with writing(engine) as connection:
        free_the_name(connection, name)
        connection.execute(RUN.insert(), row)
    return find_run(engine, name)


def begin_work(engine: Engine, run: Run) -> None:
    """Note that this process works on the run. Raises UsageError where another that may live does."""
    with writing(engine) as connection:
        worker = worker_of(connection, run)
        if worker is not None and not worker.is_dead and worker != Owner.current():
            raise UsageError(f"run {run.name} is being worked on by {worker.described}; stop that first")
        now = time.time()
        connection.execute(
            RUN.update()
            .where(RUN.c.id == run.id)
            .values(
                status="running",
                planned_by=str(Owner.current()),
                started_at=func.coalesce(RUN.c.started_at, now),
                finished_at=None,
                stop_reason=None,
            )
        )


def end_work(engine: Engine, run: Run, *, stopped: str | None = None) -> None:
    """Note that this process has done what the run was for, or why it `stopped` before, in one line."""
    finished = stopped is None
    with writing(engine) as connection:
        connection.execute(
            RUN.update()
            .where(RUN.c.id == run.id)
            .values(
                status="finished" if finished else "stopped",
                planned_by=None,
                finished_at=time.time() if finished else None,
                stop_reason=stopped,
            )
        )


def worker_of(connection: Connection, run: Run) -> Owner | None:
    """The process that began to work on a run of calls and has not ended its work; it may be gone."""
    query = select(RUN.c.planned_by).where(RUN.c.id == run.id, RUN.c.status == "running")
    worker = connection.execute(query).scalar()
    return None if worker is None else Owner.parse(worker)
