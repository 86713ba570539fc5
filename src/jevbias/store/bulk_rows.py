"""Storing the rows of a new run by the million."""

from __future__ import annotations

import sqlite3
import time
from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any

from sqlalchemy import Connection, Table, func, select, text

from jevbias.errors import UsageError
from jevbias.store.tables import RUN

_CHUNK = 20_000
"""Rows a transaction writes at most: other processes wait for the write lock no longer than that takes."""
_STEP = 5_000
_LONGEST_TRANSACTION = 8.0
"""Seconds; others that share the file wait for up to 60."""
_CACHE_KIB = 64 * 1024
"""What SQLite may keep in memory while it stores a run; by default that is 2,000."""


class BulkRows:
    """Stores rows of one run whose own row is there, in transactions that each begin by looking for it: no
    row is stored for a run that was deleted meanwhile.

    Rows may refer to their run and to rows that were stored through the same object, and to nothing else.
    SQLite then need not look for each of them, which takes a third of its time; where the indexes do not fit
    in little memory, most of the rest goes into reading and writing their pages again and again, so it gets
    more. The connection must be this run's alone, and no transaction may be open.
    """

    def __init__(self, connection: Connection, run_id: int):
        self._connection, self._run_id = connection, run_id
        driver = connection.connection.driver_connection
        if isinstance(driver, sqlite3.Connection):
            driver.execute("PRAGMA foreign_keys = OFF")
            driver.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")

    def insert(self, table: Table, rows: Iterable[dict[str, Any]]) -> array[int]:
        """Insert rows in chunks and return the ids they were given. Raises UsageError for a deleted run."""
        ids = array("q")
        remaining = iter(rows)
        while chunk := list(islice(remaining, _CHUNK)):
            with self.transaction():
                given = free_ids(self._connection, table, len(chunk))
                numbered = [{"id": id_, **row} for id_, row in zip(given, chunk, strict=True)]
                self._connection.execute(table.insert(), numbered)
            ids.extend(given)
        return ids

    def insert_bare(
        self, table: Table, columns: Sequence[str], rows: Iterator[tuple[Any, ...]]
    ) -> array[int]:
        """As `insert`, for the largest tables: numbers, texts and bytes go to the driver as they are, which
        takes half the time, and few at once, which takes little room. A transaction takes as many as it can
        in a few seconds: each writes most pages of the indexes once, so few of them write less.
        """
        named = ", ".join(("id", *columns))
        mark = "?" if self._connection.dialect.paramstyle == "qmark" else "%s"
        marks = ", ".join([mark] * (len(columns) + 1))
        statement = f"INSERT INTO {table.name} ({named}) VALUES ({marks})"  # noqa: S608
        ids = array("q")
        step = list(islice(rows, _STEP))
        while step:
            with self.transaction():
                ends = time.monotonic() + _LONGEST_TRANSACTION
                while step and time.monotonic() < ends:
                    given = free_ids(self._connection, table, len(step))
                    numbered = [(id_, *row) for id_, row in zip(given, step, strict=True)]
                    self._connection.exec_driver_sql(statement, numbered)
                    ids.extend(given)
                    step = list(islice(rows, _STEP))
        return ids

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """A transaction in which nobody deletes the run. Raises UsageError where it is gone already."""
        with self._connection.begin():
            # A write transaction keeps everyone else away on SQLite; on PostgreSQL this lock does.
            held = select(RUN.c.id).where(RUN.c.id == self._run_id).with_for_update(read=True, key_share=True)
            if self._connection.execute(held).first() is None:
                raise UsageError("the run was deleted while it was planned; plan it again")
            yield


def free_ids(connection: Connection, table: Table, count: int) -> Sequence[int]:
    """Ids for rows to come. Asking for them first is several times faster than having each insert return
    its own.
    """
    if connection.dialect.name == "postgresql":
        query = text("SELECT nextval(pg_get_serial_sequence(:table, 'id')) FROM generate_series(1, :count)")
        return connection.execute(query, {"table": table.name, "count": count}).scalars().all()
    # The write transaction keeps everyone else away from the numbers that follow.
    newest = connection.execute(select(func.coalesce(func.max(table.c.id), 0))).scalar_one()
    return range(newest + 1, newest + 1 + count)
