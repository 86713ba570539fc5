"""Ctrl-C, SIGTERM, SIGKILL: what was answered stays, what is missing is sent later, all is accounted for."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import Engine

from jevbias.drain.drain import drain
from jevbias.drain.options import DrainOptions
from jevbias.drain.summary import DrainSummary
from jevbias.store.engine import open_store
from jevbias.store.progress import run_progress
from jevbias.store.reset import reset_probes
from jevbias.store.runs import find_run
from tests.drain.conftest import PlanRun
from tests.drain.draining import Recorder, attempts, drained, probes, run_row, statuses
from tests.drain.models import HttpDriver, LoopbackModel, MemoryDriver
from tests.store.processes import Child


@contextlib.contextmanager
def serving(model: LoopbackModel) -> Iterator[LoopbackModel]:
    """The model on a loopback port, served from a thread of this process."""
    up, down = threading.Event(), asyncio.Event()
    loops: list[asyncio.AbstractEventLoop] = []

    async def serve() -> None:
        loops.append(asyncio.get_running_loop())
        async with model.serving():
            up.set()
            await down.wait()

    thread = threading.Thread(target=asyncio.run, args=(serve(),))
    thread.start()
    assert up.wait(10)
    try:
        yield model
    finally:
        loops[0].call_soon_threadsafe(down.set)
        thread.join()


def drain_over_http(pipe: Any, db: str, url: str, workers: int, given: dict[str, Any]) -> DrainSummary:
    engine = open_store(db)

    class Teller(Recorder):
        def note(self, line: str) -> None:
            pipe.send(("note", line))

    async def put() -> DrainSummary:
        driver = HttpDriver(url, timeout=60.0)
        try:
            chosen = DrainOptions(**{"workers": workers, "timeout": 60.0, "first_wait": 0.01, **given})
            return await drain(engine, find_run(engine, None), driver, chosen, Teller())
        finally:
            await driver.aclose()

    return asyncio.run(put())


def wait_until(condition: Any) -> None:
    for _ in range(6_000):
        if condition():
            return
        time.sleep(0.01)
    raise TimeoutError


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_after_3_of_10_keeps_3_and_what_is_on_its_way(
    engine: Engine, planned: PlanRun, db: str, number: signal.Signals
) -> None:
    planned(10)
    model = LoopbackModel()
    gate = threading.Event()

    def answer(place: int, times: int) -> tuple[int, dict[str, str], bytes]:
        if place >= 3:
            gate.wait(30)
        return 200, {}, b'{"p": 0.5}'

    model.script = answer
    with serving(model):
        child = Child(drain_over_http, db, model.url, 1, {})
        wait_until(lambda: len(model.ledger) == 4 and statuses(engine).get("answered", 0) == 3)
        os.kill(child.pid, number)
        assert child.wait_for_line()[1].startswith("stopping: waiting for the answers on their way")
        gate.set()
        summary = child.result()
        assert (summary.answered, summary.pending, summary.exit_code) == (4, 6, 130)
        assert "interrupted, 6 pending; `jevbias run --resume small` goes on" in summary.lines()
        assert statuses(engine) == {"answered": 4, "pending": 6}
        assert {probe.lease_owner for probe in probes(engine)} == {None}
        assert run_row(engine).status == "stopped"
        assert len(model.ledger) == len(attempts(engine)) == 4, "what was only claimed is forgotten"

        again = Child(drain_over_http, db, model.url, 2, {}).result()
        assert (again.answered, again.pending, again.exit_code) == (10, 0, 0)
        assert (again.sends, again.possible_sends, again.sent_now) == (10, 0, 6)
    assert set(Counter(model.ledger).values()) == {1}


def test_a_second_interruption_stops_at_once_and_what_was_on_its_way_is_possibly_sent(
    engine: Engine, planned: PlanRun, db: str
) -> None:
    run = planned(10)
    assert run.id is not None
    model = LoopbackModel(delay=600)
    with serving(model):
        child = Child(drain_over_http, db, model.url, 3, {})
        wait_until(lambda: len(model.ledger) == 3)
        child.interrupt()
        child.wait_for_line()
        child.interrupt()
        assert child.wait_for_line()[1].startswith("stopping at once")
        begun = time.monotonic()
        summary = child.result()
        assert time.monotonic() - begun < 20
        assert (summary.exit_code, summary.answered, summary.pending) == (130, 0, 10)
        assert summary.possible_sends >= 3
        assert child.exit_code == 0
    assert reset_probes(engine, run.id).abandoned >= 3
    assert statuses(engine) == {"pending": 10}
    progress = run_progress(engine, run.id)
    assert (progress.sends, progress.possible_sends) == (0, summary.possible_sends)


@pytest.mark.parametrize("hint", ["30", None])
def test_an_interruption_ends_a_wait_between_two_attempts(
    engine: Engine, planned: PlanRun, db: str, hint: str | None
) -> None:
    planned(5)
    headers = {} if hint is None else {"retry-after": hint}
    model = LoopbackModel(lambda place, times: (503, headers, b"busy"))
    with serving(model):
        child = Child(drain_over_http, db, model.url, 2, {"first_wait": 30.0})
        wait_until(lambda: [row.outcome for row in attempts(engine)].count("http_503") == 2)
        begun = time.monotonic()
        child.interrupt()
        summary = child.result()
    assert time.monotonic() - begun < 20
    assert (summary.exit_code, summary.pending, summary.sends, summary.possible_sends) == (130, 5, 2, 0)
    assert {probe.lease_owner for probe in probes(engine)} == {None}
    assert sorted(probe.attempts for probe in probes(engine)) == [0, 0, 0, 1, 1]


def test_an_interruption_ends_a_wait_for_the_rate(engine: Engine, planned: PlanRun, db: str) -> None:
    planned(5)
    model = LoopbackModel()
    with serving(model):
        child = Child(drain_over_http, db, model.url, 3, {"rate": 1.0})
        wait_until(lambda: statuses(engine).get("answered") == 1)
        child.interrupt()
        summary = child.result()
    assert (summary.exit_code, summary.answered, summary.sends, summary.possible_sends) == (130, 1, 1, 0)


def test_answers_that_do_not_come_are_not_awaited_for_ever(
    engine: Engine, planned: PlanRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("jevbias.drain.drain._GRACE", 0.1)
    run = planned(4)

    async def never() -> Any:
        os.kill(os.getpid(), signal.SIGINT)
        await asyncio.sleep(600)

    summary = drained(engine, run, MemoryDriver(lambda p, t: never()), workers=1, timeout=0.2)
    assert (summary.exit_code, summary.pending, summary.possible_sends) == (130, 4, 1)
    assert [row.outcome for row in attempts(engine)] == ["unknown"]
    assert {probe.lease_owner for probe in probes(engine)} == {None}


def test_after_a_drain_ctrl_c_is_pythons_again(engine: Engine, planned: PlanRun) -> None:
    before = signal.getsignal(signal.SIGTERM)
    drained(engine, planned(2), MemoryDriver())
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert signal.getsignal(signal.SIGTERM) == before


def test_a_drain_may_run_outside_the_main_thread(engine: Engine, planned: PlanRun) -> None:
    run = planned(5)
    found: list[DrainSummary] = []
    thread = threading.Thread(target=lambda: found.append(drained(engine, run, MemoryDriver())))
    thread.start()
    thread.join()
    assert found[0].answered == 5


def test_kills_in_the_middle_lose_no_answer_and_every_send_is_accounted_for(
    engine: Engine, planned: PlanRun, db: str
) -> None:
    run = planned(120)
    assert run.id is not None
    model = LoopbackModel(delay=0.004)
    workers, kills = 4, 4
    target, killed = 0, threading.Event()

    def answer(place: int, times: int) -> tuple[int, dict[str, str], bytes]:
        if place >= target:  # However late the kill comes, no more than this is answered before it.
            killed.wait(60)
        return 200, {}, b'{"p": 0.5}'

    model.script = answer
    answered_before: set[int] = set()
    with serving(model):
        for kill in range(kills):
            target, killed = len(model.ledger) + 9 + 7 * kill, threading.Event()
            child = Child(drain_over_http, db, model.url, workers, {})
            wait_until(lambda target=target: len(model.ledger) >= target)
            child.kill()
            killed.set()
            answered = {probe.id for probe in probes(engine) if probe.status == "answered"}
            assert answered_before <= answered
            answered_before = answered
        summary = Child(drain_over_http, db, model.url, workers, {}).result()
    assert (summary.answered, summary.pending, summary.failed, summary.exit_code) == (120, 0, 0, 0)
    sent = Counter(model.ledger)
    assert len(sent) == 120
    assert len(model.ledger) - 120 <= 2 * workers * kills
    progress = run_progress(engine, run.id)
    assert progress.answers == 240
    assert progress.sends <= len(model.ledger) <= progress.sends + progress.possible_sends
    by_probe = Counter(row.probe_id for row in attempts(engine))
    assert max(by_probe.values()) <= kills + 1
    assert max(probe.attempts for probe in probes(engine)) <= 1, "a kill uses up no attempt"


def test_several_processes_share_a_run_and_send_each_probe_once(
    engine: Engine, planned: PlanRun, db: str
) -> None:
    planned(160)
    model = LoopbackModel(delay=0.01)
    with serving(model):
        children = [Child(drain_over_http, db, model.url, 4, {}) for _ in range(3)]
        summaries = [child.result() for child in children]
    assert Counter(model.ledger).most_common(1)[0][1] == 1
    assert len(model.ledger) == 160
    assert sum(summary.sent_now for summary in summaries) == 160
    assert all((summary.answered, summary.exit_code) == (160, 0) for summary in summaries)
    assert run_row(engine).status == "finished"
