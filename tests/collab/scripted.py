"""Models that answer as a test says, in place of servers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from jevbias.collab.arms.arm import Tools
from jevbias.collab.checked_task import CheckedTask
from jevbias.collab.decision_model import DecisionModel, Judgment
from jevbias.collab.situation import Doubt, MadeCall, Named, Proposal, Proposed, Situation


@dataclass
class SaidLlm:
    """Says what `say` says, called with the situation and how often it was asked in this step."""

    say: Callable[[Situation, int], list[str] | None]
    model: str = "said"
    is_real: bool = True
    doubts: list[Doubt | None] = field(default_factory=list)

    async def act(self, situation: Situation, doubt: Doubt | None, key: str) -> Named:
        said = self._said(situation, doubt, key)
        call = MadeCall("llm", "act", self.model, 10, 2, 0.5, 3.0)
        return Named(Proposal(said[0]), call) if said else Named(None, call, "nothing was said")

    async def propose(self, situation: Situation, most: int, doubt: Doubt | None, key: str) -> Proposed:
        said = self._said(situation, doubt, key)
        call = MadeCall("llm", "propose", self.model, 10, 2, 0.5, 3.0)
        return Proposed(tuple(Proposal(action, "because") for action in (said or [])[:most]), call, "nothing")

    def _said(self, situation: Situation, doubt: Doubt | None, key: str) -> list[str] | None:
        self.doubts.append(doubt)
        return self.say(situation, int(key.rpartition("-")[2]))


@dataclass
class SaidDecision:
    """Gives each option, or each yes/no question, the probability that `say` gives it."""

    say: Callable[[str, str], float]
    usable: bool = True
    asked: list[tuple[str, Any, dict[str, Any]]] = field(default_factory=list)

    async def judge(self, key: str, purpose: str, shown: Any, questions: Mapping[str, Any]) -> Judgment:
        self.asked.append((key, shown, dict(questions)))
        choices, values = {}, {}
        for name, question in questions.items() if self.usable else ():
            if question.kind == "choice":
                choices[name] = {option: self.say(name, option) for option in question.criteria}
            else:
                values[name] = self.say(name, "")
        return Judgment(choices, values, MadeCall("decision", purpose, "decides", 5, 1, 0.1, 2.0))


def tools(
    llm: SaidLlm | None = None,
    decision: SaidDecision | None = None,
    *,
    threshold: float = 0.6,
    escalations: int = 1,
) -> Tools:
    """What arms work with in a test."""
    return Tools(llm, cast("DecisionModel | None", decision), 1, threshold, escalations, 3)


def situation(task: CheckedTask, *, state: bytes | None = None, seen_before: int = 0) -> Situation:
    """The first step of an episode of `task`, or one in another state."""
    start = task.start(1, task.levels[-1], 0)
    look = task.look(state or start.state, "here")
    return Situation(
        task.instructions,
        task.question,
        start.level,
        0,
        0,
        state or start.state,
        look.shown,
        look.actions,
        (),
        seen_before,
    )
