"""`compare`: runs side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from jevbias.cli import options


def register(app: typer.Typer) -> None:
    """Add this family's commands."""
    app.command("compare")(compare)


def compare(
    runs: Annotated[
        list[str],
        typer.Argument(metavar="RUN_A RUN_B...", help="Two runs or more; a name in .json is a report file."),
    ],
    top: Annotated[int, typer.Option("--top", help="How many comparisons to list.", min=0)] = 10,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="Write the comparison as JSON too.", show_default=False),
    ] = None,
    db: options.Database = None,
    as_json: options.AsJson = False,
) -> None:
    """Compare runs with the first: both deltas in their own units, signs, differences, verdicts.

    Runs of one plan are compared pair by pair. Differences are the later run's delta less the first's;
    between two drivers there are none, because their deltas are in different units.
    """
    from jevbias.analysis.compare import compare_runs
    from jevbias.analysis.compare_sources import read_sources
    from jevbias.cli.console import need_file_name, print_data, say, write_file
    from jevbias.publish.compared_terminal import compared_headlines
    from jevbias.settings import load_settings
    from jevbias.store.engine import open_store_to_read

    if out is not None:
        need_file_name(out, "--out", "--json", such_as="compared.json")
    path = load_settings(db=db).db
    compared = compare_runs(read_sources(runs, lambda: open_store_to_read(path)))
    content = compared.model_dump_json() + "\n"
    if out is not None:
        write_file(out, content.encode("utf-8"))
    if as_json:
        typer.echo(content.rstrip("\n"))
    else:
        print_data(compared_headlines(compared, top=top))
    if out is not None:
        say(f"wrote {out}")
