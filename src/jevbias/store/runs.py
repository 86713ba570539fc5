"""Runs: finding, listing and deleting them, and reading back what they were planned with."""

from __future__ import annotations

import difflib
import json
import zlib
from dataclasses import dataclass

from sqlalchemy import Connection, Engine, func, select
from sqlmodel import Session

from jevbias.catalogue.catalogue import Catalogue, from_snapshot
from jevbias.errors import UsageError
from jevbias.store.connections import explained, reading, writing
from jevbias.store.leases import owners
from jevbias.store.planning import check_run_name, create_run, remove_run
from jevbias.store.tables import FINISHED_STATUSES, PERSON, PROBE, RUN, Run

__all__ = [
    "RunSummary",
    "check_run_name",
    "create_run",
    "delete_run",
    "find_run",
    "list_runs",
    "names_of_people",
    "run_catalogue",
]


@dataclass(frozen=True)
class RunSummary:
    """One line of the list of runs. `finished` counts probes that have ended, however they did."""

    id: int
    name: str
    kind: str
    profile: str
    design: str
    driver: str
    model: str
    status: str
    created_at: float
    probes: int
    finished: int
    answered: int
    failed: int


def find_run(engine: Engine, name: str | None) -> Run:
    """The run of this name, or the newest one that is fully planned when `name` is None.

    Raises UsageError in one line when there is none, or when its planning was cut short.
    """
    with explained(engine), Session(engine, expire_on_commit=False) as session:
        query = select(RUN.c.id).order_by(RUN.c.id.desc()).limit(1)
        query = query.where(RUN.c.status != "planning") if name is None else query.where(RUN.c.name == name)
        run_id = session.connection().execute(query).scalar()
        run = None if run_id is None else session.get(Run, run_id)
        if run is None:
            raise UsageError(_not_found(session.connection(), name))
        if run.status == "planning":
            raise UsageError(f"run {run.name} was never fully planned; start it again under the same name")
        return run


def _not_found(connection: Connection, name: str | None) -> str:
    names = list(connection.execute(select(RUN.c.name).order_by(RUN.c.id.desc())).scalars())
    if name is None or not names:
        return "the database holds no planned run yet; `jevbias run` makes one"
    likely = difflib.get_close_matches(name, names, n=3) or names[:5]
    return f"there is no run {name!r}; the database holds {', '.join(likely)}" + (
        f" and {len(names) - len(likely)} more (`jevbias runs`)" if len(names) > len(likely) else ""
    )


def list_runs(engine: Engine) -> list[RunSummary]:
    """Every run of the database, newest first."""
    counts = (
        select(
            PROBE.c.run_id,
            func.count().label("probes"),
            func.count().filter(PROBE.c.status.in_(FINISHED_STATUSES)).label("finished"),
            func.count().filter(PROBE.c.status == "answered").label("answered"),
            func.count().filter(PROBE.c.status == "failed").label("failed"),
        )
        .group_by(PROBE.c.run_id)
        .subquery()
    )
    query = (
        select(
            *(RUN.c[column] for column in _SUMMARY_COLUMNS),
            *(func.coalesce(counts.c[column], 0).label(column) for column in _COUNT_COLUMNS),
        )
        .select_from(RUN.outerjoin(counts, counts.c.run_id == RUN.c.id))
        .order_by(RUN.c.id.desc())
    )
    with reading(engine) as connection:
        return [RunSummary(**row) for row in connection.execute(query).mappings()]


_SUMMARY_COLUMNS = ("id", "name", "kind", "profile", "design", "driver", "model", "status", "created_at")
_COUNT_COLUMNS = ("probes", "finished", "answered", "failed")


def delete_run(engine: Engine, name: str) -> None:
    """Delete a run with everything it holds; also one whose planning was cut short.

    Raises UsageError when there is none of this name, or when a process on this host is working on it.
    """
    with writing(engine) as connection:
        found = connection.execute(select(RUN.c.id).where(RUN.c.name == name)).scalar()
        if found is None:
            raise UsageError(_not_found(connection, name))
        busy = [owner for owner in owners(connection, found) if owner.is_here and not owner.is_dead]
        if busy:
            raise UsageError(f"run {name} is being drained by {busy[0].described}; stop that first")
        remove_run(connection, found)


def run_catalogue(run: Run) -> Catalogue:
    """The catalogue a run was planned with, from its snapshot; it has no profiles and no prices."""
    return from_snapshot(json.loads(zlib.decompress(run.catalogue)))


def names_of_people(engine: Engine, run: Run) -> frozenset[str]:
    """The full names of everyone whom a run asks about."""
    with reading(engine) as connection:
        found = connection.execute(select(PERSON.c.full_name).where(PERSON.c.run_id == run.id).distinct())
        return frozenset(found.scalars())
