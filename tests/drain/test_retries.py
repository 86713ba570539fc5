"""What may pass is sent again, within limits, and every send is on record."""

from __future__ import annotations

import asyncio
import os
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine
from tenacity import RetryCallState

from jevbias.drain.drain import drain
from jevbias.drain.options import LONGEST_WAIT, DrainOptions
from jevbias.drain.retries import UNREACHED, retries
from jevbias.drain.sending import Outcome
from jevbias.drivers.base import Reading, Reply
from jevbias.plan.model import Ask
from jevbias.store.connections import writing
from jevbias.store.owner import Owner
from jevbias.store.queue import ProbeQueue
from jevbias.store.reset import reset_probes
from jevbias.store.tables import PROBE
from tests.drain.conftest import PlanRun
from tests.drain.draining import Recorder, attempts, drained, options, probes, statuses, until
from tests.drain.models import (
    HttpDriver,
    LoopbackModel,
    MemoryDriver,
    ok,
    refused_connection,
    status,
    timed_out,
)


@pytest.mark.parametrize("code", [408, 425, 429, 500, 502, 503, 529])
def test_what_may_pass_is_sent_again_and_answered(engine: Engine, planned: PlanRun, code: int) -> None:
    driver = MemoryDriver(lambda place, times: status(code) if times == 0 else ok())
    summary = drained(engine, planned(6), driver)
    assert (summary.answered, summary.failed, summary.exit_code) == (6, 0, 0)
    assert (summary.sends, summary.sent_now) == (12, 12)
    assert [(row.number, row.outcome, row.http_status) for row in attempts(engine)] == [
        (1, f"http_{code}", code), (2, "answered", 200)
    ] * 6  # fmt: skip


def test_after_the_last_attempt_a_probe_fails_with_its_kind(engine: Engine, planned: PlanRun) -> None:
    hopeless: set[bytes] = set()

    class Driver(MemoryDriver):
        async def send(self, body: bytes) -> Reply:
            if not hopeless:
                hopeless.add(body)
            self.bodies.append(body)
            return status(503, b"overloaded") if body in hopeless else ok()

    driver = Driver()
    summary = drained(engine, planned(5), driver, max_attempts=4)
    assert (summary.answered, summary.failed, summary.pending, summary.exit_code) == (4, 1, 0, 1)
    assert summary.failures == {"http_503": 1}
    assert summary.stopped is None
    (failed,) = (probe for probe in probes(engine) if probe.status == "failed")
    assert (failed.error_kind, failed.error, failed.attempts) == ("http_503", "overloaded", 4)
    assert sum(body in hopeless for body in driver.bodies) == 4


def test_a_timeout_is_possibly_billed_and_every_attempt_counts(engine: Engine, planned: PlanRun) -> None:
    driver = MemoryDriver(lambda place, times: timed_out() if times == 0 else ok())
    summary = drained(engine, planned(3), driver)
    assert (summary.answered, summary.sends, summary.possible_sends) == (3, 3, 3)
    assert [(row.outcome, row.possibly_billed) for row in attempts(engine)] == [
        ("timeout", True), ("answered", False)
    ] * 3  # fmt: skip


def test_a_driver_that_never_returns_is_given_up(
    engine: Engine, planned: PlanRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("jevbias.drain.worker._GRACE", 0.05)

    async def hang() -> Reply:
        await asyncio.sleep(60)
        return ok()

    driver = MemoryDriver(lambda place, times: hang() if times == 0 else ok())
    summary = drained(engine, planned(2), driver, timeout=0.05)
    assert (summary.answered, summary.possible_sends) == (2, 2)


def test_the_servers_hint_is_honoured(engine: Engine, planned: PlanRun) -> None:
    times_of: dict[int, float] = {}

    def note(place: int, times: int) -> Reply:
        times_of[place] = time.monotonic()
        return status(429, retry_after=0.3) if place == 0 else ok()

    drained(engine, planned(1), MemoryDriver(note))
    assert times_of[1] - times_of[0] >= 0.3


def test_the_view_says_why_nothing_moves(
    engine: Engine, planned: PlanRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("jevbias.drain.drain._TICK", 0.01)
    view = Recorder()
    driver = MemoryDriver(lambda place, times: status(503, retry_after=0.7) if times == 0 else ok())
    drained(engine, planned(2), driver, view, workers=2)
    shown = {state.waiting for state in view.states}
    assert shown & {f"2 workers backing off {seconds} s after HTTP 503" for seconds in (0, 1)}
    assert view.states[-1].waiting is None


def test_a_server_that_asks_for_more_than_a_minute_parks_the_probe_and_the_user_is_told(
    engine: Engine, planned: PlanRun
) -> None:
    view = Recorder()
    driver = MemoryDriver(
        lambda place, times: status(429, b"busy", retry_after=3_600) if place == 2 else ok()
    )
    before = time.time()
    summary = drained(engine, planned(8), driver, view)
    assert (summary.answered, summary.pending, summary.failed) == (7, 1, 0)
    assert len(driver.bodies) == 8, "sent once and left in peace"
    (parked,) = (probe for probe in probes(engine) if probe.status == "pending")
    assert before + 3_600 <= parked.not_before <= time.time() + 3_600
    assert (parked.error_kind, parked.attempts, parked.lease_owner) == ("http_429", 0, None)
    assert "the server asks to wait 1 h 0 min (busy): one probe is parked until" in view.notes[0]
    assert summary.stopped is not None
    assert "parked until" in summary.stopped
    assert summary.exit_code == 1


def test_a_parked_probe_is_sent_when_its_time_has_come(engine: Engine, planned: PlanRun) -> None:
    run = planned(3)
    drained(engine, run, MemoryDriver(lambda p, t: status(429, retry_after=90) if p == 0 else ok()))
    assert drained(engine, run, MemoryDriver()).pending == 1, "not yet"
    with writing(engine) as connection:
        soon = time.time() + 0.3
        connection.execute(PROBE.update().where(PROBE.c.status == "pending").values(not_before=soon))
    summary = drained(engine, run, MemoryDriver())
    assert time.time() >= soon
    assert (summary.answered, summary.pending, summary.exit_code) == (3, 0, 0)


def test_five_long_waits_in_a_row_stop_the_run(engine: Engine, planned: PlanRun) -> None:
    driver = MemoryDriver(lambda place, times: status(429, b"quota", retry_after=3_600))
    summary = drained(engine, planned(50), driver, workers=1)
    assert len(driver.bodies) == 5
    assert summary.stopped is not None
    assert "the server asks to wait 1 h 0 min (quota)" in summary.stopped
    assert (summary.pending, summary.failed) == (50, 0)


def test_attempts_are_bounded_across_interruptions(engine: Engine, planned: PlanRun) -> None:
    run = planned(2)
    always = MemoryDriver(lambda place, times: status(503, retry_after=90))
    for _ in range(3):
        drained(engine, run, always, max_attempts=3)
        with writing(engine) as connection:
            connection.execute(PROBE.update().values(not_before=None))
    assert statuses(engine) == {"failed": 2}
    assert len(always.bodies) == 6


def test_retries_over_http_reach_the_server_as_often_as_the_log_says(
    engine: Engine, planned: PlanRun
) -> None:
    run = planned(20)
    model = LoopbackModel(
        lambda place, times: (503, {"retry-after": "0"}, b"busy") if times < 2 else (200, {}, b'{"p": 0.5}')
    )

    async def put() -> None:
        async with model.serving():
            driver = HttpDriver(model.url)
            summary = await drain(engine, run, driver, options(workers=5))
            await driver.aclose()
        assert (summary.answered, summary.sends) == (20, 60)

    asyncio.run(put())
    assert len(model.ledger) == 60
    assert {model.ledger.count(body) for body in model.ledger} == {3}


def test_a_lease_lost_during_a_wait_is_not_sent_again(engine: Engine, planned: PlanRun) -> None:
    run = planned(1)

    def lose_it(place: int, times: int) -> Reply:
        with writing(engine) as connection:
            connection.execute(
                PROBE.update().values(status="running", lease_owner="elsewhere@1/7/123", last_attempt=2)
            )
        return status(500)

    driver = MemoryDriver(lose_it)

    async def put() -> None:
        view = Recorder()
        work = asyncio.create_task(drain(engine, run, driver, options(first_wait=0.01), view))
        held = "waiting for 1 held by other processes"
        await until(lambda: bool(attempts(engine)) and view.states[-1].waiting == held)
        with writing(engine) as connection:  # As when the other process is through with it.
            connection.execute(PROBE.update().values(status="failed", lease_owner=None, lease_until=None))
        await work  # Ends only when the worker has come back from its wait.

    asyncio.run(put())
    assert len(driver.bodies) == 1
    assert [(row.number, row.outcome) for row in attempts(engine)] == [(1, "http_500")]


def test_a_process_that_is_stopped_keeps_what_it_holds_and_is_named(engine: Engine, planned: PlanRun) -> None:
    run = planned(2)
    owner = Owner.of(os.getppid())
    with writing(engine) as connection:
        ProbeQueue(run.id or 0, str(owner), lease_seconds=-1.0).claim(connection, 1)
    driver = MemoryDriver()

    async def put() -> None:
        view = Recorder()
        work = asyncio.create_task(drain(engine, run, driver, options(), view))
        await until(lambda: bool(view.states) and owner.described in (view.states[-1].waiting or ""))
        said = view.states[-1].waiting or ""
        assert said.startswith("waiting for 1 held by other processes; ")
        assert "`jevbias reset --force`" in said
        reset_probes(engine, run.id or 0, force=True)
        assert (await work).answered == 2

    asyncio.run(put())
    assert len(driver.bodies) == 2


def _outcome(retry_after: float | None) -> Outcome:
    return Outcome(Reply(429, b"", 1.0, retry_after=retry_after), Reading("retry"), 0.0, "ab")


@given(hint=st.none() | st.floats(0, LONGEST_WAIT), allowed=st.integers(1, 9))
@settings(derandomize=True, deadline=None, max_examples=60)
def test_waits_grow_are_jittered_and_never_shorter_than_the_hint(hint: float | None, allowed: int) -> None:
    waits: list[float] = []
    sends: list[int] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    async def before_sleep(state: RetryCallState) -> None:
        pass

    async def send() -> Outcome:
        sends.append(1)
        return _outcome(hint)

    controller = retries(
        DrainOptions(first_wait=0.5),
        enough=lambda outcome: len(sends) >= allowed,
        sleep=sleep,
        before_sleep=before_sleep,
    )
    assert asyncio.run(controller(send)).reading.verdict == "retry"
    assert len(sends) == allowed
    assert len(waits) == allowed - 1
    for place, wait in enumerate(waits):
        low, high = 0.5 * 2**place, 0.5 * 2**place + 0.5
        assert min(LONGEST_WAIT, max(low, hint or 0)) <= wait <= min(LONGEST_WAIT, max(high, hint or 0))


@pytest.mark.parametrize(("hint", "longest"), [(None, 4.0), (9.0, 9.0)])
def test_a_probe_refused_for_the_pace_does_not_outwait_all_others(hint: float | None, longest: float) -> None:
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    async def before_sleep(state: RetryCallState) -> None:
        pass

    async def send() -> Outcome:
        reading = Reading("retry", error_kind="http_429")
        return Outcome(Reply(429, b"", 1.0, retry_after=hint), reading, 0.0, "ab")

    controller = retries(
        DrainOptions(first_wait=0.5),
        enough=lambda outcome: len(waits) == 8,
        sleep=sleep,
        before_sleep=before_sleep,
    )
    asyncio.run(controller(send))
    assert waits[-1] == max(waits) == longest


def test_a_failure_that_cannot_pass_is_not_sent_again(engine: Engine, planned: PlanRun) -> None:
    driver = MemoryDriver(lambda place, times: status(400, b"Too many levels") if place == 1 else ok())
    summary = drained(engine, planned(6), driver)
    assert (summary.answered, summary.failed, summary.exit_code) == (5, 1, 1)
    assert len(driver.bodies) == 6
    (failed,) = (probe for probe in probes(engine) if probe.status == "failed")
    assert (failed.error_kind, failed.error) == ("http_400", "Too many levels")


def test_an_ask_that_cannot_be_sent_fails_unsent(engine: Engine, planned: PlanRun) -> None:
    class Driver(MemoryDriver):
        def render(self, ask: Ask) -> bytes:
            if ask.person["reference"].endswith(" 3"):
                "Ana \ud83d".encode()
            return super().render(ask)

    driver = Driver()
    summary = drained(engine, planned(6), driver)
    assert (summary.answered, summary.failed, summary.sends, summary.possible_sends) == (5, 1, 5, 0)
    assert len(driver.bodies) == 5
    (failed,) = (probe for probe in probes(engine) if probe.status == "failed")
    assert failed.error_kind == "unrenderable"
    assert "the ask cannot be sent" in failed.error


def test_a_server_that_is_away_for_a_while_costs_no_attempt(engine: Engine, planned: PlanRun) -> None:
    away = range(4, 3 + UNREACHED)
    driver = MemoryDriver(lambda place, times: refused_connection() if place in away else ok())
    summary = drained(engine, planned(12), driver, workers=2, max_attempts=1)
    assert (summary.answered, summary.failed, summary.stopped) == (12, 0, None)
    assert (summary.sends, summary.possible_sends) == (12, 0)
    assert {probe.attempts for probe in probes(engine)} == {1}


def test_a_server_that_stays_away_stops_the_run_and_burns_no_probe(engine: Engine, planned: PlanRun) -> None:
    driver = MemoryDriver(lambda place, times: refused_connection() if place >= 4 else ok())
    run = planned(12)
    summary = drained(engine, run, driver, workers=2)
    assert summary.stopped == "http://127.0.0.1:1 cannot be reached any more: connection refused"
    assert (summary.answered, summary.pending, summary.failed, summary.exit_code) == (4, 8, 0, 1)
    assert 4 + UNREACHED <= len(driver.bodies) <= 4 + 2 * 40, "for 240 times the first wait"
    assert {probe.attempts for probe in probes(engine) if probe.status == "pending"} == {0}
    assert drained(engine, run, MemoryDriver()).answered == 12
