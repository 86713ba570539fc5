"""What a bench plays on, made before anything is sent: the task and where each of its episodes begins."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from jevbias.catalogue.canonical import canonical_hash
from jevbias.collab.checked_task import CheckedTask, Start
from jevbias.collab.difficulty import checked_game
from jevbias.collab.load_task import load_task
from jevbias.collab.models import BenchModels
from jevbias.collab.setting import BenchSetting
from jevbias.collab.task_thread import TaskThread
from jevbias.drivers.failures import one_line


@dataclass(frozen=True)
class Drawn:
    """A task in its thread, the starts of its episodes, and the hash of a random game of each."""

    task: CheckedTask
    thread: TaskThread
    starts: list[Start]
    games: str


def draw(name: str, seed: int, episodes: int) -> Drawn:
    """Load a task and draw its episodes, number by number, so that what is cut short is matched. Raises
    TaskError for a task that does not keep its protocol.
    """
    thread = TaskThread()

    async def drawn() -> Drawn:
        task = await thread.run(f"--task {one_line(name, 80)}", load_task, name, thread.watch)
        starts, games = [], []
        for number in range(episodes):
            for level in task.levels:
                what = f"task {task.name}: the start of {level} {number}"
                start = await thread.run(what, task.start, seed, level, number)
                what = f"task {task.name}: a random game of {level} {number}"
                starts.append(start)
                games.append(await thread.run(what, checked_game, task, start, seed))
        return Drawn(task, thread, starts, canonical_hash(games))

    return asyncio.run(drawn())


def described(setting: BenchSetting, models: BenchModels, starts: int) -> list[str]:
    """What is about to be played, and by whom, in two lines."""
    who = [
        *(
            [f"decision model {models.decision.model} at {models.decision.base_url}"]
            if models.decision
            else []
        ),
        *([f"LLM {models.llm.model} at {models.llm.base_url}"] if models.llm else []),
        *(["a stand-in for an LLM, about no real model"] if setting.llm and not setting.llm.is_real else []),
        *([f"LLM {setting.llm.model}"] if setting.llm and setting.llm.is_real and not models.llm else []),
    ]
    episodes = f"{setting.episodes:,} episodes on each of {len(setting.levels)} levels"
    arms = f"{len(setting.arms)} arms ({', '.join(setting.arms)})"
    return [
        f"{setting.task}: {episodes}, {arms}, {starts * len(setting.arms):,} in all",
        f"({'; '.join(who)})",
    ]
