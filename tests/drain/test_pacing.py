"""The pace that the user sets is kept evenly, and made use of."""

from __future__ import annotations

import asyncio
import time

import pytest
from sqlalchemy import Engine, select

from jevbias.drain.options import DrainOptions
from jevbias.drain.pacing import CATCH_UP, KEPT_SHARE, Pacer
from jevbias.drivers.base import Reply
from jevbias.errors import UsageError
from jevbias.plan.estimate import BYTES_PER_TOKEN
from jevbias.store.connections import writing
from jevbias.store.leases import lose
from jevbias.store.tables import PROBE
from tests.drain.admitted import sent
from tests.drain.conftest import PlanRun
from tests.drain.draining import attempts, drained, options
from tests.drain.limited import most_within
from tests.drain.models import MemoryDriver, ok, status
from tests.drain.virtual_time import in_virtual_time, now
from tests.store.small import small_plan

LATENESS = 0.02
"""Seconds by which wake-ups come late at most, in virtual time: a machine with much else to do."""


def test_no_window_holds_more_than_the_rate_allows_and_the_rate_is_reached() -> None:
    found = sent(options(workers=8, rate=1_200), 2_600, latency=0.05, lateness=LATENESS)
    assert most_within(found.arrived, 60.0) <= 1_200
    assert most_within(found.arrived, 3.0) <= 66
    assert most_within(found.arrived, 1.0) <= 25
    assert found.rate() >= 0.97 * 20


@pytest.mark.parametrize("lateness", [0.0, LATENESS])
@pytest.mark.parametrize(("workers", "latency"), [(1, 0.04), (8, 0.3), (128, 3.0)])
def test_the_rate_is_reached_wherever_the_workers_allow_it(
    workers: int, latency: float, lateness: float
) -> None:
    found = sent(
        options(workers=workers, rate=1_200), 1_200 + workers, latency=latency, lateness=lateness / workers
    )
    assert found.rate(skip=3 * workers) >= 0.96 * 20
    assert most_within(found.arrived, 60.0) <= 1_200


def test_the_first_requests_are_spread_like_all_others() -> None:
    found = sent(options(workers=16, rate=1_200), 24, latency=0.5)
    for place, at in enumerate(found.arrived):
        for later, then in enumerate(found.arrived[place + 1 :], place + 1):
            assert then - at >= (later - place - 1) / (20 * KEPT_SHARE) - CATCH_UP - 1e-6


def test_a_drain_keeps_the_pace_and_its_retries_do(engine: Engine, planned: PlanRun) -> None:
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


def test_tokens_are_paced_by_what_the_server_counts() -> None:
    tokens = 1_000
    found = sent(
        options(workers=8, tokens_per_second=20 * tokens),
        620,
        latency=0.05,
        tokens=tokens,
        size=200,
        lateness=LATENESS,
    )
    settled = found.arrived[20:]  # The first are sent on the guess, which is far too low here.
    assert most_within(settled, 1.0) <= 25
    assert found.rate(skip=20) >= 0.96 * 20


def test_a_drain_learns_what_the_server_counts(engine: Engine, planned: PlanRun) -> None:
    times: list[float] = []

    def note(place: int, before: int) -> Reply:
        times.append(time.monotonic())
        return ok(tokens=1_000)

    drained(engine, planned(40), MemoryDriver(note), workers=1, tokens_per_second=40_000)
    assert times[-1] - times[5] >= (len(times) - 6) / 40 - CATCH_UP - 0.05


def test_a_request_of_more_tokens_than_a_second_allows_is_sent_in_its_time() -> None:
    async def put() -> float:
        pacer = Pacer(None, 100.0)
        pacer.learn(1_000, 1_000)
        begun = now()
        await pacer.turn(60)
        return now() - begun

    assert in_virtual_time(put()) == pytest.approx(0.6 / KEPT_SHARE - CATCH_UP, abs=0.001)


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


def test_who_waited_for_the_pace_does_not_send_what_others_have_taken_meanwhile(
    engine: Engine, planned: PlanRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = planned(4)
    real, ahead = time.time, [0.0]
    monkeypatch.setattr("time.time", lambda: real() + ahead[0])
    taken: list[int] = []

    def answer(place: int, times: int) -> Reply:
        if (
            place == 0
        ):  # As after an hour's sleep of this machine: another has taken what waits here, and fails.
            with writing(engine) as connection:
                held = connection.execute(select(PROBE.c.id).where(PROBE.c.status == "running")).scalars()
                taken.extend(held.all())
                lose(connection, taken)
                ended = {"status": "failed", "last_attempt": PROBE.c.last_attempt + 1}
                connection.execute(PROBE.update().where(PROBE.c.id.in_(taken)).values(ended))
            ahead[0] = 3_600.0
        return ok()

    driver = MemoryDriver(answer)
    drained(engine, run, driver, workers=3, rate=150)
    assert 2 <= len(taken) <= 4
    assert len(driver.bodies) == 1 + 4 - len(taken), "one was on its way, the rest is another's"
    assert [row.outcome for row in attempts(engine)] == ["answered"] * len(driver.bodies)
