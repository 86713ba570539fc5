"""One clock for everyone who shares a database."""

from __future__ import annotations

import time

from sqlalchemy import Connection, text


class Clock:
    """Seconds since the epoch as the database sees them.

    Processes that share a SQLite file share the machine's clock. Machines that share PostgreSQL may disagree
    about the time by more than a lease lasts, so there the server's clock counts.
    """

    def __init__(self) -> None:
        self._ahead = 0.0

    def now(self) -> float:
        """The time, in seconds since the epoch (UTC)."""
        return time.time() + self._ahead

    def synchronise(self, connection: Connection) -> None:
        """Measure how far the database's clock is ahead of this machine's."""
        if connection.dialect.name != "postgresql":
            return
        before = time.time()
        theirs = float(connection.execute(text("SELECT EXTRACT(EPOCH FROM clock_timestamp())")).scalar_one())
        self._ahead = theirs - (before + time.time()) / 2
