"""`collab plan`: how many episodes a difference between two arms needs, before a bench is run."""

from __future__ import annotations

from typing import Annotated

import typer

from jevbias.cli import options


def plan(
    first: Annotated[
        float | None,
        typer.Option("--first", metavar="RATE", help="The first arm's success rate.", show_default=False),
    ] = None,
    second: Annotated[
        float | None,
        typer.Option("--second", metavar="RATE", help="The second arm's success rate.", show_default=False),
    ] = None,
    discordant: Annotated[
        float | None,
        typer.Option(
            "--discordant",
            metavar="SHARE",
            help="The share of episodes in which just one of the two succeeds [default: as if the arms "
            "succeeded independently of each other].",
            show_default=False,
        ),
    ] = None,
    levels: Annotated[
        int, typer.Option("--levels", help="Levels that the test is corrected over.", min=1, max=1000)
    ] = 3,
    power: Annotated[float, typer.Option("--power", help="How surely the difference is to be shown.")] = 0.8,
    run: Annotated[
        str | None,
        typer.Option(
            "--run",
            metavar="NAME",
            help="Take rates and discordant shares from this bench instead.",
            show_default=False,
        ),
    ] = None,
    db: options.Database = None,
    as_json: options.AsJson = False,
) -> None:
    """Say how many episodes of a level a difference needs to come out significant, by exact calculation."""
    from jevbias.cli.collab_power import (
        Expected,
        expected_of_rates,
        expected_of_run,
        planned_json,
        planned_text,
    )
    from jevbias.cli.console import print_data, print_json
    from jevbias.errors import UsageError
    from jevbias.settings import load_settings
    from jevbias.store.engine import open_store_to_read

    if not 0 < power < 1:
        raise UsageError(f"--power: {power:g} is not allowed; give a number above 0 and below 1")
    expected: list[Expected]
    if run is not None:
        if (first, second, discordant) != (None, None, None):
            raise UsageError(
                "--run takes the rates from a bench: leave out --first, --second and --discordant"
            )
        expected, levels = expected_of_run(open_store_to_read(load_settings(db=db).db), run)
    elif first is None or second is None:
        raise UsageError("give --first RATE and --second RATE, or --run NAME to take them from a bench")
    else:
        expected = [expected_of_rates(first, second, discordant)]
    if as_json:
        print_json(planned_json(expected, levels, power))
    else:
        print_data(planned_text(expected, levels, power))
