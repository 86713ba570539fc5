"""`run` and `work`: planning a run and putting it to a model."""

from __future__ import annotations

from typing import Annotated

import typer

from jevbias.cli import options
from jevbias.cli.draining import Attempts, Rate, Timeout, Workers, drain_options, put_to_model


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
    name: Annotated[
        str | None,
        typer.Option("--name", help="The run's name [default: <model>-<profile>].", show_default=False),
    ] = None,
    resume: Annotated[
        str | None,
        typer.Option("--resume", metavar="NAME", help="Go on with this run; only what is missing is sent."),
    ] = None,
    plan_only: Annotated[
        bool, typer.Option("--plan-only", help="Plan and store the run, send nothing.")
    ] = False,
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
    bases: Annotated[
        int | None,
        typer.Option("--bases", help="So many anchors instead of the profile's.", show_default=False),
    ] = None,
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
    workers: Workers = None,
    timeout: Timeout = None,
    max_attempts: Attempts = None,
    rate: Rate = None,
    catalogue: options.CatalogueFolder = None,
    db: options.Database = None,
) -> None:
    """Plan a run and put it to a model; Ctrl-C stops it, --resume goes on."""
    from jevbias.cli.console import say
    from jevbias.cli.new_run import NewRun, plan_new_run, store_new_run
    from jevbias.drain.next_commands import NextCommands
    from jevbias.errors import UsageError
    from jevbias.plan.narrow import Narrowing
    from jevbias.settings import load_settings
    from jevbias.store.engine import open_store
    from jevbias.store.runs import find_run

    settings = load_settings(
        seed=seed,
        driver=driver,
        model=model,
        workers=workers,
        timeout=timeout,
        max_attempts=max_attempts,
        margin=margin,
        threshold=threshold,
        catalogue=catalogue,
        db=db,
    )
    flags = options.database_flag(db)
    how = drain_options(settings, rate)
    if resume is not None:
        planning = {
            "--profile": profile,
            "--name": name,
            "--plan-only": plan_only or None,
            "--scenarios": scenarios,
            "--swept": swept,
            "--bases": bases,
            "--anchor-reference": anchor_reference or None,
            "--placebos": placebos or None,
            "--margin": margin,
            "--threshold": threshold,
            "--seed": seed,
            "--driver": driver,
            "--model": model,
        }
        given = [flag for flag, value in planning.items() if value is not None]
        if given:
            raise UsageError(f"--resume takes the run as it was planned: leave out {', '.join(given)}")
        engine = open_store(settings.db, create=False)
        put_to_model(engine, find_run(engine, resume), settings, how, flags)
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
    engine = open_store(settings.db)
    stored = store_new_run(engine, planned, settings)
    say(planned.described)
    if plan_only:
        say(f"planned; {NextCommands(stored.name, flags).resume} puts it to the model")
        return
    put_to_model(engine, stored, settings, how, flags)


def work(
    run: options.RunName = None,
    workers: Workers = None,
    timeout: Timeout = None,
    max_attempts: Attempts = None,
    rate: Rate = None,
    db: options.Database = None,
) -> None:
    """Join a planned run from one more process, on this or another machine."""
    from jevbias.settings import load_settings
    from jevbias.store.engine import open_store
    from jevbias.store.runs import find_run

    settings = load_settings(workers=workers, timeout=timeout, max_attempts=max_attempts, db=db)
    engine = open_store(settings.db, create=False)
    how = drain_options(settings, rate)
    put_to_model(engine, find_run(engine, run), settings, how, options.database_flag(db))
