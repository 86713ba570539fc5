"""A database that is taken away in the middle of a run: nothing more is paid for."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable
from pathlib import Path

import pytest
from sqlalchemy import Engine

from jevbias.drivers.base import Reply
from jevbias.errors import DatabaseLostError
from jevbias.store.engine import open_store
from jevbias.store.reset import reset_probes
from jevbias.store.runs import find_run
from tests.drain.conftest import PlanRun
from tests.drain.draining import drained, statuses
from tests.drain.models import MemoryDriver, ok


def test_a_run_whose_database_is_deleted_stops_at_the_next_answer(
    engine: Engine, planned: PlanRun, db: str
) -> None:
    def answer(place: int, times: int) -> Reply:
        if place == 10:
            Path(db).unlink()
        return ok()

    driver = MemoryDriver(answer)
    with pytest.raises(DatabaseLostError, match="deleted or moved away"):
        drained(engine, planned(200), driver, workers=2)
    assert len(driver.bodies) <= 11 + 2 * 2


def test_it_is_noticed_within_seconds_while_no_answer_comes(
    engine: Engine, planned: PlanRun, db: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("jevbias.drain.drain._LOOK_AT_FILE", 0.05)
    monkeypatch.setattr("jevbias.drain.drain._GRACE", 0.1)

    async def never() -> Reply:
        await asyncio.sleep(600)
        return ok()

    def answer(place: int, times: int) -> Awaitable[Reply]:
        Path(db).rename(f"{db}.away")
        return never()

    driver = MemoryDriver(answer)
    begun = time.monotonic()
    with pytest.raises(DatabaseLostError, match="moved away"):
        drained(engine, planned(20), driver, workers=1, timeout=0.2)
    assert time.monotonic() - begun < 30
    assert len(driver.bodies) == 1


def test_a_file_that_is_put_back_goes_on_with_every_answer_it_got(
    engine: Engine, planned: PlanRun, db: str
) -> None:
    def answer(place: int, times: int) -> Reply:
        if place == 10:
            Path(db).rename(f"{db}.away")
        return ok()

    with pytest.raises(DatabaseLostError):
        drained(engine, planned(40), MemoryDriver(answer), workers=1)
    Path(f"{db}.away").rename(db)
    again = open_store(db)
    assert statuses(again).get("answered", 0) >= 9
    run = find_run(again, "small")
    assert run.id is not None
    reset_probes(again, run.id, force=True)  # The process that held the last one is this one, and lives.
    summary = drained(again, run, MemoryDriver())
    assert (summary.answered, summary.pending) == (40, 0)
