"""`confirm`: what an exploratory run found, frozen as hypotheses and put to the test on new people."""

from __future__ import annotations

from typing import Annotated

import typer

from jevbias.cli import options
from jevbias.cli.draining import read_sending, start_run


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
    name: options.ConfirmationName = None,
    plan_only: options.PlanOnly = False,
    bases: options.ConfirmationBases = None,
    margin: options.SourceMargin = None,
    alpha: options.SourceAlpha = None,
    seed: options.OtherSeed = None,
    driver: options.SourceDriver = None,
    model: options.SourceModel = None,
    reasoning_effort: options.SourceEffort = None,
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
    """Freeze what a run found as hypotheses and test them on new people; `run --resume` goes on."""
    from jevbias.cli.console import say
    from jevbias.cli.new_confirmation import NewConfirmation, plan_confirmation
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
        catalogue=catalogue,
        db=db,
    )
    sending = read_sending(rate, tokens_per_second, max_cost, yes=yes, flags=options.database_flag(db))
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
        reasoning_effort=reasoning_effort,
        flags=sending.flags,
    )
    planned = plan_confirmation(engine, wanted, settings)
    for note in (planned.run.choice.note, planned.note):
        if note:
            say(note)
    start_run(
        lambda: engine,
        planned.run,
        planned.settings,
        sending,
        plan_only=plan_only,
        hypotheses=planned.hypotheses,
        said=planned.lines(),
    )
