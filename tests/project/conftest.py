"""The runs that ship, loaded once for all processes of a session of tests."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

SEEDING = "jevbias seed-canonical --db shipped.db"


@dataclass(frozen=True)
class Seeded:
    """What `SEEDING` made of an empty folder, and what it said."""

    database: Path
    said: list[str]

    def copy_to(self, folder: Path) -> None:
        """Make of another folder what the command would make of it."""
        shutil.copy(self.database, folder)


@pytest.fixture(scope="session")
def seeded(tmp_path_factory: pytest.TempPathFactory) -> Seeded:
    """The database with the runs that ship. Read it only: it takes the better part of a minute to make."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "shipped"
    folder.mkdir(exist_ok=True)
    said = folder / "said"
    with (folder / "loading").open("w") as loading:
        fcntl.flock(loading, fcntl.LOCK_EX)
        if not said.exists():
            kept = {name: value for name, value in os.environ.items() if not name.startswith("JEVBIAS_")}
            command = [sys.executable, "-m", *SEEDING.split()]
            done = subprocess.run(command, cwd=folder, env=kept, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr
            said.write_text(done.stderr, encoding="utf-8")
    return Seeded(folder / "shipped.db", said.read_text(encoding="utf-8").splitlines())
