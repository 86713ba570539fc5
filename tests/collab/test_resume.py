"""A bench that was killed and resumed says the same, byte for byte, as one that was not."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from jevbias.cli.main import run_app
from jevbias.collab.analyse import analyse_collab
from jevbias.store.call_tables import CALL
from jevbias.store.engine import open_store
from jevbias.store.owner import Owner
from tests.cli.answering import Asked, Said
from tests.cli.conftest import Jevbias
from tests.collab.servers import Models, serving
from tests.collab.tasks import Line
from tests.store.processes import Child

BENCH = ("collab", "run", "--task", "tests.collab.tasks:Line", "--episodes", 2, "--name", "b")
ARMS = ("--arms", "llm_plus_jev,llm_plus_reflex", "--workers", 2)
CHAT = ("--llm", "openai", "--llm-model", "chatty", "--driver", "jev", "--model", "jev-9")


def without_clocks(report: Path) -> bytes:
    content = json.loads(report.read_bytes())
    assert set(content.pop("timing")) == {
        *("started_at", "finished_at", "latency", "sent_again", "possibly_billed", "unfinished_calls"),
    }
    return json.dumps(content).encode()


def counted(db: Path, table: str) -> int:
    try:
        with sqlite3.connect(db) as connection:
            return int(connection.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0])
    except sqlite3.OperationalError:
        return 0


def in_a_process(_pipe: Any, folder: str, arguments: list[str], settings: dict[str, str]) -> int:
    os.chdir(folder)
    os.environ.update(settings)
    try:
        run_app(arguments)
    except SystemExit as ended:
        return int(ended.code or 0)


def test_killed_at_several_points_and_resumed_equals_uninterrupted(jevbias: Jevbias, tmp_path: Path) -> None:
    playing: list[Child] = []
    asked, killed_at = 0, 0

    def kill(request: Asked) -> Said | None:
        nonlocal asked
        asked += bool(request.body)
        if playing and asked == killed_at:
            os.kill(playing[-1].pid, signal.SIGKILL)
        return None

    # The LLM names what is not legal, too, and the decision model has it propose anew.
    models = Models(say=lambda shown: ["fly"] if len(shown) % 2 else ["right", "left"], fault=kill)
    with serving(models):
        assert (
            jevbias(*BENCH, *ARMS, *CHAT, "--db", "whole.db", "--out", "whole.json", **models.settings).code
            == 0
        )
        calls = asked
        planned = counted(tmp_path / "whole.db", "episode")
        command: tuple[object, ...] = (*BENCH, *ARMS, *CHAT, "--db", "killed.db")
        for point in (1, calls // 3, 2 * calls // 3):
            asked, killed_at = counted(tmp_path / "killed.db", "call"), point
            playing.append(
                Child(in_a_process, str(tmp_path), [str(word) for word in command], models.settings)
            )
            with pytest.raises(EOFError):
                playing[-1].result()
            command = ("collab", "run", "--resume", "b", "--db", "killed.db", "--workers", 2)
        killed_at = 0
        played, sent = (counted(tmp_path / "killed.db", table) for table in ("episode", "call"))
        assert 0 < played < planned
        assert jevbias(*command, "--out", "killed.json", **models.settings).code == 0
    assert without_clocks(tmp_path / "killed.json") == without_clocks(tmp_path / "whole.json")
    assert sent < counted(tmp_path / "killed.db", "call") == counted(tmp_path / "whole.db", "call")
    with sqlite3.connect(tmp_path / "killed.db") as connection:
        [again] = connection.execute("SELECT SUM(sends) - COUNT(*) FROM call").fetchone()
    # What was on its way when a process was killed, at most one call a worker, was sent once more.
    assert again <= 2 * len(playing)


def test_a_resumed_bench_is_the_one_that_was_begun(jevbias: Jevbias) -> None:
    jevbias(*BENCH, "--arms", "llm_autonomous")
    refused = jevbias("collab", "run", "--resume", "b", "--arms", "all", "--seed", 3)
    assert refused.code == 2
    assert "leave out --arms, --seed" in refused.err
    again = jevbias("collab", "run", "--resume", "b", "--json")
    assert again.code == 0
    assert "nothing left to play" in again.err
    assert again.json["run"]["arms"] == ["random_policy", "llm_autonomous"]


def test_a_task_that_has_changed_or_whose_actions_do_something_else_is_refused(
    jevbias: Jevbias, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert jevbias(*BENCH, "--arms", "llm_autonomous").code == 0
    with sqlite3.connect("jevbias.db") as connection:
        connection.execute("DELETE FROM episode WHERE arm = 'llm_autonomous'")
    changed: dict[str, Any] = {
        "maximum_steps": lambda self, state: 9,
        "apply": lambda self, state, action: {**state, "at": state["end"]},
    }
    for method, other in changed.items():
        with monkeypatch.context() as patch:
            patch.setattr(Line, method, other)
            refused = jevbias("collab", "run", "--resume", "b")
        assert refused.code == 2
        assert "it has changed since the bench began" in refused.err


def test_a_bench_that_another_process_plays_is_refused_and_nothing_else_is_said(jevbias: Jevbias) -> None:
    assert jevbias(*BENCH, "--arms", "llm_autonomous").code == 0
    with sqlite3.connect("jevbias.db") as connection:
        connection.execute("DELETE FROM episode WHERE arm = 'llm_autonomous'")
        other = str(Owner.of(os.getppid()))
        connection.execute("UPDATE run SET status = 'running', planned_by = ?", (other,))
    refused = jevbias("collab", "run", "--resume", "b")
    assert refused.code == 2
    assert "run b is being worked on by process" in refused.err
    assert "goes on" not in refused.err
    with sqlite3.connect("jevbias.db") as connection:
        assert connection.execute("SELECT status, planned_by FROM run").fetchone() == ("running", other)


def test_two_reports_of_one_bench_are_byte_identical(jevbias: Jevbias, tmp_path: Path) -> None:
    files = ("--out", "a.json", "--page", "a.html")
    assert jevbias(*BENCH, "--arms", "llm_autonomous", *files).code == 0
    assert jevbias("collab", "report", "--out", "b.json", "--page", "b.html").code == 0
    for kind in ("json", "html"):
        assert (tmp_path / f"a.{kind}").read_bytes() == (tmp_path / f"b.{kind}").read_bytes()


def test_a_call_that_was_on_its_way_when_a_process_died_counts_as_possibly_billed(
    jevbias: Jevbias, tmp_path: Path
) -> None:
    with serving(Models()) as models:
        jevbias(*BENCH, "--driver", "jev", "--arms", "scripted_plus_jev", **models.settings)
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
