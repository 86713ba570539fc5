"""SIGKILL at random moments, while a run is planned and while it is drained: nothing is lost, little is paid
twice, and every send is accounted for.
"""

from __future__ import annotations

import json
import os
import random
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, Row, select, text

from jevbias.catalogue.catalogue import Catalogue
from jevbias.errors import DatabaseError
from jevbias.mock.serve import running_mock
from jevbias.store.connections import reading
from jevbias.store.engine import open_store
from jevbias.store.tables import ANSWER, ATTEMPT, PROBE, RUN
from tests.drain.commands import Command, wait_for
from tests.drain.held_model import HeldModel
from tests.mock.http import get
from tests.postgres.databases import Databases

KILLS = int(os.environ.get("JEVBIAS_TEST_KILLS", "10"))
"""The whole proof takes 50, of a run of 2,080 probes."""
PROFILE = "factorial" if KILLS >= 50 else "pilot"
SEED = int(os.environ.get("JEVBIAS_TEST_KILL_SEED", "1"))
WORKERS = 4
AHEAD = 24
"""Requests that may be answered between the moment of a kill and the kill."""


@pytest.fixture(params=["sqlite", "postgresql"])
def db(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return str(tmp_path / "jevbias.db")
    postgres: Databases = request.getfixturevalue("postgres")
    return postgres.empty()


def test_kills_lose_no_answer_and_cost_two_sends_a_worker_at_most(
    db: str, catalogue: Catalogue, tmp_path: Path
) -> None:
    draw = random.Random(SEED)
    model = HeldModel(catalogue, seed=2)
    with running_mock(model, latency_ms=5) as mock:
        settings = {
            "JEVBIAS_DB": db,
            "TYPESAFE_BASE_URL": mock.base_url,
            "JEVBIAS_WORKERS": str(WORKERS),
            "JEVBIAS_TIMEOUT": "300",
        }

        def start(*arguments: str) -> Command:
            return Command(tmp_path, *arguments, settings=settings)

        commands = [planned_despite_kills(start, db, draw)]
        engine = open_store(db, create=False)
        probes = len(rows(engine, select(PROBE.c.id)))
        committed: dict[int, object] = {}
        for moment in sorted(draw.randrange(int(0.9 * probes)) for _ in range(KILLS)):
            while len(commands) < 2:
                commands.append(start(*draw.choice([("run", "--resume", "mine"), ("work", "--run", "mine")])))
            model.allow(moment + AHEAD)
            wait_for(partial(model.has_answered, moment))
            time.sleep(draw.uniform(0, 0.02))
            commands.pop(draw.randrange(2)).kill()
            found = answered(engine)
            assert committed.items() <= found.items(), "what was committed stays as it was, byte for byte"
            committed = found
        model.allow(10**9)
        assert [command.ended() for command in commands] == [0]
        last = start("run", "--resume", "mine")
        assert last.ended() == 0
        assert last.said[0] == "mine: nothing left to send"
        ledger = Counter(row["sha256"] for row in get(mock, "/ledger").content)
        status = start("status", "--json")
        assert status.ended() == 0
    assert_all_is_accounted_for(engine, json.loads("\n".join(status.said)), ledger, committed)
    extra = ledger.total() - probes
    print(f"{probes} probes, {KILLS} kills, {extra} sent again, {len(committed)} committed at the last kill")  # noqa: T201
    assert extra <= 2 * WORKERS * KILLS


def planned_despite_kills(start: Callable[..., Command], db: str, draw: random.Random) -> Command:
    """A command that drains the run, after others were killed while they planned it."""
    for _ in range(max(2, KILLS // 10)):
        command = start("run", "--profile", PROFILE, "--driver", "jev", "--name", "mine")
        wait_for(lambda: run_status(db) is not None)
        time.sleep(draw.uniform(0, 0.01))
        command.kill()
        if run_status(db) == "planning":
            refused = start("run", "--resume", "mine")
            assert refused.ended() == 2
            assert refused.said == [
                "jevbias: run mine was never fully planned; start it again under the same name"
            ]
    if run_status(db) == "planning":
        last = start("run", "--profile", PROFILE, "--driver", "jev", "--name", "mine")
        wait_for(lambda: run_status(db) not in (None, "planning"))
        return last
    return start("run", "--resume", "mine")


def assert_all_is_accounted_for(
    engine: Engine, status: dict[str, Any], ledger: Counter[str], committed: dict[int, object]
) -> None:
    probes = rows(engine, select(PROBE))
    attempts = rows(engine, select(ATTEMPT))
    assert {probe.status for probe in probes} == {"answered"}
    assert {probe.lease_owner for probe in probes} == {None}
    assert committed.items() <= answered(engine).items()
    questions = Counter(answer.probe_id for answer in rows(engine, select(ANSWER)))
    assert questions.keys() == {probe.id for probe in probes}
    answers_that_came = Counter(row.probe_id for row in attempts if row.outcome == "answered")
    assert set(answers_that_came.values()) == {1}
    assert {row.outcome for row in attempts} <= {"answered", "unknown"}
    assert max(probe.attempts for probe in probes) == 1, "a kill uses up no attempt"

    assert (status["status"], status["by_status"]["answered"]) == ("finished", len(probes))
    assert status["sends"] <= ledger.total() <= status["sends"] + status["possible_sends"]
    assert status["sends"] + status["possible_sends"] == len(attempts)
    body_of = {row.probe_id: row.body_sha256 for row in attempts if row.outcome == "answered"}
    known = Counter(row.body_sha256 for row in attempts if row.outcome == "answered")
    possible = Counter(body_of[row.probe_id] for row in attempts if row.outcome == "unknown")
    assert ledger.keys() == known.keys()
    for body, sent in ledger.items():
        assert known[body] <= sent <= known[body] + possible[body]
    if engine.dialect.name == "sqlite":
        assert rows(engine, text("PRAGMA integrity_check"))[0][0] == "ok"


def run_status(db: str) -> str | None:
    """The status of the only run; None where there is none yet."""
    try:
        found = rows(open_store(db, create=False), select(RUN.c.status))
    except DatabaseError:
        return None
    return found[0].status if found else None


def answered(engine: Engine) -> dict[int, object]:
    """Probe: everything that is stored of its answer."""
    probes = {row.id: tuple(row) for row in rows(engine, select(PROBE).where(PROBE.c.status == "answered"))}
    answers: dict[int, list[Any]] = {}
    for row in rows(engine, select(ANSWER).order_by(ANSWER.c.probe_id, ANSWER.c.question)):
        answers.setdefault(row.probe_id, []).append(tuple(row))
    return {probe: (probes[probe], answers[probe]) for probe in probes}


def rows(engine: Engine, query: Any) -> list[Row[Any]]:
    with reading(engine) as connection:
        return list(connection.execute(query).all())
