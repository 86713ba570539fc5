"""Databases as older versions left them, stored in `data/` with the script that made them."""

from __future__ import annotations

import gzip
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg

OLD_VERSION = 3
_DATA = Path(__file__).parent / "data"
_TABLES = ("run", "person", "frame", "ask", "probe", "attempt", "answer", "hypothesis", "schema_migration")

Contents = dict[str, list[dict[str, Any]]]


def restore_old(db: str) -> None:
    """Make an empty database what commit 0461ad1 left."""
    if "://" not in db:
        with closing(sqlite3.connect(db)) as connection:
            connection.executescript(_dump("sqlite"))
        return
    # Lines that begin with a backslash are for psql.
    lines = [line for line in _dump("postgresql").split("\n") if not line.startswith("\\")]
    with psycopg.connect(db, autocommit=True) as connection:
        connection.execute("\n".join(lines).encode())


def _dump(dialect: str) -> str:
    return gzip.decompress((_DATA / f"schema_{OLD_VERSION}_{dialect}.sql.gz").read_bytes()).decode()


def contents(db: str) -> Contents:
    """Every row of every table of version 3, as it is, without bringing anything up to date."""
    return {table: sorted(_rows(db, table), key=repr) for table in _TABLES}


def _rows(db: str, table: str) -> list[dict[str, Any]]:
    query = f"SELECT * FROM {table}"
    if "://" not in db:
        with closing(sqlite3.connect(db)) as connection:
            found = connection.execute(query)
            names = [column[0] for column in found.description]
            return [dict(zip(names, row, strict=True)) for row in found]
    with psycopg.connect(db) as connection:
        answer = connection.execute(query.encode())
        assert answer.description is not None
        names = [column.name for column in answer.description]
        return [dict(zip(names, row, strict=True)) for row in answer]
