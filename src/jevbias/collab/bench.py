"""Playing a bench: every arm on every episode, each stored once it has ended."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

from sqlalchemy import Engine

from jevbias.collab.arms.arm import Arm, Tools
from jevbias.collab.checked_task import CheckedTask, Start
from jevbias.collab.difficulty import ROLLOUTS, plays_well
from jevbias.collab.episode import EpisodeLog, play
from jevbias.collab.models import Ledger
from jevbias.collab.situation import Role, role_of
from jevbias.collab.task_thread import TaskThread
from jevbias.drain.call_budget import CallBudget
from jevbias.drain.halt import Halt, Halted, interrupts
from jevbias.drain.recorded_calls import RecordedCalls
from jevbias.errors import Interrupted, JevbiasError, ModelError, TaskError
from jevbias.store.bench_runs import begin_work, end_work
from jevbias.store.calls import StoredCall, list_calls
from jevbias.store.connections import reading
from jevbias.store.episodes import add_episode, list_episodes
from jevbias.store.spent import Spent
from jevbias.store.tables import Run
from jevbias.store.writer import StoreWriter

Keep = Callable[[Mapping[str, Any]], Awaitable[None]]

BROKEN_IN_A_ROW = 5
"""Episodes that no model could be asked about, one after the other: then the bench stops."""


@dataclass(frozen=True)
class Bench:
    """What is played: each arm on each start. `max_cost` is what calls to the `paid` models may cost in
    all, in US dollars; None for no limit.
    """

    task: CheckedTask
    thread: TaskThread
    starts: Sequence[Start]
    arms: Sequence[Arm]
    make_tools: Callable[[Ledger, Halt], Tools]
    workers: int = 8
    paid: frozenset[Role] = frozenset()
    max_cost: float | None = None
    expected: Callable[[bytes], float | None] = lambda _body: None
    """What a request may cost, as far as a price tells."""

    @property
    def planned(self) -> int:
        """Episodes over all arms."""
        return len(self.starts) * len(self.arms)


async def play_bench(
    engine: Engine, run: Run, bench: Bench, tell: Callable[[str], None], progress: Callable[[int, int], None]
) -> None:
    """Play what a run has not played yet; `progress` is told how many of how many episodes there are.

    An episode that was cut short is played again over the ledger: what was answered is not asked again.
    Raises Interrupted where the user stops it, and what keeps it from going on: TaskError, ModelError,
    BudgetSpent, DatabaseError, UsageError. Everything answered is stored then.
    """
    run_id = run.id or 0
    halt = Halt()
    with reading(engine) as connection:
        played = {(log["arm"], log["level"], log["number"]) for log in list_episodes(connection, run_id)}
        limited = bench.max_cost is not None
        spent = _spent(list_calls(connection, run_id), bench.paid) if limited else Spent()
    left = [
        (arm, start)
        for start in bench.starts
        for arm in bench.arms
        if (arm.name, start.level, start.number) not in played
    ]
    progress(bench.planned - len(left), bench.planned)
    async with StoreWriter(engine) as writer:
        paid = RecordedCalls(writer, run_id, budget=CallBudget(bench.max_cost, spent, bench.expected))
        free = RecordedCalls(writer, run_id)
        tools = bench.make_tools(lambda role: paid if role in bench.paid else free, halt)

        async def keep(log: Mapping[str, Any]) -> None:
            await writer.call(add_episode, run_id, log)

        counted = count(bench.planned - len(left) + 1)
        player = _Player(bench, tools, halt, keep, lambda: progress(next(counted), bench.planned))
        with interrupts(halt, tell):
            await player.play(iter(left))
    if halt.error is not None:
        raise halt.error
    if halt.interrupted and player.played < len(left):
        raise Interrupted("stopped; what was answered is stored")
    if player.played < len(left):
        missing = len(left) - player.played
        raise ModelError(f"{missing:,} of {bench.planned:,} episodes were not played, without a reason given")


@contextmanager
def at_work(engine: Engine, run: Run) -> Iterator[None]:
    """While inside, this process works on a run, which is `stopped` where an exception leaves the block, with
    the reason, else `finished`. Raises UsageError where another process works on it.
    """
    begin_work(engine, run)
    try:
        yield
    except BaseException as error:
        expected = str(error) if isinstance(error, JevbiasError) else f"stopped by {type(error).__name__}"
        end_work(engine, run, stopped="interrupted" if isinstance(error, Interrupted) else expected)
        raise
    end_work(engine, run)


class _Player:
    """Workers that take episodes in turn, and hand each to `keep` once it has ended."""

    def __init__(
        self, bench: Bench, tools: Tools, halt: Halt, keep: Keep, progress: Callable[[], None]
    ) -> None:
        self._bench, self._tools, self._halt = bench, tools, halt
        self._keep, self._progress = keep, progress
        self._broken = 0
        self.played = 0
        """Episodes that have ended and are stored."""

    async def play(self, episodes: Iterator[tuple[Arm, Start]]) -> None:
        workers = [asyncio.create_task(self._work(episodes)) for _ in range(self._bench.workers)]

        async def stop_at_once() -> None:
            await self._halt.at_once.wait()
            for worker in workers:
                worker.cancel()

        watching = asyncio.create_task(stop_at_once())
        try:
            await asyncio.wait(workers)
            for worker in workers:
                if not worker.cancelled():
                    self._stop_for(worker.exception())
                elif not self._halt.at_once.is_set():
                    self._stop_for(TaskError("an episode was cancelled by what it called: a task or an LLM"))
        finally:
            watching.cancel()
            for worker in workers:
                worker.cancel()

    def _stop_for(self, error: BaseException | None) -> None:
        if error is not None:
            self._halt.fail(error)

    async def _work(self, episodes: Iterator[tuple[Arm, Start]]) -> None:
        for arm, start in episodes:
            if self._halt.requested.is_set():
                return
            try:
                log = await self._played(arm, start)
                await self._keep(log.content())
            except Halted:
                return
            except Exception as error:
                self._halt.fail(error)
                return
            self.played += 1
            self._progress()
            self._watch(log)

    async def _played(self, arm: Arm, start: Start) -> EpisodeLog:
        bench = self._bench
        log = await play(arm, start, bench.task, bench.thread, self._tools)
        if arm.name != "random_policy":
            return log
        what = f"task {bench.task.name}: random games of {start.level} {start.number}"
        won = 0
        for rollout in range(ROLLOUTS):
            won += await bench.thread.run(what, plays_well, bench.task, start, self._tools.seed, rollout)
        return replace(log, rollouts=ROLLOUTS, rollouts_won=won)

    def _watch(self, log: EpisodeLog) -> None:
        """Stop where episode after episode breaks: their cause is not theirs."""
        if log.outcome != "broken":
            # The random policy asks nobody, so that it goes well says nothing.
            self._broken = self._broken if log.arm == "random_policy" else 0
            return
        self._broken += 1
        if self._broken >= BROKEN_IN_A_ROW:
            self._halt.fail(ModelError(f"{self._broken} episodes in a row broke off: {log.why}"))


def _spent(calls: Sequence[StoredCall], paid: frozenset[Role]) -> Spent:
    """What the calls to models that may cost money have cost so far."""
    known: list[float] = []
    unknown = 0
    for call in calls:
        if role_of(call.key) not in paid:
            continue
        unknown += call.possibly_billed
        if call.result is None:
            unknown += 1
        elif call.result.cost is not None:
            known.append(call.result.cost)
        elif 200 <= (call.result.http_status or 0) < 300:
            unknown += 1
    return Spent(math.fsum(known), max(known, default=None), unknown)
