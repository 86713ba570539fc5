"""When going on makes no sense the run stops with one line, and nothing is burnt."""

from __future__ import annotations

import asyncio
from itertools import cycle

import pytest
from sqlalchemy import Engine

from jevbias.drain.drain import drain
from jevbias.drain.summary import DrainSummary
from jevbias.drivers.base import Reading, Reply
from jevbias.plan.model import Ask
from tests.drain.conftest import PlanRun
from tests.drain.draining import Recorder, attempts, drained, options, probes, run_row, statuses, until
from tests.drain.models import (
    HttpDriver,
    LoopbackModel,
    MemoryDriver,
    ok,
    refused_connection,
    status,
)


@pytest.mark.parametrize("code", [401, 402, 403, 404])
def test_a_refusal_that_holds_for_the_whole_run_stops_it_at_once(
    engine: Engine, planned: PlanRun, code: int
) -> None:
    driver = MemoryDriver(lambda place, times: status(code, b"no credit"))
    summary = drained(engine, planned(50), driver, workers=4)
    assert summary.stopped == "http://127.0.0.1:1: no credit"
    assert (summary.pending, summary.failed, summary.answered, summary.exit_code) == (50, 0, 0, 1)
    assert 1 <= len(driver.bodies) <= 4
    assert summary.sends == len(driver.bodies) == len(attempts(engine))
    assert statuses(engine) == {"pending": 50}
    assert {probe.attempts for probe in probes(engine)} == {0}
    assert {probe.lease_owner for probe in probes(engine)} == {None}
    assert (run_row(engine).status, run_row(engine).stop_reason) == ("stopped", summary.stopped)
    assert sum("no credit" in line for line in summary.lines()) == 1


def test_a_stop_in_the_middle_keeps_what_was_answered_and_what_is_on_its_way(
    engine: Engine, planned: PlanRun
) -> None:
    run = planned(40)

    async def answer(place: int) -> Reply:
        await asyncio.sleep(0.001 if place == 10 else 0.1)
        return status(402, b"no credit") if place == 10 else ok()

    driver = MemoryDriver(lambda place, times: answer(place))
    summary = drained(engine, run, driver, workers=6)
    assert summary.stopped == "http://127.0.0.1:1: no credit"
    assert summary.answered == len(driver.bodies) - 1
    assert summary.answered + summary.pending == 40
    summary = drained(engine, run, MemoryDriver())
    assert (summary.answered, summary.pending, summary.exit_code) == (40, 0, 0)
    assert run_row(engine).status == "finished"


def test_a_server_that_was_never_reached_stops_the_run_and_burns_no_probe(
    engine: Engine, planned: PlanRun
) -> None:
    driver = MemoryDriver(lambda place, times: refused_connection())
    summary = drained(engine, planned(60), driver, workers=4, max_attempts=3)
    assert summary.stopped == "http://127.0.0.1:1 cannot be reached: connection refused"
    assert (summary.pending, summary.failed, summary.exit_code) == (60, 0, 1)
    assert (summary.sends, summary.possible_sends) == (0, 0)
    assert len(driver.bodies) <= 4 * 3
    assert {probe.attempts for probe in probes(engine) if probe.error_kind} == {0}


def test_a_server_that_dies_and_returns_costs_no_probe(engine: Engine, planned: PlanRun) -> None:
    run = planned(60)
    model = LoopbackModel(delay=0.005)

    async def put(dies_after: int | None = None) -> DrainSummary:
        model.port = 0  # Any free one: that of before may have been taken in between.
        async with model.serving():
            driver = HttpDriver(model.url)
            work = asyncio.create_task(drain(engine, run, driver, options(workers=4)))
            if dies_after is None:
                await work
            else:
                await until(lambda: len(model.ledger) >= dies_after)
        summary = await work
        await driver.aclose()
        return summary

    stopped = asyncio.run(put(dies_after=20))
    assert stopped.stopped is not None
    assert stopped.stopped.startswith(f"{model.url} cannot be reached any more: ")
    assert stopped.failed == 0
    assert stopped.answered + stopped.pending == 60
    assert stopped.pending > 0
    resumed = asyncio.run(put())
    assert (resumed.answered, resumed.pending, resumed.exit_code) == (60, 0, 0)
    assert resumed.sends <= len(model.ledger) <= resumed.sends + resumed.possible_sends


def test_five_identical_permanent_errors_in_a_row_stop_the_run_and_go_back(
    engine: Engine, planned: PlanRun
) -> None:
    run = planned(40)
    driver = MemoryDriver(lambda place, times: ok() if place < 3 else status(422, b"state: unknown field"))
    summary = drained(engine, run, driver, workers=1)
    why = "5 probes in a row failed for the same reason: state: unknown field"
    assert summary.stopped == f"http://127.0.0.1:1: {why}"
    assert (summary.answered, summary.failed, summary.pending, summary.exit_code) == (3, 0, 37, 1)
    assert len(driver.bodies) == 8
    assert {probe.attempts for probe in probes(engine) if probe.status == "pending"} == {0}
    summary = drained(engine, run, MemoryDriver())
    assert (summary.answered, summary.sends) == (40, 45)


def test_with_many_workers_none_of_those_on_their_way_is_left_failed(
    engine: Engine, planned: PlanRun
) -> None:
    async def slowly() -> Reply:
        await asyncio.sleep(0.02)
        return status(422, b"unknown field")

    summary = drained(engine, planned(60), MemoryDriver(lambda place, times: slowly()), workers=16)
    assert summary.stopped is not None
    assert (summary.failed, summary.pending) == (0, 60)


def test_a_success_in_between_starts_the_count_anew(engine: Engine, planned: PlanRun) -> None:
    driver = MemoryDriver(lambda place, times: ok() if place % 5 == 4 else status(422, b"no"))
    summary = drained(engine, planned(30), driver, workers=1)
    assert summary.stopped is None
    assert (summary.answered, summary.failed, summary.exit_code) == (6, 24, 1)


def test_different_errors_do_not_add_up(engine: Engine, planned: PlanRun) -> None:
    messages = cycle([b"one", b"two"])
    driver = MemoryDriver(lambda place, times: status(422, next(messages)))
    summary = drained(engine, planned(20), driver, workers=1)
    assert (summary.stopped, summary.failed) == (None, 20)


def test_a_server_that_fails_every_retry_stops_the_run_though_its_messages_differ(
    engine: Engine, planned: PlanRun
) -> None:
    driver = MemoryDriver(lambda place, times: status(500, b"incident %d" % place))
    summary = drained(engine, planned(40), driver, workers=1, max_attempts=2)
    assert summary.stopped is not None
    assert (summary.failed, summary.pending) == (0, 40)
    assert len(driver.bodies) == 10


def test_a_bug_in_a_driver_is_raised_and_leaves_no_probe_held(engine: Engine, planned: PlanRun) -> None:
    class Broken(MemoryDriver):
        def read(self, ask: Ask, reply: Reply) -> Reading:
            if len(self.bodies) == 7:
                raise ZeroDivisionError("a bug")
            return super().read(ask, reply)

    view = Recorder()
    with pytest.raises(ZeroDivisionError, match="a bug"):
        drained(engine, planned(30), Broken(), view, workers=3)
    assert set(statuses(engine)) == {"answered", "pending"}
    assert run_row(engine).status == "stopped"
    assert view.stopped == 1
    assert [row.outcome for row in attempts(engine)].count("unknown") == 1, "sent, and never read"
