"""A clock that is set while a run is drained: nothing is sent twice, and nothing waits for hours."""

from __future__ import annotations

import time
from collections import Counter

import pytest
from sqlalchemy import Engine

from jevbias.drivers.base import Reply
from jevbias.store.progress import run_progress
from tests.drain.conftest import PlanRun
from tests.drain.draining import attempts, drained, run_row, statuses
from tests.drain.models import MemoryDriver, ok, status

HOUR = 3600.0


@pytest.mark.parametrize("jump", [5 * HOUR, -5 * HOUR], ids=["forward", "backward"])
def test_a_jump_of_hours_costs_no_send_and_no_wait(
    engine: Engine, planned: PlanRun, monkeypatch: pytest.MonkeyPatch, jump: float
) -> None:
    run = planned(40)
    assert run.id is not None
    real, set_by = time.time, [0.0]
    monkeypatch.setattr("time.time", lambda: real() + set_by[0])

    def answer(place: int, times: int) -> Reply:
        if place == 10:
            set_by[0] = jump
        # Waits that were begun before the jump, and at it, end as if there had been none.
        return status(503, b"busy") if place in (9, 10, 20) else ok()

    driver = MemoryDriver(answer)
    summary = drained(engine, run, driver, workers=3)
    assert (summary.answered, summary.exit_code, summary.possible_sends) == (40, 0, 0)
    assert 0 <= summary.seconds < HOUR
    assert statuses(engine) == {"answered": 40}
    assert sorted(Counter(driver.bodies).values(), reverse=True)[:3] in ([2, 2, 2], [3, 2, 1])
    assert len(driver.bodies) == len(attempts(engine)) == 43
    assert all(row.duration_ms < HOUR for row in attempts(engine))
    progress = run_progress(engine, run.id)
    assert (run_row(engine).status, progress.rate, progress.eta_seconds) == ("finished", None, None)
