"""`confirm`: what an exploratory run found, frozen as hypotheses and put to the test on new people."""

from __future__ import annotations

from typing import Annotated

import typer

from jevbias.cli import options
from jevbias.cli.draining import Attempts, Rate, Timeout, Workers, drain_options, put_to_model


def register(app: typer.Typer) -> None:
    """Add this family's commands."""
    app.command("confirm")(confirm)


def confirm(
    source: Annotated[
        str,
        typer.Option("--from", metavar="RUN", help="The exploratory run to confirm.", show_default=False),
    ],
    comparison: Annotated[
        list[str] | None,
        typer.Option(
            "--comparison",
            metavar="ID",
            help="A pooled comparison of it, such as full/religion=muslim; may be repeated "
            "[default: those called worse, better or these cases].",
            show_default=False,
        ),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option("--name", help="The run's name [default: <source>-confirm].", show_default=False),
    ] = None,
    plan_only: Annotated[
        bool, typer.Option("--plan-only", help="Plan and freeze the run, send nothing.")
    ] = False,
    bases: Annotated[
        int | None,
        typer.Option("--bases", help="So many anchors instead of the profile's 16.", show_default=False),
    ] = None,
    margin: options.SourceMargin = None,
    alpha: options.SourceAlpha = None,
    seed: options.OtherSeed = None,
    driver: options.SourceDriver = None,
    model: options.SourceModel = None,
    workers: Workers = None,
    timeout: Timeout = None,
    max_attempts: Attempts = None,
    rate: Rate = None,
    catalogue: options.CatalogueFolder = None,
    db: options.Database = None,
) -> None:
    """Freeze what a run found as hypotheses and test them on new people; `run --resume` goes on."""
    from jevbias.cli.console import say
    from jevbias.cli.new_confirmation import NewConfirmation, plan_confirmation
    from jevbias.cli.new_run import store_new_run
    from jevbias.drain.next_commands import NextCommands
    from jevbias.settings import load_settings
    from jevbias.store.engine import open_store

    settings = load_settings(
        seed=seed,
        driver=driver,
        model=model,
        workers=workers,
        timeout=timeout,
        max_attempts=max_attempts,
        margin=margin,
        alpha=alpha,
        catalogue=catalogue,
        db=db,
    )
    flags = options.database_flag(db)
    how = drain_options(settings, rate)
    engine = open_store(settings.db, create=False)
    wanted = NewConfirmation(
        source=source,
        comparisons=comparison or (),
        name=name,
        seed=seed,
        bases=bases,
        margin=margin,
        alpha=alpha,
        driver=driver,
        model=model,
        flags=flags,
    )
    planned = plan_confirmation(engine, wanted, settings)
    for note in (planned.run.choice.note, planned.note):
        if note:
            say(note)
    stored = store_new_run(engine, planned.run, planned.settings, planned.hypotheses)
    for line in planned.lines():
        say(line)
    say(planned.run.described)
    if plan_only:
        say(f"planned; {NextCommands(stored.name, flags).resume} puts it to the model")
        return
    put_to_model(engine, stored, settings, how, flags)
