"""An LLM that a user wrote in Python is asked once for every key, and what it does wrong is one line."""

from __future__ import annotations

import asyncio
import os
import re
import sys
import threading
from typing import Any

import pytest

from jevbias.cli.collab_streams import stdout_to_stderr
from jevbias.collab.llm_host import LlmHost
from jevbias.collab.situation import MadeCall, Named, Proposal
from tests.cli.conftest import Jevbias
from tests.collab.own import Endless, Puppet, Stuck, Walker
from tests.collab.servers import Models, serving

TASK = ("collab", "run", "--task", "tests.collab.tasks:Line", "--episodes", 2, "--driver", "jev")


def own(name: str) -> tuple[str, str]:
    return "--llm", f"tests.collab.own:{name}"


def test_what_it_said_is_kept_and_asked_for_once(jevbias: Jevbias, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Walker, "asked", 0)
    monkeypatch.setattr(Walker, "fails_after", 9)
    with serving(Models()) as models:
        stopped = jevbias(*TASK, *own("Walker"), "--name", "b", "--workers", 1, **models.settings)
        assert stopped.code == 1
        assert "--llm walker:" in stopped.err
        assert "RuntimeError: out of order" in stopped.err
        assert "Traceback" not in stopped.err
        monkeypatch.setattr(Walker, "fails_after", 10**9)
        result = jevbias("collab", "run", "--resume", "b", "--json", **models.settings)
    assert result.code == 0
    # Two arms with an LLM, on two episodes of two steps and two of four; one call failed.
    assert Walker.asked == 2 * (2 * 2 + 2 * 4) + 1
    [row] = [row for row in result.json["use"] if (row["arm"], row["level"]) == ("llm_autonomous", "long")]
    assert (row["model"], row["calls"], row["input_tokens"], row["cost"]) == ("walker", 8, 56, 2.0)
    assert result.json["run"]["llm_is_real"] is True


@pytest.mark.parametrize(
    ("name", "arm", "code", "said"),
    [
        ("Mute", "llm_autonomous", 2, "TypeError: Named is wanted, not str"),
        ("Mute", "llm_plus_jev", 2, "TypeError: the name of an action is a string"),
        ("Cancelled", "llm_autonomous", 1, "act(), short/0/llm_autonomous/0: CancelledError"),
        ("Wordless", "llm_autonomous", 1, "act(), short/0/llm_autonomous/0: Evil"),
        ("Leaving", "llm_autonomous", 1, "act(), short/0/llm_autonomous/0: SystemExit"),
        ("Blocking", "llm_autonomous", 1, "a method of an LLM has to be an `async def`"),
        ("Hidden", "llm_autonomous", 2, "its members cannot be read: LookupError"),
        ("Half", "llm_autonomous", 2, "has no method propose(); see docs/collab.md"),
        ("Nobody", "llm_autonomous", 2, "module 'tests.collab.own' has no 'Nobody'"),
    ],
)
def test_what_is_none_is_one_line(jevbias: Jevbias, name: str, arm: str, code: int, said: str) -> None:
    with serving(Models()) as models:
        result = jevbias(*TASK, *own(name), "--arms", arm, **models.settings)
    assert result.code == code
    assert said in result.err.splitlines()[-1]


def test_a_limit_on_cost_holds_for_what_it_says_that_it_costs(
    jevbias: Jevbias, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Walker, "asked", 0)
    alone = ("--arms", "llm_autonomous", "--workers", 1, "--max-cost", 1)
    stopped = jevbias(*TASK, *own("Walker"), *alone)
    assert stopped.code == 1
    assert "--max-cost $1" in stopped.err
    # Room is kept for twice the dearest call, and each costs a quarter.
    assert Walker.asked == 3


CALL = MadeCall("llm", "mine", "m")


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (Named(Proposal("right"), MadeCall("llm", "p", "m", input_tokens="ten")), "tokens are a whole"),  # type: ignore[arg-type]
        (Named(Proposal("right"), MadeCall("llm", "p", "m", cost=-3)), "a cost is a number"),
        (Named(Proposal("right"), MadeCall("llm", "p", "m", cost="free")), "a cost is a number"),  # type: ignore[arg-type]
        (Named(Proposal("right"), None), "MadeCall is wanted, not NoneType"),  # type: ignore[arg-type]
        (Named(Proposal(""), CALL), "an action has a name"),
    ],
)
def test_a_value_that_is_none_ends_the_bench_and_spoils_no_report(
    jevbias: Jevbias, monkeypatch: pytest.MonkeyPatch, answer: Any, said: str
) -> None:
    monkeypatch.setattr(Puppet, "answer", answer)
    refused = jevbias(*TASK, *own("Puppet"), "--arms", "llm_autonomous", "--name", "b")
    assert refused.code == 2
    assert said in refused.err.splitlines()[-1]
    assert jevbias("collab", "report", "--run", "b").code == 0


def test_a_stand_in_of_ones_own_is_named_and_never_told_what_is_legal(
    jevbias: Jevbias, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Puppet, "answer", Named(Proposal("right"), CALL))
    report = jevbias(*TASK, *own("Puppet"), "--arms", "llm_autonomous", "--json").json
    assert Puppet.told.legal == {}
    assert "looks up the best action" not in str(report)
    [row] = [row for row in report["arms"] if (row["arm"], row["level"]) == ("llm_autonomous", "long")]
    assert row["about"] == "puppet (tests.collab.own:Puppet): about no real model"


def test_a_call_that_does_not_return_is_named_once_however_many_wait_with_it() -> None:
    said: list[str] = []
    told = threading.Event()

    async def ask() -> None:
        calls = [asyncio.ensure_future(host.call("act", f"long/{n}/0")) for n in range(4)]
        await asyncio.get_running_loop().run_in_executor(None, told.wait, 60)
        for call in calls:
            call.cancel()

    def tell(line: str) -> None:
        said.append(line)
        told.set()

    host = LlmHost("tests.collab.own:Stuck", tell, 0.1)
    try:
        asyncio.run(ask())
    finally:
        Stuck.let_go.set()
        host.close()
    [line] = said
    assert re.fullmatch(
        r"--llm stuck: act\(\), long/0/0: has not returned for [0-9.e+-]+ s; Ctrl-C, twice, stops at once",
        line,
    )


def test_ctrl_c_stops_a_bench_whose_llm_never_returns(jevbias: Jevbias) -> None:
    try:
        stopped = jevbias(*TASK, *own("Endless"), "--arms", "llm_autonomous", "--name", "b", "--workers", 1)
    finally:
        Endless.let_go.set()
    assert stopped.code == 130
    assert "Traceback" not in stopped.err
    assert "`jevbias collab run --resume b` goes on" in stopped.err


def test_what_a_task_or_an_llm_prints_is_no_part_of_the_output(jevbias: Jevbias) -> None:
    task = ("collab", "run", "--task", "tests.collab.tasks:Printing", "--episodes", 1, "--json")
    result = jevbias(*task, *own("Printing"), "--arms", "llm_autonomous")
    assert result.json["run"]["played"] == 4
    assert "asked" in result.err
    assert "applied" in result.err


def test_what_is_written_past_python_goes_to_stderr_too(capfd: pytest.CaptureFixture[str]) -> None:
    with stdout_to_stderr():
        os.write(1, b"from below")
    sys.stdout.write("after\n")
    out, err = capfd.readouterr()
    assert (out, err) == ("after\n", "from below")


def test_it_lives_in_one_loop_whose_threads_do_not_keep_the_process_alive(jevbias: Jevbias) -> None:
    played = jevbias(*TASK, *own("InThread"), "--arms", "llm_autonomous", "--json")
    assert (played.code, played.json["run"]["played"]) == (0, 8)
