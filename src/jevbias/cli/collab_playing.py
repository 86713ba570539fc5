"""Starting a bench, going on with one, and showing what it found."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from sqlalchemy import Engine

from jevbias.catalogue.load import load_catalogue
from jevbias.catalogue.models import Prices
from jevbias.cli.collab_prepared import Drawn, described, draw
from jevbias.cli.collab_shown import SUCH_AS, show_report
from jevbias.cli.collab_spending import agree
from jevbias.cli.collab_streams import stdout_to_stderr
from jevbias.cli.console import say
from jevbias.cli.draining import Sending, drain_options
from jevbias.cli.new_collab import NewCollab
from jevbias.cli.written import Written
from jevbias.collab.arms.arm import Arm
from jevbias.collab.arms.choose import choose_arms
from jevbias.collab.bench import Bench, at_work, play_bench
from jevbias.collab.estimate import cost_of_request
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
from jevbias.drain.options import DrainOptions
from jevbias.drivers.select import DriverChoice
from jevbias.errors import Interrupted, JevbiasError
from jevbias.settings import Settings
from jevbias.store.bench_runs import create_bench_run
from jevbias.store.connections import reading
from jevbias.store.engine import open_store
from jevbias.store.episodes import count_episodes
from jevbias.store.next_commands import NextCommands
from jevbias.store.planning import check_run_name, free_name
from jevbias.store.runs import find_run
from jevbias.store.tables import Run

_FREE = "none"
"""In place of a driver or a model where none is asked."""
_SAID_EVERY = 5.0
"""Seconds between two lines about the progress."""


def start_bench(
    wanted: NewCollab, settings: Settings, sending: Sending | None, written: Written, flags: str
) -> None:
    """Play a new bench and show its report. Raises UsageError and TaskError before anything is stored or
    sent, and what `play_bench` raises.
    """
    written.check(SUCH_AS)
    with stdout_to_stderr():
        engine, name = _started(wanted, settings, sending, flags)
    show_report(engine, name, written)


def _started(
    wanted: NewCollab, settings: Settings, sending: Sending | None, flags: str
) -> tuple[Engine, str]:
    """Where the bench that was played is stored, and its name."""
    wanted.check()
    arms = choose_arms(wanted.arms, wanted.escalations)
    if wanted.name is not None:
        check_run_name(wanted.name)
    drawn = draw(wanted.task, settings.seed, wanted.episodes)
    task, starts = drawn.task, drawn.starts
    prices = _prices(settings, wanted.llm.name == "mock" and settings.driver == "local")
    has_decision = any(arm.uses_decision for arm in arms)
    decision = choose_decision(settings, prices) if has_decision else None
    uses_llm = any(arm.uses_llm for arm in arms)
    llm = choose_llm(wanted.llm, settings, prices, say) if uses_llm else None
    setting = BenchSetting(
        wanted.task,
        task.levels,
        wanted.episodes,
        tuple(arm.name for arm in arms),
        wanted.threshold,
        wanted.escalations,
        wanted.proposals,
        hash_of(starts),
        llm.setting if llm is not None else None,
        has_decision,
        drawn.games,
    )
    models = BenchModels(decision, llm.served, llm.own) if llm is not None else BenchModels(decision, None)
    if decision is not None and decision.note:
        say(decision.note)
    for line in described(setting, models, len(starts)):
        say(line)
    agree(setting, models, task, starts, sending or Sending())
    engine = open_store(settings.db)
    lead = decision or models.llm
    run = create_bench_run(
        engine,
        kind=KIND,
        name=wanted.name or free_name(engine, f"{task.name}-{KIND}", KIND),
        driver=lead.name if lead is not None else _FREE,
        model=lead.model if lead is not None else llm.setting.model if llm is not None else _FREE,
        base_url=lead.base_url if lead is not None else "",
        seed=settings.seed,
        settings=setting.content(),
        design=f"{task.name}, {len(arms)} arms",
    )
    _play(engine, run, setting, models, drawn, arms, settings, sending or Sending(flags=flags))
    return engine, run.name


def resume_bench(name: str, settings: Settings, sending: Sending, written: Written) -> None:
    """Go on with a stored bench, and show its report. Raises UsageError, and TaskError where its task has
    changed.
    """
    written.check(SUCH_AS)
    engine = open_store(settings.db, create=False)
    run = find_run(engine, name, KIND)
    setting = read_setting(run)
    with reading(engine) as connection:
        played = count_episodes(connection, run.id or 0)
    if played == setting.episodes * len(setting.levels) * len(setting.arms) and run.status == "finished":
        say(f"{run.name}: nothing left to play")
    else:
        with stdout_to_stderr():
            _resumed(engine, run, setting, settings, sending)
    show_report(engine, run.name, written)


def _resumed(engine: Engine, run: Run, setting: BenchSetting, settings: Settings, sending: Sending) -> None:
    drawn = draw(setting.task, run.seed, setting.episodes)
    check_same_task(setting, drawn.starts, drawn.games)
    free = run.driver == "local" and (setting.llm is None or not setting.llm.is_served)
    models = choose_again(run, setting, settings, _prices(settings, free), say)
    agree(setting, models, drawn.task, drawn.starts, sending)
    arms = choose_arms(list(setting.arms), setting.escalations)
    _play(engine, run, setting, models, drawn, arms, settings, sending)


def _play(
    engine: Engine,
    run: Run,
    setting: BenchSetting,
    models: BenchModels,
    drawn: Drawn,
    arms: list[Arm],
    settings: Settings,
    sending: Sending,
) -> None:
    roles: tuple[tuple[Role, DriverChoice | None], ...] = (("decision", models.decision), ("llm", models.llm))
    # A server on this machine counts too, as its price may be known; only what asks nobody does not.
    paid = frozenset(role for role, choice in roles if choice is not None and choice.provider.address)
    own = None if models.own is None else models.own.model
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
    habitat = Habitat(setting, drawn.task, drawn.thread, run.seed)

    async def play() -> None:
        async with open_models(models, settings) as opened:
            bench = Bench(
                drawn.task,
                drawn.thread,
                drawn.starts,
                arms,
                lambda ledger, halt: opened.tools(habitat, paces, ledger, halt),
                settings.workers,
                paid,
                sending.max_cost,
                cost_of_request(models.llm, models.decision, own),
            )
            await play_bench(engine, run, bench, say, _progress(run.name))

    go_on = NextCommands(run.name, sending.flags, KIND).resume
    with at_work(engine, run):
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


def _prices(settings: Settings, free: bool) -> Prices | None:
    return None if free else load_catalogue(settings.catalogue).prices
