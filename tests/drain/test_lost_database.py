"""A database that is taken away in the middle of a run: nothing more is paid for."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections import Counter
from collections.abc import Awaitable
from pathlib import Path

import pytest
from sqlalchemy import Engine, event, text

from jevbias.drivers.base import Reply
from jevbias.errors import DatabaseError, DatabaseLostError
from jevbias.store.connections import reading
from jevbias.store.engine import open_store
from jevbias.store.progress import run_progress
from jevbias.store.reset import reset_probes
from jevbias.store.runs import find_run
from tests.drain.conftest import PlanRun
from tests.drain.draining import drained, probes, statuses
from tests.drain.models import MemoryDriver, ok


def test_a_run_whose_database_is_deleted_stops_at_the_next_answer(
    engine: Engine, planned: PlanRun, db: str
) -> None:
    def answer(place: int, times: int) -> Reply:
        if place == 10:
            Path(db).unlink()
        return ok()

    driver = MemoryDriver(answer)
    with pytest.raises(DatabaseLostError, match="deleted or moved away") as lost:
        drained(engine, planned(200), driver, workers=2)
    sent = len(driver.bodies)
    assert sent <= 11 + 2 * 2
    copy = f"{db}.rescued"
    assert f"; what it held until now is saved in {copy}: go on with --db {copy}" in str(lost.value)
    rescued = open_store(copy)
    assert statuses(rescued) == {"answered": sent, "pending": 200 - sent}, "also what came after the loss"
    assert drained(rescued, find_run(rescued, "small"), driver).answered == 200
    assert set(Counter(driver.bodies).values()) == {1}


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


def test_a_full_disk_is_one_line_and_the_run_goes_on_once_there_is_room(
    engine: Engine, planned: PlanRun, db: str
) -> None:
    run = planned(60)
    with reading(engine) as connection:
        pages = connection.execute(text("PRAGMA page_count")).scalar_one()

    def fill(connection: sqlite3.Connection, _: object) -> None:
        connection.execute(f"PRAGMA max_page_count={pages + 2}")

    event.listen(engine, "connect", fill)
    driver = MemoryDriver()
    with pytest.raises(DatabaseError) as full:
        drained(engine, run, driver, workers=2)
    assert str(full.value) == f"database {db}: no space is left on its disk; make room and start again"
    again = open_store(db)
    before = {probe.id: probe for probe in probes(again) if probe.status == "answered"}
    assert 0 < len(before) < 60
    assert run.id is not None
    reset_probes(again, run.id, force=True)  # The process that held the last ones is this one, and lives.
    assert drained(again, run, driver).answered == 60
    assert before.items() <= {probe.id: probe for probe in probes(again)}.items()
    progress = run_progress(again, run.id)
    assert progress.sends <= len(driver.bodies) <= progress.sends + progress.possible_sends
