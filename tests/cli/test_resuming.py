"""After failures, stops and malformed replies: what is said, what is sent again, and with which exit code."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from jevbias.catalogue.catalogue import Catalogue
from jevbias.mock.model import MockModel
from jevbias.mock.serve import RunningMock, running_mock
from jevbias.store.clock import Clock
from jevbias.store.connections import writing
from jevbias.store.engine import open_store
from jevbias.store.owner import Owner
from jevbias.store.queue import ProbeQueue
from jevbias.store.run_status import mark_running
from jevbias.store.runs import find_run
from tests.cli.conftest import Jevbias, Result
from tests.drain.models import LoopbackModel

RUN = ("run", "--driver", "jev", "--name", "mine", "--workers", "1", "--max-attempts", "1")
KEY = "sk-loopback-0123456789"


@contextmanager
def answering(code: int, body: bytes) -> Iterator[LoopbackModel]:
    """A server on loopback that always says the same."""
    model = LoopbackModel(lambda place, times: (code, {}, body))
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


@pytest.fixture
def mock(catalogue: Catalogue) -> Iterator[RunningMock]:
    with running_mock(MockModel(catalogue, seed=2)) as running:
        yield running


def asked(jevbias: Jevbias, model: LoopbackModel, *more: str) -> Result:
    return jevbias(*RUN, *more, TYPESAFE_BASE_URL=model.url.rstrip("/"), TYPESAFE_API_KEY=KEY)


def test_a_server_that_answers_something_else_stops_the_run_in_one_line_and_costs_five_calls(
    jevbias: Jevbias, mock: RunningMock
) -> None:
    with answering(200, b'{"hello":1,"\x1b[31mkey":"%s"}' % KEY.encode()) as model:
        run = asked(jevbias, model)
        assert len(model.ledger) == 5
    assert run.code == 1
    (line,) = [line for line in run.err.splitlines() if line.startswith("stopped: ")]
    assert model.url.rstrip("/") in line
    assert '{"hello":1,' in line
    assert "check that this address serves model jev-latest" in line
    assert line.isprintable()
    assert KEY not in run.err
    assert "15 pending; `jevbias run --resume mine` goes on" in run.err.splitlines()
    status = jevbias("status")
    assert f"stopped   {line.removeprefix('stopped: ')}" in status.out.splitlines()
    assert "rate" not in status.out
    assert "go on     `jevbias run --resume mine`" in status.out.splitlines()
    resumed = jevbias("run", "--resume", "mine", TYPESAFE_BASE_URL=mock.base_url)
    assert resumed.code == 0, resumed.err
    assert jevbias("status", "--json").json["stop_reason"] is None


@pytest.mark.parametrize("code", [500, 501, 422])
def test_a_server_that_fails_every_call_is_named(jevbias: Jevbias, code: int) -> None:
    with answering(code, b"{}") as model:
        run = asked(jevbias, model)
    assert run.code == 1
    (line,) = [line for line in run.err.splitlines() if line.startswith("stopped: ")]
    assert f"{model.url.rstrip('/')}: 5 probes in a row failed" in line
    assert str(code) in line


def test_failed_and_malformed_probes_are_sent_again_by_the_commands_that_are_named(
    jevbias: Jevbias, mock: RunningMock
) -> None:
    db = ("--db", "other runs.db")
    bodies = {2: (422, b'{"detail":"too long"}'), 5: (200, b'{"hello":1}')}
    good = b'{"model":"m","answers":%s}' % _answers()
    with answering(200, b"") as model:
        model.script = lambda place, times: (
            bodies.get(place, (200, good))[0],
            {},
            bodies.get(place, (200, good))[1],
        )
        run = asked(jevbias, model, *db)
    assert run.code == 1
    hint = (
        "`jevbias reset --failed --run mine --db 'other runs.db'`, "
        "then `jevbias run --resume mine --db 'other runs.db'`"
    )
    assert run.err.splitlines()[-1] == f"to send the 1 failed, 1 malformed again: {hint}"

    again = jevbias("run", "--resume", "mine", *db, TYPESAFE_BASE_URL=mock.base_url)
    assert again.code == 1, "a probe still is failed"
    assert again.err.splitlines()[0] == "mine: nothing left to send"
    assert hint in again.err.splitlines()[-1]
    assert f"again     1 failed, 1 malformed: {hint}" in jevbias("status", *db).out

    reset = jevbias("reset", "--failed", "--run", "mine", *db)
    assert reset.err.splitlines() == [
        "mine: 0 probes abandoned, 1 failed, 1 malformed: returned to the queue",
        "`jevbias run --resume mine --db 'other runs.db'` sends them",
    ]
    resumed = jevbias("run", "--resume", "mine", *db, TYPESAFE_BASE_URL=mock.base_url)
    assert resumed.code == 0, resumed.err
    status = jevbias("status", "--json", *db).json
    assert (status["by_status"]["answered"], status["sends"]) == (15, 17)


def test_resuming_a_finished_run_asks_for_no_key_and_says_that_nothing_is_left(
    jevbias: Jevbias, mock: RunningMock
) -> None:
    assert jevbias(*RUN, TYPESAFE_BASE_URL=mock.base_url).code == 0
    for command in (("run", "--resume", "mine"), ("work",)):
        resumed = jevbias(*command, TYPESAFE_BASE_URL="https://elsewhere.invalid")
        assert resumed.code == 0
        assert resumed.err.splitlines()[0] == "mine: nothing left to send"


def _answers() -> bytes:
    """A usable answer to any question of the smoke run, and to those of no other."""
    import json

    from jevbias.catalogue.load import load_catalogue

    answers: dict[str, object] = {}
    for key, question in load_catalogue().scenarios["hiring_screen"].questions.items():
        if question.kind == "noul":
            answers[key] = {"type": "noul", "noul": 0.5}
        else:
            options = list(question.criteria) if question.kind == "choice" else range(len(question.criteria))
            share = 1 / len(options)
            answers[key] = {
                "type": question.kind,
                "probabilities": {str(option): share for option in options},
            }
    return json.dumps(answers).encode()


def test_after_a_kill_status_says_that_nobody_works_on_the_run_and_reset_stops_it(jevbias: Jevbias) -> None:
    assert jevbias("run", "--plan-only", "--driver", "local", "--name", "mine").code == 0
    engine = open_store("jevbias.db", create=False)
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        killed = ProbeQueue(find_run(engine, "mine").id or 0, str(Owner.of(process.pid)), 120.0, Clock())
    with writing(engine) as connection:
        mark_running(connection, killed.run_id, time.time())
        killed.claim(connection, 4)
    engine.dispose()
    looked = jevbias("status", "--watch").out.splitlines()
    assert looked[0] == "run       mine (running, but no live process works on it)"
    assert "abandoned 4 held by a process that is gone: `jevbias reset --run mine`" in looked
    assert "go on     `jevbias run --resume mine`" in looked
    assert jevbias("reset").code == 0
    after = jevbias("status", "--watch").out.splitlines()
    assert after[:2] == ["run       mine (stopped)", "stopped   its process is gone"]
    assert "go on     `jevbias run --resume mine`" in after
