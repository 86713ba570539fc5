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
from jevbias.store.call_tables import CALL
from jevbias.store.connections import explained, reading, writing
from jevbias.store.leases import owners
from jevbias.store.next_commands import NextCommands
from jevbias.store.owner import Owner
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

_NEWEST_FIRST = (RUN.c.created_at.desc(), RUN.c.id.desc())
"""By when a run was made, wherever that was: one that was imported is as old as it is."""


@dataclass(frozen=True)
class RunSummary:
    """One line of the list of runs. `finished` counts probes that have ended, however they did; in a run that
    has no plan its calls so far count as its probes.
    """

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


def find_run(engine: Engine, name: str | None, kind: str | None = None) -> Run:
    """The run of this name, or the newest one that is fully planned when `name` is None; with a `kind`, the
    newest of that kind.

    Raises UsageError in one line when there is none, when its planning was cut short, or when it is of
    another `kind` than the one asked for: the line names the command that reads it.
    """
    with explained(engine), Session(engine, expire_on_commit=False) as session:
        query = select(RUN.c.id).order_by(*_NEWEST_FIRST).limit(1)
        query = query.where(RUN.c.status != "planning") if name is None else query.where(RUN.c.name == name)
        if name is None and kind is not None:
            query = query.where(RUN.c.kind == kind)
        run_id = session.connection().execute(query).scalar()
        run = None if run_id is None else session.get(Run, run_id)
        if run is None:
            raise UsageError(_not_found(session.connection(), name, kind))
        if run.status == "planning":
            raise UsageError(f"run {run.name} was never fully planned; start it again under the same name")
        if kind is not None and run.kind != kind:
            reads = NextCommands(run.name, kind=run.kind).analyse
            raise UsageError(f"run {run.name} is a {run.kind} run: {reads} reads it")
        return run


def _not_found(connection: Connection, name: str | None, kind: str | None = None) -> str:
    makes = NextCommands("", kind=kind or "bias").make
    if name is None and kind not in (None, "bias"):
        return f"the database holds no {kind} run yet; {makes} makes one"
    names = list(connection.execute(select(RUN.c.name).order_by(*_NEWEST_FIRST)).scalars())
    if name is None or not names:
        return f"the database holds no planned run yet; {makes} makes one"
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
    done = CALL.c.status == "done"
    succeeded = func.coalesce(CALL.c.http_status, 0).between(200, 299)
    calls = (
        select(
            CALL.c.run_id,
            func.count().label("probes"),
            func.count().filter(done).label("finished"),
            func.count().filter(done, succeeded).label("answered"),
            func.count().filter(done, ~succeeded).label("failed"),
        )
        .group_by(CALL.c.run_id)
        .subquery()
    )
    query = (
        select(
            *(RUN.c[column] for column in _SUMMARY_COLUMNS),
            *(func.coalesce(counts.c[column], calls.c[column], 0).label(column) for column in _COUNT_COLUMNS),
        )
        .select_from(
            RUN.outerjoin(counts, counts.c.run_id == RUN.c.id).outerjoin(calls, calls.c.run_id == RUN.c.id)
        )
        .order_by(*_NEWEST_FIRST)
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
        query = select(RUN.c.id, RUN.c.status, RUN.c.planned_by).where(RUN.c.name == name)
        found = connection.execute(query).first()
        if found is None:
            raise UsageError(_not_found(connection, name))
        at_work = owners(connection, found.id)
        if found.status == "running" and found.planned_by is not None:
            at_work.append(Owner.parse(found.planned_by))
        busy = [owner for owner in at_work if owner.is_here and not owner.is_dead]
        if busy:
            raise UsageError(f"run {name} is being drained by {busy[0].described}; stop that first")
        remove_run(connection, found.id)


def run_catalogue(run: Run) -> Catalogue:
    """The catalogue a run was planned with, from its snapshot; it has no profiles and no prices."""
    return from_snapshot(json.loads(zlib.decompress(run.catalogue)))


def names_of_people(engine: Engine, run: Run) -> frozenset[str]:
    """The full names of everyone whom a run asks about."""
    with reading(engine) as connection:
        found = connection.execute(select(PERSON.c.full_name).where(PERSON.c.run_id == run.id).distinct())
        return frozenset(found.scalars())
