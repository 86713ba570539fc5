"""Statements that write many rows in one step.

`executemany` runs a statement once for every row. On SQLite each of these runs gives up Python's lock and has
to wait for it again, which costs a busy process more than the row does.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from sqlalchemy import Column, Connection, Dialect, Table

Row = tuple[object, ...]

_LARGEST = 16
"""Rows of one step. Each number of rows is a statement of its own, of which a connection keeps a hundred."""


class _ManyRows(ABC):
    """A statement for rows that each hold a value for every one of `given`, in this order."""

    def __init__(self, table: Table, given: Sequence[str]) -> None:
        self._table, self._given = table, [table.c[name] for name in given]
        self._texts: dict[tuple[str, int], str] = {}

    def execute(self, connection: Connection, rows: Sequence[Row]) -> None:
        """Write the rows; none is fine."""
        dialect = connection.dialect
        for start in range(0, len(rows), _LARGEST):
            some = rows[start : start + _LARGEST]
            kind = dialect.name, len(some)
            if kind not in self._texts:
                self._texts[kind] = self._text(dialect, _placeholders(dialect, self._given, len(some)))
            connection.exec_driver_sql(self._texts[kind], tuple(value for row in some for value in row))

    @abstractmethod
    def _text(self, dialect: Dialect, rows: str) -> str:
        """The statement in a dialect's SQL."""


class InsertRows(_ManyRows):
    """Inserts rows; what is not given is null, or what the table says."""

    def _text(self, dialect: Dialect, rows: str) -> str:
        names = ", ".join(_names(dialect, self._given))
        return f"INSERT INTO {self._table.name} ({names}) VALUES {rows}"  # noqa: S608


class UpdateRows(_ManyRows):
    """Updates rows that the values of `keys`, which come first in each, are found by; no two may be equal.
    The columns of `emptied` become null.
    """

    def __init__(
        self, table: Table, keys: Sequence[str], columns: Sequence[str], *, emptied: Sequence[str] = ()
    ) -> None:
        super().__init__(table, [*keys, *columns])
        self._keys = [table.c[name] for name in keys]
        self._columns = [table.c[name] for name in columns]
        self._emptied = [table.c[name] for name in emptied]

    def _text(self, dialect: Dialect, rows: str) -> str:
        table = self._table.name
        found = [f"{table}.{name} = given.{name}" for name in _names(dialect, self._keys)]
        settings = [f"{name} = given.{name}" for name in _names(dialect, self._columns)]
        settings += [f"{name} = NULL" for name in _names(dialect, self._emptied)]
        return (
            f"WITH given ({', '.join(_names(dialect, self._given))}) AS (VALUES {rows}) "  # noqa: S608
            f"UPDATE {table} SET {', '.join(settings)} FROM given WHERE {' AND '.join(found)}"
        )


def _placeholders(dialect: Dialect, columns: Sequence[Column[object]], rows: int) -> str:
    """PostgreSQL has to be told the types: a list of values has none."""
    if dialect.name == "postgresql":
        row = ", ".join(f"%s::{column.type.compile(dialect)}" for column in columns)
    else:
        row = ", ".join("?" for _ in columns)
    return ", ".join([f"({row})"] * rows)


def _names(dialect: Dialect, columns: Sequence[Column[object]]) -> list[str]:
    return [dialect.identifier_preparer.format_column(column) for column in columns]
