"""A planned run to drain."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine

from jevbias.store.runs import create_run, find_run
from jevbias.store.tables import Run
from tests.store.blank import open_blank
from tests.store.small import RUN_SETTINGS, small_plan

PlanRun = Callable[[int], Run]


@pytest.fixture
def db(tmp_path: Path) -> str:
    return str(tmp_path / "jevbias.db")


@pytest.fixture
def engine(db: str) -> Iterator[Engine]:
    engine = open_blank(db)
    yield engine
    engine.dispose()


@pytest.fixture
def planned(engine: Engine) -> PlanRun:
    """Plans a run of so many probes."""

    def plan(probes: int) -> Run:
        create_run(engine, small_plan(probes), name="small", **RUN_SETTINGS)
        return find_run(engine, "small")

    return plan
