"""`runs`: what the database holds."""

from __future__ import annotations

from typing import Annotated

import typer

from jevbias.cli import options


def register(app: typer.Typer) -> None:
    """Add this family's commands."""
    app.command("runs")(runs)


def runs(
    delete: Annotated[
        str | None,
        typer.Option(
            "--delete", metavar="NAME", help="Delete this run and all it holds.", show_default=False
        ),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Delete without asking.")] = False,
    db: options.Database = None,
    as_json: options.AsJson = False,
) -> None:
    """List what the database holds, newest first; or delete a run."""
    from dataclasses import asdict

    from jevbias.cli.console import confirm, print_data, print_json, say
    from jevbias.cli.runs_view import RunsTable
    from jevbias.settings import load_settings
    from jevbias.store.engine import open_store, open_store_to_read
    from jevbias.store.runs import delete_run, list_runs

    path = load_settings(db=db).db
    if delete is not None:
        engine = open_store(path, create=False)
        if not yes:
            confirm(f"Delete run {delete} with every answer it holds?", flag="--yes")
        delete_run(engine, delete)
        say(f"deleted {delete}")
        return
    found = list_runs(open_store_to_read(path))
    if as_json:
        print_json([asdict(row) for row in found])
    elif found:
        print_data(RunsTable(found))
    else:
        say("the database holds no run yet; `jevbias run` makes one")
