"""Noticing that a database's file is gone while it is in use: SQLite writes on into what nobody can open."""

from __future__ import annotations

import os
from dataclasses import dataclass

from sqlalchemy import Engine

from jevbias.errors import DatabaseLostError
from jevbias.store.connections import shown


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


def _lost(path: str, what: str) -> DatabaseLostError:
    return DatabaseLostError(
        f"database {path}: it {what}; answers that came since are not in it: put the file back and resume"
    )
