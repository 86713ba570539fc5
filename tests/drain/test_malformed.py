"""Replies without a usable answer cost money: many alike in a row stop a run, odd ones do not."""

from __future__ import annotations

import asyncio
import zlib

import pytest
from sqlalchemy import Engine

from jevbias.catalogue.canonical import canonical_json
from jevbias.drain.streak import LONGEST, LONGEST_AMONG_ANSWERS
from jevbias.drivers.base import Reading, Reply
from jevbias.plan.model import Ask
from jevbias.store.reset import reset_probes
from tests.drain.conftest import PlanRun
from tests.drain.draining import attempts, drained, probes, run_row, statuses
from tests.drain.models import MemoryDriver, ok, status

JUNK = b'{"hello":1}'


def junk() -> Reply:
    return Reply(200, JUNK, 5.0)


def test_a_server_that_never_answers_usably_stops_the_run_after_a_few_calls(
    engine: Engine, planned: PlanRun
) -> None:
    driver = MemoryDriver(lambda place, times: junk())
    summary = drained(engine, planned(60), driver, workers=1)
    assert summary.stopped == (
        "http://127.0.0.1:1: 5 replies in a row held no usable answer (nothing usable); "
        'the last was {"hello":1}: '
        "check that this address serves model plain-1"
    )
    assert (summary.malformed, summary.pending, summary.exit_code) == (0, 60, 1)
    assert len(driver.bodies) == LONGEST
    assert statuses(engine) == {"pending": 60}
    assert run_row(engine).stop_reason == summary.stopped
    sent = attempts(engine)
    assert [row.outcome for row in sent] == ["malformed"] * LONGEST, "what was sent stays in the log"
    assert {zlib.decompress(row.response) for row in sent} == {JUNK}, "and so does what came back"


def test_with_many_workers_no_more_is_sent_than_was_on_its_way(engine: Engine, planned: PlanRun) -> None:
    async def slowly() -> Reply:
        await asyncio.sleep(0.02)
        return junk()

    driver = MemoryDriver(lambda place, times: slowly())
    summary = drained(engine, planned(100), driver, workers=16)
    assert (summary.malformed, summary.pending, summary.exit_code) == (0, 100, 1)
    assert len(driver.bodies) <= 2 * 16


def test_a_server_that_is_right_again_answers_what_was_stopped(engine: Engine, planned: PlanRun) -> None:
    run = planned(20)
    drained(engine, run, MemoryDriver(lambda place, times: junk()), workers=1)
    summary = drained(engine, run, MemoryDriver())
    assert (summary.answered, summary.sends, summary.exit_code) == (20, 25, 0)
    assert run_row(engine).stop_reason is None


def test_the_reasons_may_differ_by_scenario_as_long_as_their_kind_is_the_same(
    engine: Engine, planned: PlanRun
) -> None:
    class Empty(MemoryDriver):
        def read(self, ask: Ask, reply: Reply) -> Reading:
            return Reading("malformed", error_kind="no_usable_answer", error=f"{len(self.bodies)} unusable")

    driver = Empty()
    assert drained(engine, planned(40), driver, workers=1).stopped is not None
    assert len(driver.bodies) == LONGEST


@pytest.mark.parametrize("odd", [2, 3])
def test_odd_replies_among_good_ones_stop_nothing(engine: Engine, planned: PlanRun, odd: int) -> None:
    driver = MemoryDriver(lambda place, times: ok() if place % odd else junk())
    summary = drained(engine, planned(60), driver, workers=1)
    assert (summary.stopped, summary.pending, summary.exit_code) == (None, 0, 0)
    assert summary.malformed == 60 // odd
    assert summary.lines()[-1] == (
        f"to send the {60 // odd} malformed again: `jevbias reset --failed --run small`, "
        "then `jevbias run --resume small`"
    )


def test_a_few_in_a_row_after_an_answer_are_the_models_own(engine: Engine, planned: PlanRun) -> None:
    driver = MemoryDriver(lambda place, times: junk() if 3 <= place < 3 + LONGEST_AMONG_ANSWERS - 1 else ok())
    summary = drained(engine, planned(40), driver, workers=1)
    assert (summary.stopped, summary.malformed, summary.exit_code) == (None, LONGEST_AMONG_ANSWERS - 1, 0)


def test_a_server_that_breaks_in_the_middle_stops_the_run_and_each_resume_gets_further(
    engine: Engine, planned: PlanRun
) -> None:
    run = planned(100)
    driver = MemoryDriver(lambda place, times: ok() if place < 10 else junk())
    summary = drained(engine, run, driver, workers=1)
    assert summary.stopped is not None
    assert f"{LONGEST_AMONG_ANSWERS} replies in a row" in summary.stopped
    assert (summary.answered, summary.malformed, summary.pending) == (10, LONGEST_AMONG_ANSWERS, 70)
    again = drained(engine, run, MemoryDriver(lambda place, times: junk()), workers=1)
    assert (again.malformed, again.pending, again.exit_code) == (2 * LONGEST_AMONG_ANSWERS, 50, 1)
    assert run.id is not None
    assert reset_probes(engine, run.id, failed=True).malformed == 40
    assert drained(engine, run, MemoryDriver()).answered == 100


def test_a_refusal_is_an_answer_of_sorts_and_a_failure_is_not(engine: Engine, planned: PlanRun) -> None:
    refusal = Reply(200, canonical_json({"refusal": "no"}), 5.0)
    driver = MemoryDriver(lambda place, times: refusal if place % 4 == 3 else junk())
    summary = drained(engine, planned(24), driver, workers=1)
    assert (summary.stopped, summary.refused, summary.malformed) == (None, 6, 18)
    assert summary.exit_code == 1, "not one usable answer"
    assert "no reply held a usable answer" in summary.lines()


def test_failures_in_between_hide_neither_streak(engine: Engine, planned: PlanRun) -> None:
    driver = MemoryDriver(lambda place, times: junk() if place % 2 else status(422, b"unknown field"))
    summary = drained(engine, planned(60), driver, workers=1)
    assert summary.stopped == (
        "http://127.0.0.1:1: 5 probes in a row failed for the same reason: unknown field"
    )
    assert len(driver.bodies) < 2 * LONGEST


def test_what_came_back_is_shown_short_and_without_control_characters(
    engine: Engine, planned: PlanRun
) -> None:
    body = b'{"x":"\x1b[31m' + "Ọ\u202e".encode() * 500 + b'"}'

    class Loud(MemoryDriver):
        def read(self, ask: Ask, reply: Reply) -> Reading:
            return Reading("malformed", error_kind="no_answers", error="nothing usable")

    summary = drained(engine, planned(20), Loud(lambda place, times: Reply(200, body, 5.0)), workers=1)
    assert summary.stopped is not None
    assert summary.stopped.isprintable()
    assert len(summary.stopped) < 300
    assert [probe.status for probe in probes(engine)] == ["pending"] * 20
