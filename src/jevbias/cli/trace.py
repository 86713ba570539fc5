"""`trace`: from a figure of a report to the payloads and answers behind it."""

from __future__ import annotations

from typing import Annotated

import typer

from jevbias.cli import options


def register(app: typer.Typer) -> None:
    """Add this family's commands."""
    app.command("trace")(trace)


def trace(
    identifier: Annotated[
        str,
        typer.Argument(
            metavar="ID",
            help="The id of a figure, as the report and the page have it: full/religion=muslim, "
            "full/religion=muslim/hiring_screen.advance, noise/…, validity/…, conditions/…, failures/…; "
            "or probe/NUMBER.",
            show_default=False,
        ),
    ],
    run: options.RunName = None,
    pair: Annotated[
        str | None,
        typer.Option(
            "--pair",
            metavar="BASE/SCENARIO[/VARIANT]",
            help="Open this pair of a comparison [default: the strongest].",
            show_default=False,
        ),
    ] = None,
    raw: Annotated[
        bool, typer.Option("--raw", help="The replies as they came, of the pair or the probe that is opened.")
    ] = False,
    top: Annotated[
        int, typer.Option("--top", help="How many rows of each kind to list; 0 lists all.", min=0)
    ] = 20,
    db: options.Database = None,
    as_json: options.AsJson = False,
) -> None:
    """The evidence behind a figure: pairs, payloads, raw answers and repeats.

    A comparison shows how its pairs add up to its delta, and opens one of them: what differs between the two
    payloads, whether they are what was sent (by SHA-256), and every answer. Noise, validity, conditions and
    failures show the cells and probes that they are made of. --json holds all rows, whatever --top says.
    """
    from jevbias.analysis.trace.evidence import OpenedCell
    from jevbias.analysis.trace.trace import trace as trace_figure
    from jevbias.cli.console import print_json, say, stdout_console
    from jevbias.cli.trace_json import trace_json
    from jevbias.cli.trace_view import cell_text, trace_text
    from jevbias.settings import load_settings
    from jevbias.store.engine import open_store_to_read

    engine = open_store_to_read(load_settings(db=db).db)
    found = trace_figure(engine, run, identifier, pair=pair, raw=raw)
    if as_json:
        print_json(trace_json(found))
        return
    text = cell_text(found) if isinstance(found, OpenedCell) else trace_text(found, top)
    stdout_console().print(text, soft_wrap=True)
    if not isinstance(found, OpenedCell):
        flags = f" --run {found.run}{options.database_flag(db)}"
        say(f"`jevbias trace probe/NUMBER{flags} --raw` opens any of the probes")
