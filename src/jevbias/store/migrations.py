"""The schema's history: an append-only list of small named functions, each run and recorded in one
transaction. The schema's version is the number of the newest one that a database has seen.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from sqlalchemy import Connection, Engine, text

from jevbias.store.connections import connect_for_writing, explained
from jevbias.store.first_schema import first_schema
from jevbias.store.schema_changes import (
    add_batches,
    add_calls,
    add_episodes,
    add_hypotheses,
    add_stop_reason,
)

MIGRATIONS: tuple[Callable[[Connection], None], ...] = (
    first_schema,
    add_hypotheses,
    add_stop_reason,
    add_batches,
    add_calls,
    add_episodes,
)
"""Only ever appended to: what a released version ran must stay what it was."""

LATEST = len(MIGRATIONS)
LEDGER = "schema_migration"
"""The table that records what was run: number, name and time."""

_ADVISORY_LOCK = 0x6A657662
"""Any constant will do, as long as every process takes the same one ("jevb")."""


def migrate(engine: Engine) -> None:
    """Bring the database to the latest schema.

    Safe when several processes open a new database at once: each step looks at the version inside its own
    write transaction, so every step runs once. Raises DatabaseError when the database cannot be written.
    """
    done = False
    with explained(engine), connect_for_writing(engine) as connection:
        while not done:
            with connection.begin():
                if connection.dialect.name == "postgresql":
                    connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _ADVISORY_LOCK})
                done = _one_step(connection)


def _one_step(connection: Connection) -> bool:
    connection.execute(
        text(
            f"CREATE TABLE IF NOT EXISTS {LEDGER} "
            "(number INTEGER NOT NULL PRIMARY KEY, name VARCHAR NOT NULL, applied_at FLOAT NOT NULL)"
        )
    )
    version = schema_version(connection)
    if version >= LATEST:
        return True
    step = MIGRATIONS[version]
    step(connection)
    connection.execute(
        text(f"INSERT INTO {LEDGER} (number, name, applied_at) VALUES (:number, :name, :applied_at)"),  # noqa: S608
        {"number": version + 1, "name": step.__name__, "applied_at": time.time()},
    )
    return version + 1 >= LATEST


def schema_version(connection: Connection) -> int:
    """The number of the newest migration the database has seen; its ledger must exist."""
    newest = connection.execute(text(f"SELECT MAX(number) FROM {LEDGER}")).scalar()  # noqa: S608
    return int(newest or 0)


def from_the_future(version: int) -> str:
    """What to say of a database whose version is above `LATEST`."""
    return f"was written by a newer jevbias (schema {version}, this one reads {LATEST}); upgrade jevbias"
