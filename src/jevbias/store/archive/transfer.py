"""Runs out of a database and into one: exported as they are, imported whole or not at all."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from sqlalchemy import Connection, Engine, select
from sqlalchemy.exc import IntegrityError

from jevbias.errors import ArchiveError, UsageError
from jevbias.store.archive.line_store import LineStore, run_row
from jevbias.store.archive.packed_file import pack_lines
from jevbias.store.archive.records import Counts, EndLine, Line, RunLine
from jevbias.store.archive.run_check import RunCheck
from jevbias.store.archive.run_lines import check_at_rest, run_lines
from jevbias.store.archive.snapshots import CATALOGUES, SnapshotReaders
from jevbias.store.archive.verify import Verified, verified_lines
from jevbias.store.collector import collector_paused
from jevbias.store.connections import connect_for_writing, explained, reading
from jevbias.store.owner import Owner
from jevbias.store.planning import check_run_name, free_the_name, remove_run
from jevbias.store.tables import RUN, Run


@dataclass(frozen=True)
class Imported:
    """What an import came to. `is_new` is False where the database held the same run already."""

    name: str
    kind: str
    counts: Counts
    is_new: bool


def check_exportable(engine: Engine, run: Run) -> None:
    """Raises UsageError for a run that is being planned or worked on, before anything is written."""
    with reading(engine) as connection:
        check_at_rest(connection, _id(run), {"name": run.name, "status": run.status})


@collector_paused()
def export_run(engine: Engine, run: Run, file: IO[bytes], readers: SnapshotReaders = CATALOGUES) -> Counts:
    """Write a run's archive: the same run gives the same bytes, whatever database holds it.

    Raises UsageError for a run that is being planned or worked on, and DatabaseError for one that is not what
    its hashes name.
    """
    check = RunCheck(readers)
    with reading(engine) as connection:
        pack_lines(run_lines(connection, _id(run), check), file)
    return check.end_line.counts


@collector_paused()
def import_archive(
    engine: Engine,
    path: Path,
    verified: Verified,
    *,
    name: str | None = None,
    readers: SnapshotReaders = CATALOGUES,
) -> Imported:
    """Store the run of a verified archive, under another `name` where one is given.

    Until all is stored, and read back as the archive has it, nobody sees the run; where that fails nothing
    stays behind. An archive whose run is there already changes nothing. Raises UsageError where another run
    has the name, and ArchiveError where the file is no longer what was verified.
    """
    name = check_run_name(name or verified.run.name)
    stated = {"name": verified.run.name}
    lines = verified_lines(path)
    with explained(engine), connect_for_writing(engine) as connection:
        first = next(lines, None)
        if not isinstance(first, RunLine):
            raise _changed(path)
        with connection.begin():
            found = connection.execute(
                select(RUN.c.id).where(RUN.c.name == name, RUN.c.status != "planning")
            ).scalar()
            run_id = _begin(connection, first, name) if found is None else found
        if found is not None:
            if _sha256(engine, found, stated, readers) != verified.sha256:
                raise UsageError(
                    f"run {name} exists and is not the one in {path}; to have both, "
                    f"`jevbias import {shlex.quote(str(path))} --name OTHER`"
                )
            return Imported(name, verified.run.kind, verified.counts, is_new=False)
        try:
            _store(connection, run_id, lines, path)
            stated = {**stated, "status": verified.run.status}
            if _sha256(engine, run_id, stated, readers) != verified.sha256:
                raise _changed(path)
            _publish(connection, run_id, verified)
        except BaseException:
            with connection.begin():
                remove_run(connection, run_id)
            raise
    return Imported(name, verified.run.kind, verified.counts, is_new=True)


def _begin(connection: Connection, first: RunLine, name: str) -> int:
    """The run's row as that of a run being planned, which readers leave alone."""
    free_the_name(connection, name)
    row = {**run_row(first), "name": name, "status": "planning", "planned_by": str(Owner.current())}
    return int(connection.execute(RUN.insert().returning(RUN.c.id), row).scalar_one())


def _store(connection: Connection, run_id: int, lines: Iterator[Line], path: Path) -> None:
    try:
        LineStore(connection, run_id).store(line for line in lines if not isinstance(line, EndLine))
    except IntegrityError:
        raise ArchiveError("holds a person, an ask or a probe twice", path=path) from None


def _sha256(engine: Engine, run_id: int, stated: Mapping[str, str], readers: SnapshotReaders) -> str | None:
    """What the archive of a stored run would say of itself, if the run's row said what is `stated`; None for
    one that is worked on.
    """
    check = RunCheck(readers)
    try:
        with reading(engine) as connection:
            for _ in run_lines(connection, run_id, check, stated=stated):
                pass
    except UsageError:
        return None
    return check.end_line.sha256


def _publish(connection: Connection, run_id: int, verified: Verified) -> None:
    with connection.begin():
        values = {"status": verified.run.status, "planned_by": None}
        changed = connection.execute(RUN.update().where(RUN.c.id == run_id).values(values))
        if changed.rowcount != 1:
            raise UsageError("the run was deleted while it was imported")


def _changed(path: Path) -> ArchiveError:
    return ArchiveError("was changed while it was imported", path=path)


def _id(run: Run) -> int:
    if run.id is None:
        raise AssertionError("the run is not stored")
    return run.id
