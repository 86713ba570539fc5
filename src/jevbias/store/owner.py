"""Who holds a lease: a process, named so that another process on the same host can tell whether it lives."""

from __future__ import annotations

import os
import socket
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_UNTOLD = "unknown"
"""When a process started, where the system does not tell."""
BATCH = "batch:"
"""What a lease's owner begins with where no process holds the probe but a batch at the provider."""


def batch_owner(batch_id: int) -> str:
    """The owner of the probes that a batch holds. Such leases never run out and die with no process."""
    return f"{BATCH}{batch_id}"


def is_batch(owner: str) -> bool:
    """Whether a lease's owner is a batch."""
    return owner.startswith(BATCH)


@dataclass(frozen=True)
class Owner:
    """A process: its host, its number there and when it started.

    A process number alone would be taken over by an unrelated process sooner or later; with its start it is
    never used twice. `str()` and `parse` are how a lease stores it.
    """

    host: str
    pid: int
    started: str

    def __str__(self) -> str:
        return f"{self.host}/{self.pid}/{self.started}"

    @property
    def described(self) -> str:
        """The owner as a message names it."""
        return f"process {self.pid} on {self.host.partition('@')[0]}"

    @classmethod
    def parse(cls, text: str) -> Owner:
        """The owner a lease names."""
        host, pid, started = text.rsplit("/", 2)
        return cls(host, int(pid), started)

    @classmethod
    def current(cls) -> Owner:
        """This process."""
        return cls.of(os.getpid())

    @classmethod
    def of(cls, pid: int) -> Owner:
        """The process of this number on this host."""
        return cls(_this_host(), pid, _process_start(pid) or "gone")

    @property
    def is_here(self) -> bool:
        """Whether this host could see the process, if it lives."""
        return self.host == _this_host()

    @property
    def is_dead(self) -> bool:
        """Whether the process is known to be gone; nothing is known of other hosts."""
        return self.is_here and _process_start(self.pid) != self.started

    @property
    def is_alive(self) -> bool:
        """Whether the process is known to live; nothing is known where the system does not tell starts."""
        return self.is_here and _process_start(self.pid) == self.started != _UNTOLD


@cache
def _this_host() -> str:
    # Two containers may share a host name and a database, and still not see each other's processes.
    try:
        namespace = os.readlink("/proc/self/ns/pid").strip("pid:[]")
    except OSError:
        return socket.gethostname()
    return f"{socket.gethostname()}@{namespace}"


def _process_start(pid: int) -> str | None:
    """When the process started, in a form that never changes while it lives; None when there is none."""
    if Path("/proc/self/stat").exists():
        try:
            stat = Path(f"/proc/{pid}/stat").read_text()
        except OSError:
            return None
        # The command may hold spaces and brackets; after it come the state, 18 other fields and the start.
        state, *fields = stat.rpartition(")")[2].split()
        return None if state in "ZX" else fields[18]
    if os.name != "posix":
        return _UNTOLD
    shown = subprocess.run(  # noqa: S603
        ["ps", "-o", "lstart=", "-p", str(pid)],  # noqa: S607
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "LC_ALL": "C"},
    )
    return "-".join(shown.stdout.split()).replace("/", "-") or None
