"""Noticing that a database's file is gone while it is in use: SQLite writes on into what nobody can open."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from contextlib import suppress
from dataclasses import dataclass

from sqlalchemy import Connection, Engine

from jevbias.errors import DatabaseLostError
from jevbias.store.connections import shown

_COPIES = 100


@dataclass(frozen=True)
class SameFile:
    """The file that a connection was opened on, by its device and its number there."""

    path: str
    device: int
    inode: int

    @classmethod
    def of(cls, engine: Engine) -> SameFile | None:
        """The file of a SQLite database as it is now; None for a database that is no file.

        Raises DatabaseLostError where there is none any more.
        """
        if engine.dialect.name != "sqlite":
            return None
        path = shown(engine)
        try:
            found = os.stat(path)
        except OSError:
            raise _lost(path, "is gone") from None
        return cls(path, found.st_dev, found.st_ino)

    def check(self) -> None:
        """Raises DatabaseLostError unless the path still leads to that file."""
        try:
            found = os.stat(self.path)
        except FileNotFoundError:
            raise _lost(self.path, "was deleted or moved away while it was in use") from None
        except OSError as error:
            raise _lost(self.path, f"cannot be seen any more ({error.strerror or error})") from None
        if (found.st_dev, found.st_ino) != (self.device, self.inode):
            raise _lost(self.path, "was replaced by another file while it was in use")

    @property
    def is_replaced(self) -> bool:
        """Whether the path leads to something else now, whose log a writer must leave alone."""
        return os.path.lexists(self.path)

    def rescue(self, connection: Connection) -> str | None:
        """Save a copy of what an open connection still reaches, beside where its file was or else in the
        folder for temporary files; the copy's path, None where there is no room for one, and where another
        file has taken the place and perhaps the log.
        """
        if self.is_replaced:
            return None
        name = os.path.basename(self.path)
        for folder in (os.path.dirname(self.path), tempfile.gettempdir()):
            for number in range(1, _COPIES):
                copy = os.path.join(folder, f"{name}.rescued" + (f"-{number}" if number > 1 else ""))
                if os.path.lexists(copy) or not os.path.isdir(folder or "."):
                    continue
                try:
                    bare = connection.connection.driver_connection
                    assert isinstance(bare, sqlite3.Connection)  # noqa: S101 - only SQLite has a file
                    bare.execute("VACUUM INTO CAST(? AS TEXT)", (os.fsencode(copy),))
                except sqlite3.Error:
                    with suppress(OSError):
                        os.unlink(copy)
                    break
                return copy
        return None


def saved_elsewhere(error: DatabaseLostError, copy: str) -> DatabaseLostError:
    """The same loss, for a database of which a copy was saved. Each of several processes saves one at its
    end, and the last holds what all of them stored.
    """
    what, _, _ = str(error).partition("; ")
    return DatabaseLostError(
        f"{what}; what it held until now is saved in {copy}: go on with --db {copy} (of several processes' "
        "copies with the one of the highest number)"
    )


def _lost(path: str, what: str) -> DatabaseLostError:
    return DatabaseLostError(f"database {path}: it {what}; put the file back and resume")
