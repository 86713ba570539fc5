"""An LLM that a user wrote in Python is asked once for every key, and what it does wrong is one line."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Jevbias
from tests.collab.own import Walker
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
        ("Mute", "llm_autonomous", 1, "TypeError: Named is wanted, not str"),
        ("Mute", "llm_plus_jev", 1, "TypeError: the name of an action is a string"),
        ("Half", "llm_autonomous", 2, "has no method propose(); see docs/collab.md"),
        ("Nobody", "llm_autonomous", 2, "module 'tests.collab.own' has no 'Nobody'"),
    ],
)
def test_what_is_none_is_one_line(jevbias: Jevbias, name: str, arm: str, code: int, said: str) -> None:
    with serving(Models()) as models:
        result = jevbias(*TASK, *own(name), "--arms", arm, **models.settings)
    assert result.code == code
    assert said in result.err.splitlines()[-1]
