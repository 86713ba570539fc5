"""Starting a bench, going on with one, and showing what it found."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from sqlalchemy import Engine, select

from jevbias.catalogue.canonical import canonical_hash
from jevbias.catalogue.load import load_catalogue
from jevbias.catalogue.models import Prices
from jevbias.cli.collab_shown import Written, show_report
from jevbias.cli.collab_spending import agree
from jevbias.cli.console import say
from jevbias.cli.draining import Sending, drain_options
from jevbias.cli.new_bench import NewBench
from jevbias.collab.arms.arm import Arm
from jevbias.collab.arms.choose import choose_arms
from jevbias.collab.bench import Bench, play_bench
from jevbias.collab.checked_task import CheckedTask, Start
from jevbias.collab.difficulty import checked_game
from jevbias.collab.estimate import cost_of_request
from jevbias.collab.load_task import load_task
from jevbias.collab.models import (
    BenchModels,
    Habitat,
    Paces,
    choose_again,
    choose_decision,
    choose_llm,
    open_models,
)
from jevbias.collab.setting import KIND, BenchSetting, check_same_task, hash_of, read_setting
from jevbias.collab.situation import Role
from jevbias.collab.task_thread import TaskThread
from jevbias.drain.next_commands import NextCommands
from jevbias.drain.options import DrainOptions
from jevbias.drivers.failures import one_line
from jevbias.drivers.select import DriverChoice
from jevbias.errors import Interrupted, JevbiasError, UsageError
from jevbias.settings import Settings
from jevbias.store.bench_runs import create_bench_run
from jevbias.store.connections import reading
from jevbias.store.engine import open_store
from jevbias.store.episodes import count_episodes
from jevbias.store.planning import check_run_name
from jevbias.store.runs import find_run
from jevbias.store.tables import RUN, Run

_FREE = "none"
"""In place of a driver or a model where none is asked."""
_SAID_EVERY = 5.0
"""Seconds between two lines about the progress."""


def start_bench(
    wanted: NewBench, settings: Settings, sending: Sending | None, written: Written, flags: str
) -> None:
    """Play a new bench and show its report. Raises UsageError and TaskError before anything is stored or
    sent, and what `play_bench` raises.
    """
    written.check()
    if not 0 < wanted.threshold <= 1:
        raise UsageError(f"--threshold: {wanted.threshold:g} is not allowed; give a number above 0, up to 1")
    arms = choose_arms(wanted.arms)
    if wanted.name is not None:
        check_run_name(wanted.name)
    thread = TaskThread()
    task, starts, games = _drawn(thread, wanted.task, settings.seed, wanted.episodes)
    prices = _prices(settings, wanted.llm.name == "mock" and settings.driver == "local")
    has_decision = any(arm.uses_decision for arm in arms)
    decision = choose_decision(settings, prices) if has_decision else None
    said, llm = None, None
    if any(arm.uses_llm for arm in arms):
        said, llm = choose_llm(wanted.llm, settings, prices)
    setting = BenchSetting(
        wanted.task,
        task.levels,
        wanted.episodes,
        tuple(arm.name for arm in arms),
        wanted.threshold,
        wanted.escalations,
        wanted.proposals,
        hash_of(starts),
        said,
        has_decision,
        games,
    )
    models = BenchModels(decision, llm)
    if decision is not None and decision.note:
        say(decision.note)
    for line in _described(setting, models, len(starts)):
        say(line)
    agree(setting, models, task, starts, sending or Sending())
    engine = open_store(settings.db)
    lead = decision or llm
    run = create_bench_run(
        engine,
        kind=KIND,
        name=wanted.name or _free_name(engine, f"{task.name}-collab"),
        driver=lead.name if lead is not None else _FREE,
        model=lead.model if lead is not None else said.model if said is not None else _FREE,
        base_url=lead.base_url if lead is not None else "",
        seed=settings.seed,
        settings=setting.content(),
        design=f"{task.name}, {len(arms)} arms",
    )
    _play(
        engine, run, setting, models, (task, thread, starts, arms), settings, sending or Sending(flags=flags)
    )
    show_report(engine, run.name, written)


def resume_bench(name: str, settings: Settings, sending: Sending, written: Written) -> None:
    """Go on with a stored bench, and show its report. Raises UsageError, and TaskError where its task has
    changed.
    """
    written.check()
    engine = open_store(settings.db, create=False)
    run = find_run(engine, name, KIND)
    setting = read_setting(run)
    with reading(engine) as connection:
        played = count_episodes(connection, run.id or 0)
    if played == setting.episodes * len(setting.levels) * len(setting.arms) and run.status == "finished":
        say(f"{run.name}: nothing left to play")
        show_report(engine, run.name, written)
        return
    thread = TaskThread()
    task, starts, games = _drawn(thread, setting.task, run.seed, setting.episodes)
    check_same_task(setting, starts, games)
    free = run.driver == "local" and (setting.llm is None or not setting.llm.is_served)
    models = choose_again(run, setting, settings, _prices(settings, free))
    agree(setting, models, task, starts, sending)
    arms = choose_arms(list(setting.arms))
    _play(engine, run, setting, models, (task, thread, starts, arms), settings, sending)
    show_report(engine, run.name, written)


Played = tuple[CheckedTask, TaskThread, list[Start], list[Arm]]


def _play(
    engine: Engine,
    run: Run,
    setting: BenchSetting,
    models: BenchModels,
    played: Played,
    settings: Settings,
    sending: Sending,
) -> None:
    task, thread, starts, arms = played
    roles: tuple[tuple[Role, DriverChoice | None], ...] = (("decision", models.decision), ("llm", models.llm))
    # A server on this machine counts too, as its price may be known; only what asks nobody does not.
    paid = frozenset(role for role, choice in roles if choice is not None and choice.provider.address)
    own = one_line(setting.llm.model, 120) if setting.llm is not None and setting.llm.is_own else None
    if own is not None:
        paid |= {"llm"}
    paces = Paces(
        *(
            DrainOptions(workers=settings.workers, max_attempts=settings.max_attempts)
            if choice is None
            else drain_options(settings, choice, sending)
            for _, choice in roles
        )
    )
    habitat = Habitat(setting, task, thread, run.seed)

    async def play() -> None:
        async with open_models(models, settings) as opened:
            bench = Bench(
                task,
                thread,
                starts,
                arms,
                lambda ledger, halt: opened.tools(habitat, paces, ledger, halt),
                settings.workers,
                paid,
                sending.max_cost,
                cost_of_request(models.llm, models.decision, own),
            )
            await play_bench(engine, run, bench, say, _progress(run.name))

    go_on = NextCommands(run.name, sending.flags, KIND).resume
    try:
        asyncio.run(play())
    except Interrupted as stopped:
        raise Interrupted(f"{stopped}; {go_on} goes on") from None
    except JevbiasError as error:
        say(f"{run.name}: what was answered is stored; {go_on} goes on")
        raise error from None


def _progress(name: str) -> Callable[[int, int], None]:
    """Says how far a bench is, now and then, and at its end."""
    last = time.monotonic()

    def tell(done: int, planned: int) -> None:
        nonlocal last
        if done == planned or time.monotonic() - last > _SAID_EVERY:
            last = time.monotonic()
            say(f"{name}: {done:,} of {planned:,} episodes")

    return tell


def _drawn(thread: TaskThread, name: str, seed: int, episodes: int) -> tuple[CheckedTask, list[Start], str]:
    """A task, the starts of its episodes, and the hash of a random game of each, its code run in its own
    thread.
    """

    async def draw() -> tuple[CheckedTask, list[Start], str]:
        task = await thread.run(f"--task {one_line(name, 80)}", load_task, name)
        starts, games = [], []
        for number in range(episodes):
            for level in task.levels:
                what = f"task {task.name}: the start of {level} {number}"
                start = await thread.run(what, task.start, seed, level, number)
                what = f"task {task.name}: a random game of {level} {number}"
                starts.append(start)
                games.append(await thread.run(what, checked_game, task, start, seed))
        return task, starts, canonical_hash(games)

    return asyncio.run(draw())


def _described(setting: BenchSetting, models: BenchModels, starts: int) -> list[str]:
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


def _prices(settings: Settings, free: bool) -> Prices | None:
    return None if free else load_catalogue(settings.catalogue).prices


def _free_name(engine: Engine, wanted: str) -> str:
    """A name that no run has yet."""
    plain = "".join(sign if sign.isascii() and (sign.isalnum() or sign in "._-") else "-" for sign in wanted)
    plain = plain.lstrip("._-")[:70] or KIND
    with reading(engine) as connection:
        taken = set(connection.execute(select(RUN.c.name)).scalars())
    number = 1
    while (name := plain if number == 1 else f"{plain}-{number}") in taken:
        number += 1
    return name
