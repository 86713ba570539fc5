"""An LLM that a user wrote in Python is asked once for every key, and what it does wrong is one line."""

from __future__ import annotations

from typing import Any

import pytest

from jevbias.collab.situation import MadeCall, Named, Proposal
from tests.cli.conftest import Jevbias
from tests.collab.own import Puppet, Walker
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
        ("Cancelled", "llm_autonomous", 1, "short/0/0: CancelledError"),
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
