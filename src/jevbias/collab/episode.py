"""One arm on one instance of a task, from the first step to the last, and the log of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from jevbias.collab.arms.arm import Arm, Notes, Tools
from jevbias.collab.asking import EpisodeBroken
from jevbias.collab.checked_task import CheckedTask, Start
from jevbias.collab.situation import DoubtKind, Past, Situation
from jevbias.collab.task_thread import TaskThread

Outcome = Literal["success", "failure", "out_of_steps", "stopped", "broken"]
"""`failure` is the task's own word; `stopped`: the arm would not guess; `broken`: a call could not be
answered, so that nothing is known about the arm."""


@dataclass(frozen=True)
class EpisodeLog:
    """What an arm did. `why` says in a line why it stopped or broke."""

    arm: str
    level: str
    number: int
    outcome: Outcome
    optimal: int | None
    most: int
    steps: list[dict[str, Any]] = field(default_factory=list)
    why: str | None = None
    stopped_for: DoubtKind | None = None
    rollouts: int = 0
    """Of the random policy: how often the instance was played at random besides, and how often that went
    well."""
    rollouts_won: int = 0

    def content(self) -> dict[str, Any]:
        """The log as JSON-ready data."""
        return dict(vars(self))


def read_log(content: Mapping[str, Any]) -> EpisodeLog:
    """The log whose `content` this is."""
    return EpisodeLog(**content)


async def play(arm: Arm, start: Start, task: CheckedTask, thread: TaskThread, tools: Tools) -> EpisodeLog:
    """Play an episode. Raises TaskError where the task breaks its protocol, and what stops a bench."""
    state = start.state
    steps: list[dict[str, Any]] = []
    past: list[Past] = []
    met: Counter[bytes] = Counter()
    outcome: Outcome = "out_of_steps"
    why: str | None = None
    stopped_for: DoubtKind | None = None
    where = f"{start.level} {start.number}"
    for number in range(start.most + 1):
        place = f"{arm.name}, {where}, step {number + 1}"
        look = await thread.run(f"task {task.name}: {place}", task.look, state, place)
        if look.end is not None:
            outcome = look.end
            break
        if number == start.most:
            break
        situation = Situation(
            task.instructions,
            task.question,
            start.level,
            start.number,
            number,
            state,
            look.shown,
            look.actions,
            tuple(past),
            met[state],
        )
        met[state] += 1
        notes = Notes()
        key = f"{start.level}/{start.number}/{arm.name}/{number}"
        try:
            chosen = await arm.choose(situation, tools, notes, key)
        except EpisodeBroken as error:
            steps.append({"action": None, "legal": False, **notes.content()})
            outcome, why = "broken", str(error)
            break
        action = chosen.action
        legal = action is not None and action in look.actions
        steps.append({"action": action, "legal": legal, **notes.content()})
        if action is None:
            outcome, why, stopped_for = "stopped", chosen.stopped, chosen.stopped_for
            break
        past.append(Past(action, legal))
        if legal:
            state = await thread.run(f"task {task.name}: {place}", task.apply, state, str(action), place)
    if outcome == "success":
        task.check_efficiency(start, len(steps))
    return EpisodeLog(
        arm.name, start.level, start.number, outcome, start.optimal, start.most, steps, why, stopped_for
    )
