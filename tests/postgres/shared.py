"""One PostgreSQL server for a session of tests, shared by its processes and gone when the last of them is.

The first process that asks starts a keeper, which starts the server. Every process that uses it holds a lock
in shared mode; the keeper waits for the same lock in exclusive mode, so it wakes when nobody is left, whether
they ended, were interrupted or killed.
"""

from __future__ import annotations

import fcntl
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import IO, Any

from tests.postgres.cluster import Cluster

_CHECKOUT = Path(__file__).parents[2]
_STARTS_WITHIN = 120.0


class SharedServer:
    """The server of the session of tests that shares this folder. It lives at least as long as this does."""

    def __init__(self, folder: Path):
        with (folder / "starting").open("w") as starting:
            fcntl.flock(starting, fcntl.LOCK_EX)
            self._users = _lock(folder, fcntl.LOCK_SH)
            address = folder / "address"
            if not address.exists():
                _start_keeper(folder, address)
            described = json.loads(address.read_text())
        self.url: str = described["url"]
        """Where its first database is, for the user without a password."""
        self.password: str = described["password"]
        """That of the user who needs one."""

    def close(self) -> None:
        """Use it no longer."""
        self._users.close()


def _start_keeper(folder: Path, address: Path) -> None:
    log = folder / "keeper.log"
    with log.open("wb") as output:
        # A session of its own: Ctrl-C at the terminal is for the tests.
        keeper = subprocess.Popen(
            [sys.executable, "-m", __spec__.name, str(folder)],
            cwd=_CHECKOUT,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    deadline = time.monotonic() + _STARTS_WITHIN
    while not address.exists():
        if keeper.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError(f"PostgreSQL could not be started:\n{log.read_text(errors='replace')}")
        time.sleep(0.05)
    keeper.returncode = 0  # It outlives this process by design: nobody is to wait for it or warn about it.


def keep(folder: Path) -> None:
    """Run the server until nobody uses it."""
    cluster = Cluster()
    try:
        cluster.start()
        address = folder / "address"
        draft = folder / "address.draft"
        draft.write_text(json.dumps({"url": cluster.url, "password": cluster.set_password()}))
        draft.rename(address)
        with _lock(folder, fcntl.LOCK_EX):
            address.unlink()
            cluster.remove()
    finally:
        cluster.remove()


def _lock(folder: Path, mode: int) -> IO[Any]:
    """Wait for the lock of the server's users; closing the file gives it back."""
    file = (folder / "users").open("w")
    fcntl.flock(file, mode)
    return file


if __name__ == "__main__":
    keep(Path(sys.argv[1]))
