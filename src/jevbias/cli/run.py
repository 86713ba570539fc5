"""`run` and `work`: planning a run and putting it to a model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from jevbias.cli import options
from jevbias.cli.draining import put_to_model, read_sending, start_run

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from jevbias.store.tables import Run


def register(app: typer.Typer) -> None:
    """Add this family's commands."""
    app.command("run")(run)
    app.command("work")(work)


def run(
    profile: Annotated[
        str | None,
        typer.Option(
            "--profile", help="How much to ask; see `jevbias design` [default: smoke].", show_default=False
        ),
    ] = None,
    name: options.NewName = None,
    resume: options.Resume = None,
    plan_only: options.PlanOnly = False,
    scenarios: Annotated[
        str | None,
        typer.Option(
            "--scenarios", metavar="A,B", help="Only these scenarios of the profile.", show_default=False
        ),
    ] = None,
    swept: Annotated[
        str | None,
        typer.Option(
            "--swept",
            metavar="A,B",
            help="Only these attributes, or levels such as religion=muslim.",
            show_default=False,
        ),
    ] = None,
    bases: options.Bases = None,
    anchor_reference: Annotated[
        bool,
        typer.Option(
            "--anchor-reference", help="Put attributes that are not swept at their reference, undrawn."
        ),
    ] = False,
    placebos: Annotated[
        bool,
        typer.Option(
            "--placebos", help="Swap visible but irrelevant details too, to see how far those move answers."
        ),
    ] = False,
    margin: options.Margin = None,
    alpha: options.Alpha = None,
    threshold: Annotated[
        float | None,
        typer.Option(
            "--threshold",
            help="The favourability from which a yes/no answer counts as decided for the person "
            "[env: JEVBIAS_THRESHOLD; default: 0.5].",
            show_default=False,
        ),
    ] = None,
    seed: options.Seed = None,
    driver: options.DriverName = None,
    model: options.ModelName = None,
    reasoning_effort: options.Effort = None,
    workers: options.Workers = None,
    timeout: options.Timeout = None,
    max_attempts: options.Attempts = None,
    rate: options.Rate = None,
    tokens_per_second: options.TokenRate = None,
    max_cost: options.MaxCost = None,
    yes: options.Yes = False,
    catalogue: options.CatalogueFolder = None,
    db: options.Database = None,
) -> None:
    """Plan a run and put it to a model; Ctrl-C stops it, --resume goes on."""
    from jevbias.cli.console import say
    from jevbias.cli.new_run import NewRun, plan_new_run
    from jevbias.plan.narrow import Narrowing
    from jevbias.settings import load_settings
    from jevbias.store.engine import open_store

    settings = load_settings(
        seed=seed,
        driver=driver,
        model=model,
        reasoning_effort=reasoning_effort,
        workers=workers,
        timeout=timeout,
        max_attempts=max_attempts,
        margin=margin,
        alpha=alpha,
        threshold=threshold,
        catalogue=catalogue,
        db=db,
    )
    sending = read_sending(rate, tokens_per_second, max_cost, yes=yes, flags=options.database_flag(db))
    if resume is not None:
        planning = {
            "--profile": profile,
            "--name": name,
            "--plan-only": plan_only,
            "--scenarios": scenarios,
            "--swept": swept,
            "--bases": bases,
            "--anchor-reference": anchor_reference,
            "--placebos": placebos,
            "--margin": margin,
            "--alpha": alpha,
            "--threshold": threshold,
            "--seed": seed,
            "--driver": driver,
            "--model": model,
            "--reasoning-effort": reasoning_effort,
        }
        options.check_resuming(planning)
        engine = open_store(settings.db, create=False)
        put_to_model(engine, _run_with_a_plan(engine, resume, sending.flags), settings, sending)
    wanted = NewRun(
        profile=profile or "smoke",
        name=name,
        narrowing=Narrowing(
            scenarios=options.split_names(scenarios),
            swept=options.split_names(swept),
            bases=bases,
            anchor_reference=anchor_reference,
            placebos=placebos,
        ),
    )
    planned = plan_new_run(wanted, settings)
    if planned.choice.note:
        say(planned.choice.note)
    start_run(lambda: open_store(settings.db), planned, settings, sending, plan_only=plan_only)


def work(
    run: options.RunName = None,
    workers: options.Workers = None,
    timeout: options.Timeout = None,
    max_attempts: options.Attempts = None,
    rate: options.Rate = None,
    tokens_per_second: options.TokenRate = None,
    max_cost: options.MaxCost = None,
    yes: options.Yes = False,
    db: options.Database = None,
) -> None:
    """Join a planned run from one more process, on this or another machine."""
    from jevbias.settings import load_settings
    from jevbias.store.engine import open_store

    settings = load_settings(workers=workers, timeout=timeout, max_attempts=max_attempts, db=db)
    engine = open_store(settings.db, create=False)
    sending = read_sending(rate, tokens_per_second, max_cost, yes=yes, flags=options.database_flag(db))
    put_to_model(engine, _run_with_a_plan(engine, run, sending.flags), settings, sending)


def _run_with_a_plan(engine: Engine, name: str | None, flags: str) -> Run:
    """The bias run of this name, or the newest one. Raises UsageError, naming the command that goes on with
    it, for a run of another kind.
    """
    from jevbias.errors import UsageError
    from jevbias.store.next_commands import NextCommands
    from jevbias.store.runs import find_run

    found = find_run(engine, name, "bias" if name is None else None)
    if found.kind != "bias":
        commands = NextCommands(found.name, flags, found.kind)
        raise UsageError(f"run {found.name} is a {found.kind} run: {commands.resume} goes on with it")
    return found
