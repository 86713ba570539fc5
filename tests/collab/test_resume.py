"""A bench that was killed and resumed says the same, byte for byte, as one that was not."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from jevbias.collab.analyse import analyse_collab
from jevbias.store.call_tables import CALL
from jevbias.store.engine import open_store
from tests.cli.answering import Asked, Said
from tests.cli.conftest import Jevbias
from tests.collab.servers import Models, serving

BENCH = ("collab", "demo", "--episodes", "2", "--name", "b", "--threshold", "0.3", "--arms")
ARMS = "llm_plus_jev,llm_plus_reflex"


def without_clocks(report: Path) -> bytes:
    content = json.loads(report.read_bytes())
    assert set(content.pop("timing")) == {
        *("started_at", "finished_at", "latency", "sent_again", "possibly_billed"),
    }
    return json.dumps(content).encode()


def counted(db: Path, table: str) -> int:
    try:
        with sqlite3.connect(db) as connection:
            return int(connection.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0])
    except sqlite3.OperationalError:
        return 0


def test_killed_in_the_middle_and_resumed_equals_uninterrupted(jevbias: Jevbias, tmp_path: Path) -> None:
    assert jevbias(*BENCH, ARMS, "--db", "whole.db", "--out", "whole.json").code == 0
    planned = counted(tmp_path / "whole.db", "episode")
    killed = subprocess.Popen(
        [sys.executable, "-m", "jevbias", *BENCH, ARMS, "--db", "killed.db", "--workers", "2"],
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    until = time.monotonic() + 120
    while counted(tmp_path / "killed.db", "episode") < planned // 3 and time.monotonic() < until:
        time.sleep(0.02)
    os.kill(killed.pid, signal.SIGKILL)
    killed.wait()
    played, sent = (counted(tmp_path / "killed.db", table) for table in ("episode", "call"))
    assert 0 < played < planned
    resume = ("collab", "run", "--resume", "b", "--db", "killed.db", "--out", "killed.json")
    assert jevbias(*resume).code == 0
    assert without_clocks(tmp_path / "killed.json") == without_clocks(tmp_path / "whole.json")
    assert sent < counted(tmp_path / "killed.db", "call") == counted(tmp_path / "whole.db", "call")
    with sqlite3.connect(tmp_path / "killed.db") as connection:
        again, most = connection.execute("SELECT SUM(sends) - COUNT(*), MAX(sends) FROM call").fetchone()
    # What was on its way when the process was killed, at most one call a worker, was sent once more.
    assert again <= 2
    assert most <= 2


def test_a_resumed_bench_is_the_one_that_was_begun(jevbias: Jevbias) -> None:
    jevbias("collab", "demo", "--episodes", 1, "--name", "b", "--arms", "llm_autonomous")
    refused = jevbias("collab", "run", "--resume", "b", "--arms", "all", "--seed", 3)
    assert refused.code == 2
    assert "leave out --arms, --seed" in refused.err
    again = jevbias("collab", "run", "--resume", "b", "--json")
    assert again.code == 0
    assert "nothing left to play" in again.err
    assert again.json["run"]["arms"] == ["random_policy", "llm_autonomous"]


def test_a_task_that_has_changed_is_refused(jevbias: Jevbias, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.collab.tasks import Line

    task = ("collab", "run", "--task", "tests.collab.tasks:Line", "--episodes", 1, "--driver", "local")
    assert jevbias(*task, "--name", "b").code == 0
    with sqlite3.connect("jevbias.db") as connection:
        connection.execute("DELETE FROM episode WHERE number = 0 AND arm = 'llm_plus_jev'")
    monkeypatch.setattr(Line, "maximum_steps", lambda self, state: 9)
    refused = jevbias("collab", "run", "--resume", "b")
    assert refused.code == 2
    assert "it has changed since the bench began" in refused.err


def test_a_task_whose_actions_do_something_else_is_refused(
    jevbias: Jevbias, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests.collab.tasks import Line

    task = ("collab", "run", "--task", "tests.collab.tasks:Line", "--episodes", 1, "--driver", "local")
    assert jevbias(*task, "--name", "b", "--arms", "llm_autonomous").code == 0
    with sqlite3.connect("jevbias.db") as connection:
        connection.execute("DELETE FROM episode WHERE arm = 'llm_autonomous'")
    monkeypatch.setattr(Line, "apply", lambda self, state, action: {**state, "at": state["end"]})
    refused = jevbias("collab", "run", "--resume", "b")
    assert refused.code == 2
    assert "it has changed since the bench began" in refused.err


def test_two_reports_of_one_bench_are_byte_identical(jevbias: Jevbias, tmp_path: Path) -> None:
    assert jevbias("collab", "demo", "--episodes", 2, "--out", "a.json", "--page", "a.html").code == 0
    assert jevbias("collab", "report", "--out", "b.json", "--page", "b.html").code == 0
    for kind in ("json", "html"):
        assert (tmp_path / f"a.{kind}").read_bytes() == (tmp_path / f"b.{kind}").read_bytes()


def test_a_call_that_was_on_its_way_when_a_process_died_counts_as_possibly_billed(
    jevbias: Jevbias, tmp_path: Path
) -> None:
    run = ("collab", "run", "--task", "tests.collab.tasks:Line", "--episodes", 1, "--driver", "jev")
    with serving(Models()) as models:
        jevbias(*run, "--name", "b", "--arms", "scripted_plus_jev", **models.settings)
        engine = open_store(str(tmp_path / "jevbias.db"))
        with engine.begin() as connection:
            last = connection.execute(CALL.select().order_by(CALL.c.id.desc())).first()
            assert last is not None
            # As the ledger stands when a process dies between a send and its answer.
            connection.execute(
                CALL.update()
                .where(CALL.c.id == last.id)
                .values(status="sent", http_status=None, response=None)
            )
            connection.exec_driver_sql("DELETE FROM episode WHERE arm = 'scripted_plus_jev'")
        asked = len(models.decisions)
        assert jevbias("collab", "run", "--resume", "b", **models.settings).code == 0
    assert len(models.decisions) == asked + 1
    timing: Any = analyse_collab(engine, "b").timing
    assert (timing.sent_again, timing.possibly_billed) == (1, 1)


def test_ctrl_c_while_calls_wait_for_their_turn_leaves_none_of_them_as_sent(jevbias: Jevbias) -> None:
    def interrupted(asked: Asked) -> Said | None:
        if asked.body:
            os.kill(os.getpid(), signal.SIGINT)
        return None

    run = ("collab", "run", "--task", "tests.collab.tasks:Line", "--episodes", 4, "--driver", "jev")
    with serving(Models(fault=interrupted)) as models:
        only = ("--arms", "scripted_plus_jev", "--rate", 6, "--name", "b")
        stopped = jevbias(*run, *only, **models.settings)
    assert stopped.code == 130
    assert "Traceback" not in stopped.err
    assert "`jevbias collab run --resume b` goes on" in stopped.err
    with sqlite3.connect("jevbias.db") as connection:
        assert connection.execute("SELECT DISTINCT status FROM call").fetchall() == [("done",)]
