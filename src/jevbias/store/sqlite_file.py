"""A first look at a SQLite file that changes nothing: is it ours, and can it be used?"""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from jevbias.errors import DatabaseError
from jevbias.store.connections import remedy
from jevbias.store.migrations import LATEST, LEDGER, from_the_future

_MAGIC = b"SQLite format 3\x00"
_TABLE_NAMES = "SELECT name FROM sqlite_master WHERE type = 'table'"
_NEWEST = f"SELECT MAX(number) FROM {LEDGER}"  # noqa: S608
_OLDEST = (3, 35, 0)
"""The first SQLite whose UPDATE returns rows."""


@dataclass(frozen=True)
class SqliteFile:
    """The path of a database file that may or may not exist."""

    path: Path

    @classmethod
    def at(cls, database: str | None) -> SqliteFile:
        """The file of this name; a database in memory is refused, because processes share this one."""
        if sqlite3.sqlite_version_info < _OLDEST:
            raise DatabaseError(f"database: SQLite {sqlite3.sqlite_version} is too old, 3.35 is needed")
        if database is None or database == ":memory:" or "\x00" in database:
            raise DatabaseError("database: give the path of a file, such as jevbias.db")
        return cls(Path(database).expanduser())

    @property
    def is_writable(self) -> bool:
        """Whether the file and its folder may be written; SQLite needs both."""
        return os.access(self.path, os.W_OK) and os.access(self.path.parent, os.W_OK | os.X_OK)

    def connect_to_read(self) -> sqlite3.Connection:
        """A connection that changes nothing and leaves no file behind.

        Even a read-only connection makes the files of a write-ahead log, unless it is told that nobody
        writes; that may be said only where no such log waits to be merged. Raises sqlite3.Error.
        """
        log = self.path.with_name(self.path.name + "-wal")
        return sqlite3.connect(self._uri("ro" if log.exists() else "ro&immutable=1"), uri=True, timeout=60)

    def connect(self, *, create: bool = False) -> sqlite3.Connection:
        """A connection that reads and writes. Unless told to `create`, it makes no file where there is none:
        one that was just taken away would come back empty, and SQLite would then delete the log of the old
        one, with all that only the log holds. Raises sqlite3.Error.
        """
        return sqlite3.connect(self._uri("rwc" if create else "rw"), uri=True, check_same_thread=False)

    def _uri(self, mode: str) -> str:
        root = "//" if self.path.is_absolute() else ""
        return f"file:{root}{quote(os.fsencode(self.path))}?mode={mode}"

    def inspect(self, *, create: bool, to_read: bool = False) -> int:
        """The schema version found, 0 for a file that is missing or empty. It need not be writable `to_read`.

        Raises DatabaseError in one line for what cannot be used; the file and its folder stay as they are.
        """
        try:
            if self.path.is_dir():
                raise self._error("is a folder, not a database file")
            if not self.path.exists():
                return self._missing(create=create)
            if not self.path.is_file():
                raise self._error("is not a regular file")
            if not os.access(self.path, os.R_OK):
                raise self._error("cannot be read: permission denied")
            empty = self.path.stat().st_size == 0
            if not empty and not self._has_magic():
                raise self._error("is not a SQLite database")
            if not to_read:
                self._need_writable()
        except OSError as error:
            raise self._error(f"cannot be used: {error.strerror or error}") from None
        if empty:
            return self._missing(create=create)
        return self._version(create=create)

    def _missing(self, *, create: bool) -> int:
        folder = self.path.parent
        if not create:
            raise self._error("does not exist yet; `jevbias run` creates it, --db names another")
        if not folder.is_dir():
            raise self._error(f"cannot be created: there is no folder {folder}")
        if not os.access(folder, os.W_OK | os.X_OK):
            raise self._error(f"cannot be created: the folder {folder} is read-only")
        return 0

    def _has_magic(self) -> bool:
        with self.path.open("rb") as file:
            return file.read(len(_MAGIC)) == _MAGIC

    def _need_writable(self) -> None:
        if not os.access(self.path, os.W_OK):
            raise self._error("is read-only; allow writing to it, or copy it to where it can be written")
        if not os.access(self.path.parent, os.W_OK | os.X_OK):
            raise self._error(f"cannot be used: the folder {self.path.parent} is read-only")

    def _version(self, *, create: bool) -> int:
        try:
            tables, newest = self._look()
        except sqlite3.Error as error:
            raise self._error(remedy(error)) from None
        if LEDGER not in tables:
            if tables:
                raise self._error("is the database of another program; --db names another file")
            return self._missing(create=create)
        if newest > LATEST:
            raise self._error(from_the_future(newest))
        return newest

    def _look(self) -> tuple[set[str], int]:
        """The tables, and the version where there is one."""
        with closing(self.connect_to_read()) as look:
            tables = {row[0] for row in look.execute(_TABLE_NAMES)}
            newest = look.execute(_NEWEST).fetchone()[0] if LEDGER in tables else 0
            return tables, int(newest or 0)

    def _error(self, message: str) -> DatabaseError:
        return DatabaseError(f"database {self.path}: {message}")
