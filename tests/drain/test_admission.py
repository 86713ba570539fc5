"""What a server bears is found out and kept to, and a refusal for the pace is nobody's failure."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

import pytest
from sqlalchemy import Engine

from jevbias.drain.admission import PATIENCE, REFUSALS_OF_ONE
from jevbias.drain.drain import drain
from jevbias.drain.summary import DrainSummary
from jevbias.drivers.base import Reply
from jevbias.store.tables import Run
from tests.drain.admitted import sent
from tests.drain.conftest import PlanRun
from tests.drain.draining import Recorder, attempts, drained, options, probes, statuses
from tests.drain.limited import AtOnce, Limit, Limited, PerSecond
from tests.drain.models import HttpDriver, LoopbackModel, MemoryDriver, ok, status, timed_out


def drained_over_http(engine: Engine, run: Run, model: LoopbackModel, **given: float) -> DrainSummary:
    async def put() -> DrainSummary:
        async with model.serving():
            driver = HttpDriver(model.url)
            try:
                return await drain(engine, run, driver, options(**given))
            finally:
                await driver.aclose()

    return asyncio.run(put())


@pytest.mark.parametrize("hint", [None, 0.1, 1.0])
def test_throughput_settles_near_a_hidden_limit_of_requests_a_second(hint: float | None) -> None:
    found = sent(
        options(workers=16, first_wait=0.5),
        2_400,
        latency=0.05,
        limit=PerSecond(40, 5),
        hint=hint,
        lateness=0.01,
    )
    assert found.stopped is None
    assert found.refused
    assert found.rate(skip=600) >= 0.88 * 40


def test_throughput_settles_near_a_hidden_limit_of_requests_at_once() -> None:
    found = sent(
        options(workers=16, first_wait=0.5), 1_200, latency=0.25, limit=AtOnce(6, 0.25), lateness=0.01
    )
    assert found.stopped is None
    assert found.refused
    assert found.rate(skip=300) >= 0.9 * 6 / 0.25


@pytest.mark.parametrize("headers", [{}, {"retry-after": "0.1"}])
@pytest.mark.parametrize("limit", [lambda: PerSecond(40, 5), lambda: AtOnce(6, 0.1)])
def test_a_hidden_limit_costs_no_probe_and_no_send_goes_uncounted(
    engine: Engine, planned: PlanRun, limit: Callable[[], Limit], headers: dict[str, str]
) -> None:
    limited = Limited(limit(), headers)
    model = LoopbackModel(limited, delay=0.02)
    summary = drained_over_http(engine, planned(90), model, workers=16, first_wait=0.1)
    assert (summary.answered, summary.failed, summary.stopped) == (90, 0, None)
    assert summary.sends == len(model.ledger) == 90 + len(limited.refused)
    assert limited.refused


@pytest.mark.parametrize("code", [429, 529])
def test_a_refusal_for_the_pace_uses_up_no_attempt(engine: Engine, planned: PlanRun, code: int) -> None:
    driver = MemoryDriver(lambda place, times: status(code) if times < 4 and place % 3 else ok())
    summary = drained(engine, planned(12), driver, max_attempts=1)
    assert (summary.answered, summary.failed, summary.exit_code) == (12, 0, 0)
    assert summary.sends == len(driver.bodies) == len(attempts(engine)) > 12
    assert {row.outcome for row in attempts(engine)} == {"answered", f"http_{code}"}
    assert {probe.attempts for probe in probes(engine)} == {1}


def test_other_faults_still_use_up_attempts_among_refusals(engine: Engine, planned: PlanRun) -> None:
    replies = {0: status(429), 1: status(503), 2: status(429), 3: status(503)}
    run = planned(2)
    first: list[bytes] = []

    class Driver(MemoryDriver):
        async def send(self, body: bytes) -> Reply:
            first[:] = first or [body]
            self.bodies.append(body)
            if body != first[0]:
                return ok()
            return replies[self.bodies.count(body) - 1]

    driver = Driver()
    summary = drained(engine, run, driver, max_attempts=2)
    assert (summary.answered, summary.failed, summary.failures) == (1, 1, {"http_503": 1})
    assert driver.bodies.count(first[0]) == 4


def test_a_server_that_only_ever_refuses_is_not_asked_for_ever(engine: Engine, planned: PlanRun) -> None:
    run = planned(200)
    driver = MemoryDriver(lambda place, times: status(429, b"quota used up"))
    summary = drained(engine, run, driver, workers=8)
    assert summary.stopped is not None
    assert summary.stopped.startswith("http://127.0.0.1:1 takes no more requests since ")
    assert summary.stopped.endswith(": quota used up")
    assert (summary.pending, summary.failed, summary.exit_code) == (200, 0, 1)
    assert PATIENCE < len(driver.bodies) <= 4 * (PATIENCE + 1)
    assert summary.sends == len(attempts(engine)) == len(driver.bodies)
    assert statuses(engine) == {"pending": 200}
    assert {probe.attempts for probe in probes(engine)} == {0}
    again = drained(engine, run, MemoryDriver())
    assert (again.answered, again.exit_code) == (200, 0)


def test_a_request_that_is_refused_for_ever_while_others_pass_fails_in_the_end(
    engine: Engine, planned: PlanRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("jevbias.drain.admission.REFUSALS_OF_ONE", 6)
    assert REFUSALS_OF_ONE == 20
    large: list[bytes] = []

    class Driver(MemoryDriver):
        async def send(self, body: bytes) -> Reply:
            large[:] = large or [body]
            self.bodies.append(body)
            await asyncio.sleep(0.001)
            return status(429, b"larger than the limit of tokens a minute") if body == large[0] else ok()

    driver = Driver()
    summary = drained(engine, planned(60), driver, workers=2)
    assert (summary.answered, summary.failed, summary.failures) == (59, 1, {"http_429": 1})
    assert driver.bodies.count(large[0]) == 6


def test_the_servers_hint_holds_the_whole_drain_back(engine: Engine, planned: PlanRun) -> None:
    times: list[float] = []
    refused = False

    async def answer(place: int) -> Reply:
        nonlocal refused
        times.append(time.monotonic())
        await asyncio.sleep(0.02)
        if place == 20:
            times.clear()
            times.append(time.monotonic())
            refused = True
            return status(429, retry_after=0.5)
        return ok()

    summary = drained(engine, planned(60), MemoryDriver(lambda place, before: answer(place)), workers=6)
    assert refused
    assert (summary.answered, summary.sends) == (60, 61)
    assert times[1] - times[0] >= 0.5 - 0.01, "nobody sends, not only the worker that was refused"


def test_what_is_not_a_refusal_for_the_pace_lowers_nothing(
    engine: Engine, planned: PlanRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("jevbias.drain.drain._TICK", 0.005)
    view, flying, most = Recorder(), 0, 0

    async def fly(place: int, times: int) -> Reply:
        nonlocal flying, most
        flying += 1
        most = max(most, flying)
        await asyncio.sleep(0.02)
        flying -= 1
        if times == 0 and place % 3:
            return status(503) if place % 2 else timed_out()
        return ok()

    drained(engine, planned(120), MemoryDriver(fly), view, workers=8)
    assert most == 8
    at_the_start = {f"{level} of 8 at once at the start" for level in range(4, 8)}
    assert {state.held for state in view.states} <= {None, *at_the_start}


def test_the_view_says_how_much_is_sent_at_once_and_why(
    engine: Engine, planned: PlanRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("jevbias.drain.drain._TICK", 0.01)
    view = Recorder()

    async def answer(place: int) -> Reply:
        await asyncio.sleep(0.02)
        return status(529, retry_after=0.4) if place == 3 else ok()

    drained(engine, planned(30), MemoryDriver(lambda place, times: answer(place)), view, workers=8)
    shown = {state.held for state in view.states if state.held is not None}
    assert any(line.startswith("holding back 0 s, ") for line in shown)
    assert any(line.endswith(" of 8 at once after HTTP 529") for line in shown)
    assert view.states[-1].held is None
