"""A PostgreSQL server of our own on a loopback port, with its data in a temporary folder."""

from __future__ import annotations

import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import psycopg

USER = "tester"
"""Who may do everything without a password."""
GUARDED_USER = "guarded"
"""Who may do everything with one."""

_STARTS_WITHIN = 60.0
_STOPS_WITHIN = 30.0
_SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "max_connections": "100",
    "shared_buffers": "32MB",
    # What happens when the machine loses power is PostgreSQL's business, not what these tests are about.
    "fsync": "off",
    "full_page_writes": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "autovacuum": "off",
}


class NoPostgresError(Exception):
    """PostgreSQL is not installed here."""


def server_programs() -> Path:
    """The folder of `initdb` and `postgres`: on the PATH, else where Debian puts the newest version.

    Raises NoPostgresError.
    """
    on_path = shutil.which("postgres")
    if on_path is not None:
        return Path(os.path.realpath(on_path)).parent
    found = [path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/postgres")]
    if not found:
        raise NoPostgresError("PostgreSQL is not installed: sh scripts/system-packages.sh installs it")
    return max(found, key=lambda path: float(path.parent.name))


class Cluster:
    """A server and its data. The superuser PostgreSQL refuses to run as gives way to an account that may do
    nothing; who starts it is the only one to stop it, by its process number.
    """

    def __init__(self) -> None:
        programs = server_programs()
        self._postgres = str(programs / "postgres")
        self.port = 0
        self._server: subprocess.Popen[bytes] | None = None
        self._folder = Path(tempfile.mkdtemp(prefix="jevbias-postgres-"))
        try:
            self._data = self._folder / "data"
            self._make(programs / "initdb")
        except BaseException:
            self.remove()
            raise

    @property
    def url(self) -> str:
        """Where its first database is, for the user without a password."""
        return f"postgresql://{USER}@127.0.0.1:{self.port}/postgres"

    def start(self) -> None:
        """Start the server, on the port it had before, and return once it answers."""
        self.port = self.port or _free_port()
        command = [self._postgres, "-D", str(self._data), "-p", str(self.port)]
        log = (self._folder / "log").open("ab")
        with closing(log):
            self._server = subprocess.Popen(
                command, cwd=self._folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log, **_account()
            )
        deadline = time.monotonic() + _STARTS_WITHIN
        while True:
            try:
                psycopg.connect(self.url, connect_timeout=2).close()
            except psycopg.OperationalError:
                if self._server.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError(f"PostgreSQL does not start:\n{self.log}") from None
                time.sleep(0.05)
            else:
                return

    def set_password(self) -> str:
        """Make the user who needs a password; returns the password."""
        password = secrets.token_hex(8)
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(f"CREATE ROLE {GUARDED_USER} SUPERUSER LOGIN PASSWORD '{password}'".encode())
        return password

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """Stop the server: SIGINT ends its sessions in order, SIGQUIT as a crash would."""
        server, self._server = self._server, None
        if server is None:
            return
        with suppress(ProcessLookupError):
            server.send_signal(how)
        try:
            server.wait(_STOPS_WITHIN)
        except subprocess.TimeoutExpired:
            server.send_signal(signal.SIGQUIT)
            server.wait(_STOPS_WITHIN)

    def remove(self) -> None:
        """Stop the server and delete its data."""
        self.stop(signal.SIGQUIT)
        shutil.rmtree(self._folder, ignore_errors=True)

    @property
    def log(self) -> str:
        """What the server has said so far."""
        return (self._folder / "log").read_text(errors="replace")

    def _make(self, initdb: Path) -> None:
        account = _account()
        if account:
            shutil.chown(self._folder, account["user"], account["group"])
        options = ["--encoding=UTF8", "--locale=C", "--no-sync", "--no-instructions", "--auth=trust"]
        self._run([str(initdb), f"--pgdata={self._data}", f"--username={USER}", *options])
        settings = "".join(f"{name} = '{value}'\n" for name, value in _SETTINGS.items())
        with (self._data / "postgresql.conf").open("a") as file:
            file.write(settings)
        rules = f"host all {GUARDED_USER} 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\n"
        (self._data / "pg_hba.conf").write_text(rules)

    def _run(self, command: Sequence[str]) -> None:
        done = subprocess.run(
            command,
            cwd=self._folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            **_account(),
        )
        if done.returncode:
            raise RuntimeError(f"{command[0]} failed:\n{done.stderr.decode(errors='replace')}")


def _account() -> dict[str, Any]:
    """How a program is started as somebody who is not the superuser; nothing where nobody is."""
    if os.geteuid() != 0:
        return {}
    for name in ("postgres", "nobody"):
        with suppress(KeyError):
            user = pwd.getpwnam(name)
            return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
    raise NoPostgresError("PostgreSQL refuses to run as root, and there is neither 'postgres' nor 'nobody'")


def _free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
