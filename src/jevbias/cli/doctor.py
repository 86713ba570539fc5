"""`doctor`: whether a run could start, and which models it could ask."""

from __future__ import annotations

from typing import Annotated

import typer

from jevbias.cli import options


def register(app: typer.Typer) -> None:
    """Add this family's commands."""
    app.command("doctor")(doctor)


def doctor(
    text: Annotated[
        str | None,
        typer.Argument(
            metavar="[TEXT]", help="With --models: only those with this in their name.", show_default=False
        ),
    ] = None,
    models: Annotated[
        bool, typer.Option("--models", help="List the models that can be named for a run, and stop.")
    ] = False,
    ask: Annotated[
        bool, typer.Option("--ask", help="Ask the model one small question even where that costs something.")
    ] = False,
    driver: options.DriverName = None,
    model: options.ModelName = None,
    reasoning_effort: options.Effort = None,
    catalogue: options.CatalogueFolder = None,
    db: options.Database = None,
    as_json: options.AsJson = False,
) -> None:
    """Check what a run needs: settings, key, server, model, database; exit 0 when nothing failed, else 1."""
    import asyncio

    from jevbias.cli.console import print_json, say, stdout_console
    from jevbias.cli.doctor_view import (
        examination_json,
        examination_text,
        models_json,
        models_text,
        remarks,
        verdict,
    )
    from jevbias.doctor.asking import Asking
    from jevbias.doctor.examine import examine
    from jevbias.doctor.models import usable_models
    from jevbias.drivers.providers import find_provider
    from jevbias.errors import UsageError
    from jevbias.settings import Settings, load_settings

    if text is not None and not models:
        raise UsageError(f"'{text[:60]}' is only looked for among models: add --models")
    if driver is not None:
        find_provider(driver)
    settings: Settings | UsageError
    try:
        settings = load_settings(
            driver=driver, model=model, reasoning_effort=reasoning_effort, catalogue=catalogue, db=db
        )
    except UsageError as error:
        if str(error).startswith("--"):
            raise
        settings = error
    console = stdout_console()
    if models:
        if isinstance(settings, UsageError):
            raise settings
        found = asyncio.run(usable_models(settings, text or ""))
        if as_json:
            print_json(models_json(found))
        elif found.models:
            console.print(models_text(found, console.width), soft_wrap=True)
        for line in remarks(found):
            say(line)
        return
    examination = asyncio.run(examine(settings, Asking(may_cost=ask, announce=say)))
    if as_json:
        print_json(examination_json(examination))
    else:
        console.print(examination_text(examination, console.width), soft_wrap=True)
    say(verdict(examination))
    if examination.failed:
        raise typer.Exit(1)
