"""Opening the database: a SQLite file by its path, or PostgreSQL by its URL."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from functools import partial

from sqlalchemy import URL, Connection, Engine, NullPool, create_engine, event, make_url
from sqlalchemy.engine.interfaces import DBAPIConnection, DBAPICursor
from sqlalchemy.exc import ArgumentError
from sqlalchemy.pool import ConnectionPoolEntry
from tenacity import Retrying, retry_if_exception, stop_after_delay, wait_random

from jevbias.errors import DatabaseError
from jevbias.store.connections import WRITES
from jevbias.store.migrations import LATEST, migrate
from jevbias.store.postgresql import inspect_postgresql, postgresql_engine
from jevbias.store.sqlite_file import SqliteFile

BUSY_SECONDS = 60
"""How long a writer waits for another process's transaction; they take milliseconds."""

_PRAGMAS = {
    "busy_timeout": BUSY_SECONDS * 1000,
    "journal_mode": "wal",
    "synchronous": 2,
    "foreign_keys": 1,
}
"""What every connection to SQLite sets, and what reading it back must say (synchronous 2 is FULL)."""


def open_store(db: str, *, create: bool = True) -> Engine:
    """Open a database, bring its schema up to date and return the engine.

    `db` is the path of a SQLite file or a `postgresql://` URL. With `create` a missing file is made, without
    it is an error. Raises DatabaseError in one line for anything else (a folder, another program's file, a
    schema from the future, no permission), and then nothing is created or changed.
    """
    url = database_url(db)
    if url.get_backend_name() == "sqlite":
        return _open_sqlite(url, create=create)
    return _open_postgresql(url, create=create)


def open_store_to_read(db: str) -> Engine:
    """Open a database that only has to be read, and return the engine.

    Where it can be written it is opened, and brought up to date, as by `open_store`. Where it cannot (its
    mode, its folder, its file system) it is read as it is, and nothing is left beside it. Raises
    DatabaseError in one line as `open_store` does, and for an older schema that cannot be brought up to date.
    """
    url = database_url(db)
    if url.get_backend_name() == "sqlite":
        file = SqliteFile.at(url.database)
        if os.path.isfile(file.path) and not file.is_writable:
            return _open_sqlite_to_read(file)
    return open_store(db, create=False)


def database_url(db: str) -> URL:
    """What `--db` names: a SQLite file by its path, or a PostgreSQL database.

    Raises DatabaseError for another kind of URL and for an empty path.
    """
    if not db.strip():
        raise DatabaseError("database: the path is empty; give a file, such as jevbias.db")
    if "://" not in db:
        return URL.create("sqlite", database=db)
    try:
        url = make_url(db)
    except (ArgumentError, ValueError):
        raise DatabaseError("database: not a URL of the form postgresql://user@host:port/name") from None
    backend = url.get_backend_name()
    if backend in ("postgres", "postgresql"):
        return url.set(drivername="postgresql")
    if backend == "sqlite" and not url.query:
        return url
    raise DatabaseError(f"database: {backend} URLs are not supported; give a path, or a postgresql:// URL")


def _open_sqlite(url: URL, *, create: bool) -> Engine:
    file = SqliteFile.at(url.database)
    version = file.inspect(create=create)
    if version < LATEST:
        migrate(_sqlite_engine(file, partial(file.connect, create=version == 0), _set_pragmas))
    return _sqlite_engine(file, file.connect, _set_pragmas)


def _open_sqlite_to_read(file: SqliteFile) -> Engine:
    version = file.inspect(create=False, to_read=True)
    if version < LATEST:
        raise DatabaseError(
            f"database {file.path}: was written by an older jevbias (schema {version}, this one reads "
            f"{LATEST}) and is read-only here; copy it to where it can be written"
        )
    return _sqlite_engine(file, file.connect_to_read, _leave_transactions_to_us)


def _sqlite_engine(
    file: SqliteFile,
    connect: Callable[[], sqlite3.Connection],
    prepare: Callable[[DBAPIConnection, ConnectionPoolEntry], None],
) -> Engine:
    url = URL.create("sqlite", database=str(file.path))
    engine = create_engine(url, poolclass=NullPool, creator=connect)
    event.listen(engine, "connect", prepare)
    event.listen(engine, "begin", _begin)
    return engine


def _leave_transactions_to_us(connection: DBAPIConnection, _record: ConnectionPoolEntry) -> None:
    # SQLAlchemy's way of taking transactions over from sqlite3: no implicit BEGIN of the driver's own.
    connection.isolation_level = None


def _set_pragmas(connection: DBAPIConnection, record: ConnectionPoolEntry) -> None:
    _leave_transactions_to_us(connection, record)
    cursor = connection.cursor()
    try:
        for name, value in _PRAGMAS.items():
            if _pragma(cursor, name) != value:
                _patiently(cursor.execute, f"PRAGMA {name}={value}")
                if (found := _pragma(cursor, name)) != value:
                    raise DatabaseError(
                        f"database: SQLite refused PRAGMA {name}={value} and answered {found}"
                    )
    finally:
        cursor.close()


def _pragma(cursor: DBAPICursor, name: str) -> object:
    cursor.execute(f"PRAGMA {name}")
    row = cursor.fetchone()
    return None if row is None else row[0]


# Two processes that switch a new file to WAL at once do not wait for each other, whatever the busy timeout.
_patiently = Retrying(
    retry=retry_if_exception(lambda error: "locked" in str(error)),
    stop=stop_after_delay(BUSY_SECONDS),
    wait=wait_random(0.005, 0.05),
    reraise=True,
)


def _begin(connection: Connection) -> None:
    writes = connection.get_execution_options().get(WRITES, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _open_postgresql(url: URL, *, create: bool) -> Engine:
    engine = postgresql_engine(url)
    if inspect_postgresql(engine, create=create) < LATEST:
        migrate(engine)
    return engine
