"""Transactions: how a reader and a writer get a connection, and what becomes of the database's own errors."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError, IntegrityError, ProgrammingError

from jevbias.errors import DatabaseError

WRITES = "jevbias_writes"
"""The execution option that makes SQLite's transaction begin with the write lock in hand."""

_REMEDIES = {
    "database or disk is full": "no space is left on its disk; make room and start again",
    "no space left": "no space is left on its disk; make room and start again",
    "readonly database": "it is read-only; allow writing to the file and its folder",
    "database is locked": "another program holds it locked; end that program or wait",
    "unable to open database file": "it cannot be opened; is its folder still there and writable?",
    "disk i/o error": "its disk reports an error; is its folder still there?",
    "malformed": "it is damaged; restore a copy",
    "file is not a database": "it is not a SQLite database",
    "no such table": "its tables are gone; was the file replaced?",
}


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """One write transaction: committed at the end, rolled back by an exception.

    On SQLite it begins with `BEGIN IMMEDIATE`, because a transaction that reads first and wants to write
    later fails at once when another has written meanwhile. Raises DatabaseError in one line.
    """
    with explained(engine), connect_for_writing(engine) as connection, connection.begin():
        yield connection


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """One read transaction, a consistent view of the database. Raises DatabaseError in one line."""
    with explained(engine), engine.connect() as connection, connection.begin():
        yield connection


def connect_for_writing(engine: Engine) -> Connection:
    """A connection whose transactions write; the caller begins and ends them."""
    return engine.connect().execution_options(**{WRITES: True})


@contextmanager
def explained(engine: Engine) -> Iterator[None]:
    """Turn an error of the database into a DatabaseError that says which database, what happened and what
    to do. A broken constraint or a wrong statement is a bug of ours and passes through.
    """
    try:
        yield
    except (IntegrityError, ProgrammingError):
        raise
    except DBAPIError as error:
        raise DatabaseError(f"database {shown(engine)}: {remedy(error.orig)}") from error


def shown(engine: Engine) -> str:
    """The database as a user names it: a path, or an URL without its password."""
    if engine.dialect.name == "sqlite":
        return str(engine.url.database)
    return engine.url.render_as_string(hide_password=True)


def remedy(error: BaseException | None) -> str:
    """What a database's error message means for the user, in one line."""
    message = " ".join(str(error).split()) or type(error).__name__
    lowered = message.lower()
    return next((text for sign, text in _REMEDIES.items() if sign in lowered), message)
