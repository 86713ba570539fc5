"""Putting a stored run to its model, and the options of every command that does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from jevbias.drain.options import DrainOptions
    from jevbias.settings import Settings
    from jevbias.store.tables import Run

Workers = Annotated[
    int | None,
    typer.Option(
        "--workers", help="Calls in flight at once [env: JEVBIAS_WORKERS; default: 8].", show_default=False
    ),
]
Timeout = Annotated[
    float | None,
    typer.Option("--timeout", help="Seconds a call may take [env: JEVBIAS_TIMEOUT].", show_default=False),
]
Attempts = Annotated[
    int | None,
    typer.Option(
        "--max-attempts",
        help="Sends a probe may have [env: JEVBIAS_MAX_ATTEMPTS; default: 3].",
        show_default=False,
    ),
]
Rate = Annotated[
    float | None, typer.Option("--rate", help="At most so many calls a minute.", show_default=False)
]


def drain_options(settings: Settings, rate: float | None) -> DrainOptions:
    """How the settings want a run to be drained. Raises UsageError for a rate that makes no sense."""
    from jevbias.drain.options import DrainOptions
    from jevbias.drivers.select import DEFAULT_TIMEOUT

    return DrainOptions(
        workers=settings.workers,
        max_attempts=settings.max_attempts,
        timeout=settings.timeout or DEFAULT_TIMEOUT,
        rate=rate,
    )


def put_to_model(
    engine: Engine, run: Run, settings: Settings, chosen: DrainOptions, flags: str = ""
) -> NoReturn:
    """Send what is pending of a run, say how it went, and end the command with that exit code.

    `flags` is what the commands that are suggested need besides the run's name, such as ` --db other.db`.
    """
    import asyncio
    import sys

    from jevbias.catalogue.load import load_catalogue
    from jevbias.cli.console import say
    from jevbias.drain.drain import drain, nothing_left
    from jevbias.drain.next_commands import NextCommands
    from jevbias.drain.progress import choose_view
    from jevbias.drain.summary import DrainSummary
    from jevbias.drivers.select import RequestModel, open_driver, rechoose_driver

    async def put() -> DrainSummary:
        async with open_driver(choice, settings) as driver:
            return await drain(engine, run, driver, chosen, choose_view(sys.stderr))

    summary = nothing_left(engine, run)
    if summary is not None:
        say(f"{run.name}: nothing left to send")
    else:
        choice = rechoose_driver(
            RequestModel(run.driver, run.model),
            run.base_url,
            settings,
            catalogue_prices=None if run.driver == "local" else load_catalogue(settings.catalogue).prices,
        )
        summary = asyncio.run(put())
    for line in summary.lines(flags):
        say(line)
    if summary.exit_code == 0:
        say(f"{NextCommands(run.name, flags).analyse} says what came out")
    raise typer.Exit(summary.exit_code)
