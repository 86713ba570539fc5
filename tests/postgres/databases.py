"""Databases for tests on a PostgreSQL server."""

from __future__ import annotations

import os

import psycopg
from psycopg import sql
from sqlalchemy import make_url

from tests.postgres.cluster import GUARDED_USER


class Databases:
    """A process's databases on a server: one for its tests, emptied again and again, and others by name."""

    def __init__(self, server_url: str, password: str | None = None):
        self._server = make_url(server_url).set(drivername="postgresql")
        self._name = f"jevbias_test_{os.getpid()}"
        self._own: str | None = None
        self.password = password
        """That of the user who needs one; None on a server that is not ours."""

    def empty(self) -> str:
        """The URL of this process's own database, with nothing in it and nobody connected to it."""
        if self._own is None:
            self._own = self.create(self._name)
        with psycopg.connect(self._own, autocommit=True) as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
            connection.execute("SET client_min_messages = warning")
            connection.execute("DROP SCHEMA IF EXISTS public CASCADE")
            connection.execute("CREATE SCHEMA public")
        return self._own

    def create(self, name: str) -> str:
        """The URL of a new and empty database of this name, in place of any that was there."""
        self.drop(name)
        self._on_server(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        return self.url(name)

    def drop(self, name: str) -> None:
        """Delete a database, if there is one of this name, whoever uses it."""
        self._on_server(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))

    def url(self, name: str) -> str:
        """The URL of the database of this name."""
        return self._server.set(database=name).render_as_string(hide_password=False)

    def guarded(self, url: str) -> str:
        """The URL of the same database for the user who needs a password."""
        changed = make_url(url).set(username=GUARDED_USER, password=self.password)
        return changed.render_as_string(hide_password=False)

    def close(self) -> None:
        """Delete this process's own database."""
        if self._own is not None:
            self.drop(self._name)

    def _on_server(self, statement: sql.Composed) -> None:
        url = self._server.render_as_string(hide_password=False)
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("SET client_min_messages = warning")
            connection.execute(statement)
