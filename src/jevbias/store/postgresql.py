"""A PostgreSQL database: how it is connected to, and a first look that changes nothing."""

from __future__ import annotations

from sqlalchemy import URL, Connection, Engine, NullPool, create_engine, inspect
from sqlalchemy.exc import DBAPIError

from jevbias.errors import DatabaseError
from jevbias.store.connections import remedy, shown
from jevbias.store.migrations import LATEST, LEDGER, from_the_future, schema_version
from jevbias.store.tables import TABLES

_DRIVER = "postgresql+psycopg"
_CONNECTION: dict[str, object] = {
    "application_name": "jevbias",
    "connect_timeout": 10,
    # Of a server that vanished without a word the operating system would tell after a quarter of an hour.
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 60_000,
}
"""What the URL's own options may change: seconds, and in the last one milliseconds."""


def postgresql_engine(url: URL) -> Engine:
    """An engine, not connected yet. Raises DatabaseError where the extra is not installed, or where the URL
    is ambiguous: a stray `@` would make part of a password the host.
    """
    if "@" in (url.host or ""):
        raise DatabaseError("database: in the URL's user and password, '@' has to be written as %40")
    options = {name: value for name, value in _CONNECTION.items() if name not in url.query}
    try:
        return create_engine(url.set(drivername=_DRIVER), poolclass=NullPool, connect_args=options)
    except ModuleNotFoundError:
        raise DatabaseError("database: PostgreSQL needs the extra: pip install 'jevbias[postgres]'") from None


def inspect_postgresql(engine: Engine, *, create: bool) -> int:
    """The schema version found, 0 for an empty database, which without `create` is an error.

    Raises DatabaseError in one line for one that cannot be reached or used.
    """
    try:
        with engine.connect() as connection:
            return _version(connection, create=create)
    except DBAPIError as error:
        raise DatabaseError(f"database {shown(engine)}: {remedy(error.orig)}") from None


def _version(connection: Connection, *, create: bool) -> int:
    where = f"database {shown(connection.engine)}"
    present = set(inspect(connection).get_table_names())
    if LEDGER in present:
        version = schema_version(connection)
        if version > LATEST:
            raise DatabaseError(f"{where}: {from_the_future(version)}")
        return version
    taken = sorted(present & {table.name for table in TABLES})
    if taken:
        raise DatabaseError(f"{where}: holds another program's table {taken[0]}; use an empty database")
    if not create:
        raise DatabaseError(f"{where}: holds no runs yet; `jevbias run` makes the first")
    return 0
