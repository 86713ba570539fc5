"""A look at the database that leaves everything as it is: where it is, in what state, with how much room."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import URL

from jevbias.errors import DatabaseError
from jevbias.store.connections import shown
from jevbias.store.engine import database_url
from jevbias.store.postgresql import inspect_postgresql, postgresql_engine
from jevbias.store.sqlite_file import SqliteFile


@dataclass(frozen=True)
class DatabaseLook:
    """What is there. `name` is a path, or a URL without its password; `exists` says whether there is anything
    yet; `version` is the schema's number, 0 before the first run. Sizes are in bytes, None where nobody can
    tell.
    """

    name: str
    exists: bool
    version: int
    journal_mode: str | None = None
    size: int | None = None
    free: int | None = None


def look_at_store(db: str) -> DatabaseLook:
    """Look at a database without making, changing or upgrading it.

    Raises DatabaseError in one line for one that a run could not use, as `open_store` does.
    """
    url = database_url(db)
    return _look_at_sqlite(url) if url.get_backend_name() == "sqlite" else _look_at_postgresql(url)


def _look_at_sqlite(url: URL) -> DatabaseLook:
    file = SqliteFile.at(url.database)
    version = file.inspect(create=True)
    exists = file.path.exists()
    size = 0
    for ending in ("", "-wal"):
        part = file.path.with_name(file.path.name + ending)
        size += part.stat().st_size if part.exists() else 0
    return DatabaseLook(
        name=_absolute(file.path),
        exists=exists,
        version=version,
        journal_mode=_journal_mode(file.path) if version else None,
        size=size if exists else None,
        free=_free(file.path.parent),
    )


def _absolute(path: Path) -> str:
    try:
        return os.path.abspath(path)
    except FileNotFoundError:
        raise DatabaseError(f"database {path}: the current folder is gone; change into another") from None


def _journal_mode(path: Path) -> str:
    """The mode that the file's header names (SQLite's file format, 1.3.4): asking leaves files beside it."""
    with path.open("rb") as file:
        return "WAL" if file.read(20)[18:] == b"\x02\x02" else "rollback"


def _free(folder: Path) -> int | None:
    try:
        return shutil.disk_usage(folder).free
    except OSError:
        return None


def _look_at_postgresql(url: URL) -> DatabaseLook:
    engine = postgresql_engine(url)
    version = inspect_postgresql(engine, create=True)
    return DatabaseLook(shown(engine), exists=version > 0, version=version)
