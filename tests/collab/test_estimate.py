"""What a bench is said to take holds what it takes."""

from __future__ import annotations

import pytest

from jevbias.collab.arms.choose import ARMS
from jevbias.collab.checked_task import CheckedTask
from jevbias.collab.estimate import cost_of_request, estimate_role
from jevbias.collab.setting import BenchSetting
from jevbias.drivers.pricing import TokenPrice
from jevbias.plan.estimate import BYTES_PER_TOKEN
from tests.cli.conftest import Jevbias
from tests.collab.servers import Models, serving
from tests.collab.tasks import Line

SEED = 20260920


@pytest.mark.parametrize("prefers", [0.9, 0.4])
def test_calls_and_tokens_lie_within_what_was_said(jevbias: Jevbias, prefers: float) -> None:
    models = Models(say=lambda shown: ["right", "left"], prefer=lambda _: prefers)
    task = ("collab", "run", "--task", "tests.collab.tasks:Line", "--episodes", 2, "--arms", "all")
    with serving(models):
        asked = jevbias(
            *task, "--llm", "openai", "--llm-model", "chatty", "--driver", "jev", **models.settings
        )
    assert asked.code == 0
    line = CheckedTask(Line())
    starts = [line.start(SEED, level, number) for number in range(2) for level in line.levels]
    setting = BenchSetting("line", line.levels, 2, tuple(ARMS), 0.6, 1, 3, "", None, True)
    price = TokenPrice(1.0, 1.0, "a test")
    for role, bodies in (("llm", models.chats), ("decision", models.decisions)):
        said = estimate_role("llm" if role == "llm" else "decision", setting, line, starts, price)
        assert len(bodies) <= said.calls.high
        assert said.input_tokens.high >= sum(len(str(body)) for body in bodies) / BYTES_PER_TOKEN
        assert said.cost is not None
        assert 0 <= said.cost.low < said.cost.high


def test_without_a_price_nobody_knows_what_a_request_may_cost() -> None:
    assert cost_of_request(None, None)(b"{}") is None
