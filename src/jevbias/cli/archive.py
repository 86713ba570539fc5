"""`import` and `seed-canonical`: runs from their archives into a database."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from jevbias.cli import options

if TYPE_CHECKING:
    from jevbias.store.archive.transfer import Imported


def register(app: typer.Typer) -> None:
    """Add this family's commands."""
    app.command("import")(import_)
    app.command("seed-canonical")(seed_canonical)


def import_(
    archive: Annotated[
        Path, typer.Argument(metavar="FILE", help="A run archive, as `jevbias export --archive` writes it.")
    ],
    name: Annotated[
        str | None,
        typer.Option(
            "--name",
            metavar="NAME",
            help="The run's name here [default: as in the archive].",
            show_default=False,
        ),
    ] = None,
    db: options.Database = None,
) -> None:
    """Take a run in from its archive: verified, and whole or not at all."""
    from jevbias.cli.archived_kinds import ARCHIVED_KINDS
    from jevbias.cli.console import say
    from jevbias.settings import load_settings
    from jevbias.store.archive.transfer import import_archive
    from jevbias.store.archive.verify import verify_archive
    from jevbias.store.engine import open_store
    from jevbias.store.planning import check_run_name

    if name is not None:
        check_run_name(name)
    path = load_settings(db=db).db
    verified = verify_archive(archive, ARCHIVED_KINDS)
    imported = import_archive(open_store(path), archive, verified, name=name, readers=ARCHIVED_KINDS)
    say(_described(imported, options.database_flag(db)))


def seed_canonical(db: options.Database = None) -> None:
    """Take in the finished runs that ship with jevbias, to look at without a key."""
    from jevbias.catalogue.load import catalogue_root
    from jevbias.cli.archived_kinds import ARCHIVED_KINDS
    from jevbias.cli.console import say
    from jevbias.errors import UsageError
    from jevbias.settings import load_settings
    from jevbias.store.archive.transfer import import_archive
    from jevbias.store.archive.verify import verify_archive
    from jevbias.store.engine import open_store

    path = load_settings(db=db).db
    archives = sorted((catalogue_root(None) / "seed").glob("*.jsonl.gz"))
    if not archives:
        say("no finished run ships with this jevbias")
        return
    verified = {archive: verify_archive(archive, ARCHIVED_KINDS) for archive in archives}
    engine = open_store(path)
    taken: list[UsageError] = []
    for archive in archives:
        try:
            imported = import_archive(engine, archive, verified[archive], readers=ARCHIVED_KINDS)
            say(_described(imported, options.database_flag(db)))
        except UsageError as error:
            taken.append(error)
    if taken:
        raise UsageError("; ".join(str(error) for error in taken))


def _described(imported: Imported, flags: str) -> str:
    from jevbias.store.next_commands import NextCommands

    if not imported.is_new:
        return f"{imported.name} is there already, the same in all it holds"
    counts, analyse = imported.counts, NextCommands(imported.name, flags, imported.kind).analyse
    return (
        f"imported {imported.name}: {counts.probes:,} probes and {counts.answers:,} answers; "
        f"{analyse} says what came out"
    )
