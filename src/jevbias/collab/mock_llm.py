"""A stand-in for an LLM, for runs without a key. It is no model: it looks up the best action, and errs as it
is told.
"""

from __future__ import annotations

from dataclasses import dataclass

from jevbias.collab.checked_task import CheckedTask
from jevbias.collab.situation import Doubt, MadeCall, Named, Proposal, Proposed, Situation
from jevbias.collab.task_thread import TaskThread
from jevbias.people.keyed import keyed_choice, keyed_int, keyed_shuffle

MOCK_LLM = "mock LLM"


@dataclass(frozen=True)
class MockHabits:
    """How often it picks one of the best actions, and how often it names one that is not legal; what is left
    is any other legal action. The best one is known where the task knows its optimal steps.
    """

    best: float = 0.7
    illegal: float = 0.1


class MockLlm:
    """Acts and proposes by keyed draws: the same seed, episode and step give the same, whatever the arm."""

    model = MOCK_LLM
    is_real = False

    def __init__(
        self, task: CheckedTask, thread: TaskThread, seed: int, habits: MockHabits | None = None
    ) -> None:
        self._task, self._thread, self._seed = task, thread, seed
        self._habits = habits or MockHabits()

    async def act(self, situation: Situation, doubt: Doubt | None, key: str) -> Named:
        """One action."""
        picked = await self._pick(situation, doubt, key, 1)
        return Named(Proposal(picked[0]), _call("act" if doubt is None else "act again"))

    async def propose(self, situation: Situation, most: int, doubt: Doubt | None, key: str) -> Proposed:
        """Several different actions; the first as if it acted."""
        picked = await self._pick(situation, doubt, key, most)
        purpose = "propose" if doubt is None else "propose again"
        return Proposed(tuple(Proposal(action) for action in picked), _call(purpose))

    async def _pick(self, situation: Situation, doubt: Doubt | None, key: str, most: int) -> list[str]:
        # The attempt, not the arm, is part of the key: arms are compared on the same draws.
        asked = key.rpartition("/")[2]
        ranked = await self._thread.run(f"task {self._task.name}: optimal_steps()", self._ranked, situation)
        best, others = ranked
        doubted = doubt.actions if doubt is not None and len(doubt.actions) == 1 else ()
        best, others = [
            [action for action in group if action not in doubted] or group for group in (best, others)
        ]
        drawn: list[str] = []
        for place in range(min(most, len(situation.legal))):
            share = keyed_int(self._seed, "mock LLM", situation.place, asked, place) / 2**64
            left_best = [action for action in best if action not in drawn]
            left = [action for action in others if action not in drawn]
            if share < self._habits.illegal:
                action = _illegal(situation)
            elif left_best and (share < self._habits.illegal + self._habits.best or not left):
                action = keyed_choice(left_best, self._seed, "best", situation.place, asked, place)
            elif left:
                action = keyed_choice(left, self._seed, "other", situation.place, asked, place)
            else:
                break
            if action not in drawn:
                drawn.append(action)
        return drawn or [_illegal(situation)]

    def _ranked(self, situation: Situation) -> tuple[list[str], list[str]]:
        """The best actions and the others; where nobody knows, none is the best."""
        left: dict[str, int | None] = {}
        for action in situation.legal:
            after = self._task.apply(situation.state, action, situation.place)
            left[action] = self._task.optimal_steps(after, situation.place)
        known = [steps for steps in left.values() if steps is not None]
        best = [action for action, steps in left.items() if known and steps == min(known)]
        others = keyed_shuffle(
            [action for action in left if action not in best], self._seed, "others", situation.place
        )
        return best, others


def _illegal(situation: Situation) -> str:
    """A name that is no legal action of this state."""
    name = "jump over the wall"
    while name in situation.legal:
        name += "!"
    return name


def _call(purpose: str) -> MadeCall:
    return MadeCall("llm", purpose, MOCK_LLM)
