"""Draining a run when all goes well."""

from __future__ import annotations

import asyncio
import hashlib
import json
import zlib
from pathlib import Path

import pytest
from sqlalchemy import Engine

from jevbias.drain.drain import drain
from jevbias.drain.options import DrainOptions
from jevbias.drivers.base import Reply
from jevbias.errors import DatabaseError, UsageError
from jevbias.store.connections import writing
from jevbias.store.owner import Owner
from jevbias.store.queue import ProbeQueue
from jevbias.store.tables import PROBE
from tests.drain.conftest import PlanRun
from tests.drain.draining import (
    Recorder,
    answers,
    attempts,
    drained,
    options,
    probes,
    run_row,
    statuses,
    until,
)
from tests.drain.models import HttpDriver, LoopbackModel, MemoryDriver, ok
from tests.store.small import QUESTIONS, small_plan


def test_every_probe_is_sent_once_and_every_answer_stored(engine: Engine, planned: PlanRun) -> None:
    driver = MemoryDriver()
    summary = drained(engine, planned(40), driver)
    assert (summary.answered, summary.pending, summary.exit_code) == (40, 0, 0)
    assert (summary.sends, summary.possible_sends, summary.sent_now) == (40, 0, 40)
    bodies = [driver.render(ask) for ask in small_plan(40).asks.values()]
    assert sorted(driver.bodies) == sorted(bodies)
    assert len(answers(engine)) == 40 * len(QUESTIONS)
    assert all(zlib.decompress(probe.response) == b'{"p": 0.625}' for probe in probes(engine))
    assert all(probe.lease_owner is None and probe.attempts == 1 for probe in probes(engine))
    run = run_row(engine)
    assert run.status == "finished"
    assert run.created_at <= run.started_at <= run.finished_at


def test_each_attempt_says_what_was_sent_when_and_what_came_of_it(engine: Engine, planned: PlanRun) -> None:
    driver = MemoryDriver()
    drained(engine, planned(5), driver)
    run = run_row(engine)
    sent = {hashlib.sha256(body).hexdigest() for body in driver.bodies}
    for attempt in attempts(engine):
        assert (attempt.number, attempt.outcome, attempt.http_status) == (1, "answered", 200)
        assert (attempt.possibly_billed, attempt.duration_ms) == (False, 5.0)
        assert run.started_at <= attempt.started_at <= run.finished_at
    assert {attempt.body_sha256 for attempt in attempts(engine)} == sent


def test_probes_are_sent_in_the_order_of_the_plan_by_one_worker(engine: Engine, planned: PlanRun) -> None:
    driver = MemoryDriver()
    drained(engine, planned(30), driver, workers=1)
    asks = small_plan(30).asks
    assert driver.bodies == [driver.render(asks[probe.ask_hash]) for probe in small_plan(30).probes]


def test_no_more_requests_are_in_flight_than_there_are_workers(engine: Engine, planned: PlanRun) -> None:
    flying, most = 0, 0

    async def fly() -> Reply:
        nonlocal flying, most
        flying += 1
        most = max(most, flying)
        await asyncio.sleep(0.002)
        flying -= 1
        return ok()

    drained(engine, planned(60), MemoryDriver(lambda place, times: fly()), workers=7)
    assert most == 7


def test_a_run_is_drained_over_http(engine: Engine, planned: PlanRun) -> None:
    run = planned(50)
    model = LoopbackModel()

    async def put() -> None:
        async with model.serving():
            driver = HttpDriver(model.url)
            summary = await drain(engine, run, driver, options(workers=8))
            await driver.aclose()
        assert summary.answered == 50

    asyncio.run(put())
    assert len(model.ledger) == len(set(model.ledger)) == 50


def test_a_finished_run_is_not_sent_again(engine: Engine, planned: PlanRun) -> None:
    run = planned(6)
    drained(engine, run, MemoryDriver())
    before = run_row(engine)
    driver = MemoryDriver()
    summary = drained(engine, run, driver)
    assert driver.bodies == []
    assert (summary.answered, summary.sent_now, summary.exit_code) == (6, 0, 0)
    assert run_row(engine) == before


def test_refused_and_malformed_replies_are_stored_as_what_they_are(engine: Engine, planned: PlanRun) -> None:
    replies = [b'{"p": 0.5}', b'{"refusal": "I do not\\u0000 judge\\npeople"}', b'{"nothing": 1}']
    driver = MemoryDriver(lambda place, times: Reply(200, replies[place % 3], 1.0))
    summary = drained(engine, planned(9), driver)
    assert (summary.answered, summary.refused, summary.malformed, summary.failed) == (3, 3, 3, 0)
    assert summary.exit_code == 0
    assert summary.failures == {"no_answers": 3, "refusal": 3}
    refused = next(probe for probe in probes(engine) if probe.status == "refused")
    assert refused.error == "I do not judge people"
    assert zlib.decompress(refused.response) == replies[1]


def test_a_missing_question_keeps_the_others_and_is_counted(engine: Engine, planned: PlanRun) -> None:
    driver = MemoryDriver(lambda place, times: Reply(200, b'{"p": 0.5, "missing": ["trust"]}', 1.0))
    summary = drained(engine, planned(4), driver)
    assert (summary.answered, summary.exit_code) == (4, 0)
    assert [answer.question for answer in answers(engine)] == ["advance"] * 4
    assert {(probe.error_kind, probe.error) for probe in probes(engine)} == {("incomplete", "trust: missing")}


def test_money_is_never_guessed(engine: Engine, planned: PlanRun) -> None:
    summary = drained(engine, planned(3), MemoryDriver())
    assert (summary.cost, summary.input_tokens) == (None, None)
    assert "cost n/a" in "\n".join(summary.lines())
    assert "$" not in "\n".join(summary.lines())


def test_tokens_and_costs_add_up(engine: Engine, planned: PlanRun) -> None:
    reply = json.dumps({"p": 0.5, "tokens": 100, "cost": 0.25}).encode()
    view = Recorder()
    summary = drained(engine, planned(8), MemoryDriver(lambda place, times: Reply(200, reply, 1.0)), view)
    assert (summary.cost, summary.input_tokens, summary.uncosted) == (2.0, 800, 0)
    assert view.states[-1].cost == pytest.approx(2.0)


def test_what_a_dead_worker_held_is_taken_up_at_once(engine: Engine, planned: PlanRun) -> None:
    run = planned(10)
    assert run.id is not None
    me = Owner.current()
    gone = ProbeQueue(run.id, str(Owner(me.host, me.pid, "an earlier process of this number")))
    with writing(engine) as connection:
        gone.claim(connection, 4)
    summary = drained(engine, run, MemoryDriver())
    assert (summary.answered, summary.sends, summary.possible_sends) == (10, 10, 4)


def test_a_run_whose_rest_is_held_elsewhere_waits_for_it(engine: Engine, planned: PlanRun) -> None:
    run = planned(5)
    assert run.id is not None
    far = ProbeQueue(run.id, "elsewhere@1/7/123")
    with writing(engine) as connection:
        far.claim(connection, 2)
    view = Recorder()

    async def put() -> None:
        work = asyncio.create_task(drain(engine, run, MemoryDriver(), options(), view))
        await until(lambda: statuses(engine).get("answered") == 3 and view.states[-1].waiting is not None)
        assert view.states[-1].waiting == "waiting for 2 held by other processes"
        with writing(engine) as connection:  # As when its lease runs out.
            connection.execute(PROBE.update().where(PROBE.c.status == "running").values(lease_until=1.0))
        summary = await work
        assert (summary.answered, summary.possible_sends) == (5, 2)

    asyncio.run(put())


def test_the_view_sees_the_start_the_way_and_the_end(
    engine: Engine, planned: PlanRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("jevbias.drain.drain._TICK", 0.01)
    view = Recorder()

    def on_the_way() -> bool:
        middle = [state for state in view.states if 0 < state.done < 40]
        return any(state.rate and state.eta_seconds and state.in_flight for state in middle)

    async def seen() -> Reply:
        await until(on_the_way)
        return ok()

    drained(engine, planned(40), MemoryDriver(lambda place, times: ok() if place < 20 else seen()), view)
    assert (view.states[0].done, view.states[0].total, view.states[0].run) == (0, 40, "small")
    assert (view.states[-1].done, view.states[-1].answered, view.states[-1].in_flight) == (40, 40, 0)
    assert on_the_way()
    assert view.stopped == 1


def test_the_view_knows_what_other_processes_have_done(
    engine: Engine, planned: PlanRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("jevbias.drain.drain._LOOK_AT_DATABASE", 0.0)
    run = planned(60)
    hosts = iter([Owner("one@1", 1, "1"), Owner("two@1", 1, "1")])
    monkeypatch.setattr(Owner, "current", lambda: next(hosts))

    async def slow() -> Reply:
        await asyncio.sleep(0.05)
        return ok()

    views = [Recorder(), Recorder()]

    async def put() -> None:
        drivers = [MemoryDriver(lambda place, times: slow()) for _ in views]
        both = (drain(engine, run, d, options(), v) for d, v in zip(drivers, views, strict=True))
        await asyncio.gather(*both)
        assert sum(len(driver.bodies) for driver in drivers) == 60
        assert all(driver.bodies for driver in drivers)

    asyncio.run(put())
    for view in views:
        assert view.states[-1].done == 60
        assert max(state.done for state in view.states) == 60


def test_a_worker_has_no_more_than_one_answer_that_is_not_on_the_disk(
    engine: Engine, planned: PlanRun
) -> None:
    run = planned(40)

    async def put() -> None:
        gate = asyncio.Event()

        async def hang() -> Reply:
            await gate.wait()
            return ok()

        driver = MemoryDriver(lambda place, times: hang() if place < 3 else ok())
        work = asyncio.create_task(drain(engine, run, driver, options(workers=4)))
        await until(lambda: len(driver.bodies) >= 6)
        with writing(engine):  # Nothing can be committed now.
            before = len(driver.bodies)
            await asyncio.sleep(0.3)
            assert len(driver.bodies) - before <= 2
        gate.set()
        assert (await work).answered == 40

    asyncio.run(put())


def test_a_database_that_fails_ends_the_drain_in_one_line(engine: Engine, planned: PlanRun, db: str) -> None:
    run = planned(200)
    view = Recorder()

    def spoil(place: int, times: int) -> Reply:
        if place == 20:
            for name in (db, db + "-wal", db + "-shm"):
                Path(name).rename(name + ".gone")
            Path(db).mkdir()
        return ok()

    driver = MemoryDriver(spoil)
    with pytest.raises(DatabaseError) as failure:
        drained(engine, run, driver, view)
    assert "\n" not in str(failure.value)
    assert view.stopped == 1


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"workers": 0}, "workers is 0"),
        ({"max_attempts": 0}, "attempts per probe is 0"),
        ({"timeout": 0.0}, "timeout is 0 s"),
        ({"timeout": float("nan")}, "timeout is nan s"),
        ({"rate": 0.0}, "rate is 0 requests"),
    ],
)
def test_options_that_make_no_sense_are_refused(given: dict[str, float], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        DrainOptions(**given)  # type: ignore[arg-type]


def test_a_lease_outlives_two_timeouts() -> None:
    assert DrainOptions(timeout=30.0).lease_seconds == 120.0
    assert DrainOptions(timeout=300.0).lease_seconds == 600.0
