"""A database with a small run in it: a SQLite file, and then the same on PostgreSQL."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine

from jevbias.store.clock import Clock
from jevbias.store.owner import Owner
from jevbias.store.queue import ProbeQueue
from jevbias.store.runs import create_run
from tests.postgres.databases import Databases
from tests.store.blank import open_blank
from tests.store.small import RUN_SETTINGS, small_plan


class HandClock(Clock):
    """A clock that a test moves."""

    def __init__(self) -> None:
        super().__init__()
        self.time = 1_000_000.0

    def now(self) -> float:
        return self.time


@pytest.fixture(params=["sqlite", "postgresql"])
def db(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where an empty database is to be opened."""
    if request.param == "sqlite":
        return str(tmp_path / "jevbias.db")
    postgres: Databases = request.getfixturevalue("postgres")
    return postgres.empty()


@pytest.fixture
def engine(db: str) -> Iterator[Engine]:
    engine = open_blank(db)
    yield engine
    engine.dispose()


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def run_id(engine: Engine) -> int:
    """A planned run of ten probes."""
    return create_run(engine, small_plan(10), name="small", **RUN_SETTINGS)


@pytest.fixture
def queue(run_id: int, clock: HandClock) -> ProbeQueue:
    """The run seen by a process of another host."""
    return ProbeQueue(run_id, "faraway@1/6/123", 120.0, clock)


@pytest.fixture
def other(run_id: int, clock: HandClock) -> ProbeQueue:
    """The same run seen by a process of this host that lives."""
    return ProbeQueue(run_id, str(Owner.of(os.getppid())), 120.0, clock)


@pytest.fixture
def dead(run_id: int, clock: HandClock) -> ProbeQueue:
    """The same run seen by one that has ended."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        owner = Owner.of(process.pid)
    return ProbeQueue(run_id, str(owner), 120.0, clock)
