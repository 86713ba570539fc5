"""The pace that the user sets is kept evenly, and made use of."""

from __future__ import annotations

import asyncio
import json
import time

import pytest
from sqlalchemy import Engine

from jevbias.drain.drain import drain
from jevbias.drain.options import DrainOptions
from jevbias.drain.pacing import CATCH_UP, KEPT_SHARE, Pacer
from jevbias.drivers.base import Reply
from jevbias.errors import UsageError
from jevbias.plan.estimate import BYTES_PER_TOKEN
from tests.drain.conftest import PlanRun
from tests.drain.draining import drained, options
from tests.drain.limited import Answer, most_within
from tests.drain.models import OK, HttpDriver, LoopbackModel, MemoryDriver, ok, status
from tests.store.small import small_plan


def arrivals(engine: Engine, plan: PlanRun, probes: int, answer: Answer, **given: float) -> list[float]:
    """When the requests of a drain arrived at a server on loopback."""
    times: list[float] = []

    def note(place: int, before: int) -> Answer:
        times.append(time.monotonic())
        return answer

    async def put() -> None:
        async with LoopbackModel(note).serving() as model:
            driver = HttpDriver(model.url)
            summary = await drain(engine, plan(probes), driver, options(workers=8, **given))
            await driver.aclose()
        assert summary.answered == probes

    asyncio.run(put())
    return times


def test_no_window_holds_more_than_the_rate_allows_and_the_rate_is_reached(
    engine: Engine, planned: PlanRun
) -> None:
    times = arrivals(engine, planned, 180, (200, {}, OK), rate=1_200)
    assert most_within(times, 3.0) <= 66
    assert most_within(times, 1.0) <= 30
    # What a minute holds at most follows from the two constants; a whole minute is not waited for here.
    assert 1 + (60 + CATCH_UP) * 20 * KEPT_SHARE < 1_200
    assert (len(times) - 1) / (times[-1] - times[0]) >= 0.95 * 20


def test_the_first_requests_are_spread_like_all_others(engine: Engine, planned: PlanRun) -> None:
    times: list[float] = []

    def note(place: int, before: int) -> Reply:
        times.append(time.monotonic())
        return ok()

    drained(engine, planned(24), MemoryDriver(note), workers=16, rate=1_200)
    for place, at in enumerate(times):
        for later, then in enumerate(times[place + 1 :], place + 1):
            assert then - at >= (later - place - 1) / (20 * KEPT_SHARE) - CATCH_UP - 0.005


def test_retries_are_paced_like_any_send(engine: Engine, planned: PlanRun) -> None:
    times: list[float] = []

    def note(place: int, before: int) -> Reply:
        times.append(time.monotonic())
        return status(503) if before == 0 else ok()

    summary = drained(engine, planned(12), MemoryDriver(note), workers=12, rate=1_200)
    assert summary.sends == len(times) == 24
    assert times[-1] - times[0] >= 23 / 20 - CATCH_UP - 0.005


def test_tokens_are_paced_by_the_bytes_sent_until_the_server_counts_them(
    engine: Engine, planned: PlanRun
) -> None:
    size = len(MemoryDriver().render(next(iter(small_plan(1).asks.values()))))
    guessed = size / BYTES_PER_TOKEN
    begun = time.monotonic()
    drained(engine, planned(30), MemoryDriver(), tokens_per_second=20 * guessed)
    assert time.monotonic() - begun >= (30 - 1) / 20 - CATCH_UP - 0.05


def test_tokens_are_paced_by_what_the_server_counts(engine: Engine, planned: PlanRun) -> None:
    tokens = 1_000
    answer: Answer = (200, {}, json.dumps({"p": 0.5, "tokens": tokens}).encode())
    times = arrivals(engine, planned, 60, answer, tokens_per_second=20 * tokens)
    settled = times[12:]  # The first are sent on the guess, which is far too low here.
    assert most_within(settled, 1.0) <= 30
    assert (len(settled) - 1) / (settled[-1] - settled[0]) >= 0.9 * 20


def test_a_request_of_more_tokens_than_a_second_allows_is_sent_in_its_time() -> None:
    async def put() -> float:
        pacer = Pacer(None, 100.0)
        pacer.learn(1_000, 1_000)
        begun = time.monotonic()
        await pacer.turn(60)
        return time.monotonic() - begun

    assert asyncio.run(put()) == pytest.approx(0.6 / KEPT_SHARE - CATCH_UP, abs=0.1)


def test_the_ratio_of_tokens_to_bytes_is_that_of_all_counts_so_far() -> None:
    async def put() -> None:
        pacer = Pacer(None, 1e6)
        assert pacer.tokens_in(420) == pytest.approx(100)
        pacer.learn(1_000, None)
        pacer.learn(1_000, 0)
        assert pacer.tokens_in(420) == pytest.approx(100), "nobody counted"
        pacer.learn(1_000, 500)
        pacer.learn(3_000, 500)
        assert pacer.tokens_in(400) == pytest.approx(100)

    asyncio.run(put())


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"rate": float("inf")}, "rate is inf requests"),
        ({"rate": float("nan")}, "rate is nan requests"),
        ({"rate": -1.0}, "rate is -1 requests"),
        ({"tokens_per_second": 0.0}, "tokens per second is 0"),
        ({"tokens_per_second": float("inf")}, "tokens per second is inf"),
    ],
)
def test_a_pace_that_is_none_is_refused(given: dict[str, float], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        DrainOptions(**given)  # type: ignore[arg-type]
