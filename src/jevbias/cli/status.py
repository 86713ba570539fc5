"""`status` and `reset`: looking after a run."""

from __future__ import annotations

from typing import Annotated

import typer

from jevbias.cli import options


def register(app: typer.Typer) -> None:
    """Add this family's commands."""
    app.command("status")(status)
    app.command("reset")(reset)


def status(
    run: options.RunName = None,
    watch: Annotated[
        bool, typer.Option("--watch", help="Look again every two seconds until it is through or has stopped.")
    ] = False,
    db: options.Database = None,
    as_json: options.AsJson = False,
) -> None:
    """How far a run is: probes, sends (known and possible), tokens, cost, failures; why it stopped."""
    import time

    from jevbias.cli.call_status_view import show_call_progress
    from jevbias.cli.console import print_json, stdout_console
    from jevbias.cli.status_view import progress_json, progress_text
    from jevbias.settings import load_settings
    from jevbias.store.call_progress import KINDS
    from jevbias.store.engine import open_store_to_read
    from jevbias.store.progress import run_progress
    from jevbias.store.runs import find_run

    engine = open_store_to_read(load_settings(db=db).db)
    found = find_run(engine, run)
    console = stdout_console()
    while found.kind in KINDS:
        looked = show_call_progress(engine, found.name, options.database_flag(db), as_json=as_json)
        if not watch or looked.at_rest:
            return
        time.sleep(2)
    while True:
        progress = run_progress(engine, found.id or 0)
        if as_json:
            print_json(progress_json(progress))
        else:
            console.print(progress_text(progress, options.database_flag(db)), soft_wrap=True)
        if not watch or progress.at_rest:
            return
        time.sleep(2)


def reset(
    run: options.RunName = None,
    failed: Annotated[
        bool,
        typer.Option("--failed", help="Failed and malformed probes too; all their attempts stay in the log."),
    ] = False,
    refused: Annotated[bool, typer.Option("--refused", help="Probes that the model declined too.")] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Also what a living process holds: it may be sent twice.")
    ] = False,
    db: options.Database = None,
) -> None:
    """Return probes to the queue: abandoned ones (their worker is gone), or those without an answer."""
    from jevbias.cli.console import say
    from jevbias.settings import load_settings
    from jevbias.store.engine import open_store
    from jevbias.store.next_commands import NextCommands
    from jevbias.store.reset import reset_probes
    from jevbias.store.runs import find_run

    engine = open_store(load_settings(db=db).db, create=False)
    found = find_run(engine, run)
    summary = reset_probes(engine, found.id or 0, failed=failed, refused=refused, force=force)
    for line in summary.lines():
        say(f"{found.name}: {line}")
    if summary.returned:
        say(f"{NextCommands(found.name, options.database_flag(db), found.kind).resume} sends them")
