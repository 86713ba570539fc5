"""`export`: a run as one file that any database takes in, or as tables for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from jevbias.cli import options

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from sqlalchemy import Engine

    from jevbias.store.tables import Run


_AT_ONCE = 2**17
"""Characters that are gathered before they are written."""


def register(app: typer.Typer) -> None:
    """Add this family's commands."""
    app.command("export")(export)


def export(
    run: options.RunName = None,
    what: Annotated[
        str | None,
        typer.Option(
            "--what",
            metavar="TABLE",
            help="people, probes, answers or comparisons [default: answers].",
            show_default=False,
        ),
    ] = None,
    form: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help="csv or jsonl [default: by the ending of --out, else csv].",
            show_default=False,
        ),
    ] = None,
    raw: Annotated[
        bool, typer.Option("--raw", help="With --what probes: the replies too, as they came.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="The file [default: stdout].", show_default=False),
    ] = None,
    archive: Annotated[
        Path | None,
        typer.Option(
            "--archive",
            metavar="FILE",
            help="Write the run archive instead: every call and every answer, for `jevbias import`.",
            show_default=False,
        ),
    ] = None,
    db: options.Database = None,
) -> None:
    """Write a run as a table (CSV or JSON lines), or the whole of it into one file.

    In CSV a text that a spreadsheet would run as a formula stands behind an apostrophe.
    """
    from jevbias.settings import load_settings
    from jevbias.store.engine import open_store_to_read
    from jevbias.store.runs import find_run

    check_options(what, form, raw=raw, out=out, archive=archive)
    engine = open_store_to_read(load_settings(db=db).db)
    if archive is not None:
        _write_archive(engine, run, archive)
    else:
        found = find_run(engine, run, "bias")
        lines_as = form or ("jsonl" if out is not None and out.suffix == ".jsonl" else "csv")
        _write_table(engine, found, what or "answers", lines_as, raw=raw, out=out)


def check_options(
    what: str | None, form: str | None, *, raw: bool, out: Path | None, archive: Path | None
) -> None:
    """Raises UsageError for options that are not allowed, or not together, before anything is opened."""
    from jevbias.analysis.export.formats import FORMATS
    from jevbias.analysis.export.tables import check_table
    from jevbias.cli.console import need_file_name
    from jevbias.cli.visible_text import visible
    from jevbias.errors import UsageError

    given = {"--what": what, "--format": form, "--raw": raw or None, "--out": out}
    beside = [flag for flag, value in given.items() if value is not None]
    if archive is not None and beside:
        raise UsageError(
            f"--archive writes the whole run in a format of its own; leave out {', '.join(beside)}"
        )
    check_table(what or "answers", raw=raw)
    if form is not None and form not in FORMATS:
        raise UsageError(f"--format: '{visible(form)}' is not one of {', '.join(FORMATS)}")
    if out is not None:
        need_file_name(out, "--out", "the command without --out", such_as="answers.csv")


def _write_archive(engine: Engine, name: str | None, path: Path) -> None:
    from jevbias.cli.archived_kinds import ARCHIVED_KINDS
    from jevbias.cli.console import file_to_write, need_file_name, say
    from jevbias.store.archive.transfer import check_exportable, export_run
    from jevbias.store.runs import find_run

    run = find_run(engine, name, "bias" if name is None else None)
    if run.kind not in ARCHIVED_KINDS:
        run = find_run(engine, name, "bias")
    need_file_name(path, "--archive", "--archive /dev/stdout", such_as=f"{run.name}.jsonl.gz")
    check_exportable(engine, run)
    with file_to_write(path) as file:
        counts = export_run(engine, run, file, ARCHIVED_KINDS)
    say(f"wrote {path}: run {run.name} with {counts.probes:,} probes and {counts.answers:,} answers")


def _write_table(engine: Engine, run: Run, what: str, form: str, *, raw: bool, out: Path | None) -> None:
    import sys

    from jevbias.analysis.export.formats import FORMATS
    from jevbias.analysis.export.tables import exported
    from jevbias.cli.console import file_to_write, say
    from jevbias.cli.visible_text import visible

    with exported(engine, run, what, raw=raw) as table:
        lines = FORMATS[form](table)
        if out is None:
            # A terminal is shown what would steer it; whatever else reads gets the bytes as they are.
            shown = (
                (f"{visible(line.rstrip(), lines=True)}\n" for line in lines)
                if sys.stdout.isatty()
                else lines
            )
            _write(shown, sys.stdout.buffer.write)
            return
        with file_to_write(out) as file:
            written = _write(lines, file.write)
    rows = written - (form == "csv")
    say(f"wrote {out}: run {run.name}, {what}, {rows:,} row{'' if rows == 1 else 's'}")


def _write(lines: Iterable[str], write: Callable[[bytes], int]) -> int:
    """Write lines in UTF-8, some hundred kilobytes at a time; returns how many."""
    number, waiting, size = 0, [], 0
    for line in lines:
        number += 1
        size += len(line)
        waiting.append(line)
        if size >= _AT_ONCE:
            write("".join(waiting).encode("utf-8"))
            waiting, size = [], 0
    write("".join(waiting).encode("utf-8"))
    return number
