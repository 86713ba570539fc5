"""One clock for everyone who shares a database."""

from __future__ import annotations

import math
import time

from sqlalchemy import Connection, text

_JUMP = 10.0
"""Seconds by which a clock is never corrected bit by bit between two looks."""


class Clock:
    """Seconds since the epoch as the database sees them.

    Processes that share a SQLite file share the machine's clock. Machines that share PostgreSQL may disagree
    about the time by more than a lease lasts, so there the server's clock counts.
    """

    def __init__(self) -> None:
        self._ahead = 0.0
        self._passes, self._jumped_at = _passing(), -math.inf

    def now(self) -> float:
        """The time, in seconds since the epoch (UTC)."""
        return time.time() + self._ahead

    def is_steady(self, seconds: float) -> bool:
        """Whether no jump of this machine's clock has been seen within so many seconds: it was not set, and
        the machine did not sleep. Else leases have run out whose owners are at work.
        """
        passes = _passing()
        if abs(passes - self._passes) > _JUMP:
            self._passes, self._jumped_at = passes, time.monotonic()
        return time.monotonic() - self._jumped_at >= seconds

    def synchronise(self, connection: Connection) -> None:
        """Measure how far the database's clock is ahead of this machine's."""
        if connection.dialect.name != "postgresql":
            return
        before = time.time()
        theirs = float(connection.execute(text("SELECT EXTRACT(EPOCH FROM clock_timestamp())")).scalar_one())
        self._ahead = theirs - (before + time.time()) / 2


def _passing() -> float:
    """The same at every look while the clock goes as time passes."""
    return time.time() - time.monotonic()
