"""Transactions: how a reader and a writer get a connection, and what becomes of the database's own errors."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError, IntegrityError, ProgrammingError

from jevbias.errors import DatabaseError, DatabaseLostError

WRITES = "jevbias_writes"
"""The execution option that makes SQLite's transaction begin with the write lock in hand."""

_REMEDIES = {
    "database or disk is full": "no space is left on its disk; make room and start again",
    "no space left": "no space is left on its disk; make room and start again",
    "readonly database": "it is read-only; allow writing to the file and its folder",
    "database is locked": "another program holds it locked; end that program or wait",
    "unable to open database file": "it cannot be opened; is it still there, and its folder writable?",
    "disk i/o error": "its disk reports an error; is its folder still there?",
    "malformed": "it is damaged; restore a copy",
    "file is not a database": "it is not a SQLite database",
    "no such table": "its tables are gone; was the file replaced?",
    "password authentication failed": "the server does not accept this user with this password",
    "no password supplied": "the server asks for a password: postgresql://user:password@host/name",
    "connection refused": "no server answers there; is it running?",
    "failed to resolve host": "the name of its host is not known here",
    "timeout expired": "its server does not answer",
    "starting up": "its server is just starting; try again in a moment",
    "shutting down": "its server is shutting down; start again once it is back",
    "terminating connection": "its server ended the connection; start again once it is back",
    "server closed the connection": "its server ended the connection; start again once it is back",
    "connection slots": "its server has no connection left; end other programs or raise max_connections",
    "too many clients": "its server has no connection left; end other programs or raise max_connections",
    "read-only transaction": "it only takes reads; name a server and a user that may write",
}

_NO_DATABASE = re.compile(r'database "(.+)" does not exist')
_DENIED = {
    "42501": "its user lacks a right ({}); grant it",
    "42P01": "its tables are gone; was it emptied?",
    "3F000": "its user has no schema to work in ({})",
}
"""PostgreSQL's codes of statements that are right and yet cannot be run."""


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
    # PostgreSQL would show each statement what others have committed since the one before.
    one_view = {} if engine.dialect.name == "sqlite" else {"isolation_level": "REPEATABLE READ"}
    with explained(engine), engine.connect() as bare:
        connection = bare.execution_options(**one_view)
        with connection.begin():
            yield connection


def connect_for_writing(engine: Engine) -> Connection:
    """A connection whose transactions write; the caller begins and ends them."""
    return engine.connect().execution_options(**{WRITES: True})


@contextmanager
def explained(engine: Engine) -> Iterator[None]:
    """Turn an error of the database into a DatabaseError that says which database, what happened and what
    to do; into a DatabaseLostError where the connection broke. A broken constraint or a wrong statement is a
    bug of ours and passes through.
    """
    try:
        yield
    except DBAPIError as error:
        if isinstance(error, IntegrityError | ProgrammingError) and _state(error.orig) not in _DENIED:
            raise
        kind = DatabaseLostError if error.connection_invalidated else DatabaseError
        raise kind(f"database {shown(engine)}: {remedy(error.orig)}") from error


def shown(engine: Engine) -> str:
    """The database as a user names it: a path, or a URL without its password and options."""
    if engine.dialect.name == "sqlite":
        return str(engine.url.database)
    # Options may hold a password too.
    return engine.url.set(drivername="postgresql", query={}).render_as_string(hide_password=True)


def remedy(error: BaseException | None) -> str:
    """What a database's error message means for the user, in one line."""
    message = " ".join(str(error).split()) or type(error).__name__
    denied = _DENIED.get(_state(error))
    if denied is not None:
        return denied.format(message.partition(" LINE ")[0])
    missing = _NO_DATABASE.search(message)
    if missing is not None:
        return f"the server has no database of this name; create it: createdb {missing[1]}"
    lowered = message.lower()
    return next((text for sign, text in _REMEDIES.items() if sign in lowered), message)


def _state(error: BaseException | None) -> str:
    """PostgreSQL's code of an error; empty for one of another kind."""
    return getattr(error, "sqlstate", None) or ""
