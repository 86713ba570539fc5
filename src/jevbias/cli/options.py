"""Options that several commands share, said once."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

Database = Annotated[
    str | None,
    typer.Option(
        "--db",
        metavar="PATH|URL",
        help="The database [env: JEVBIAS_DB; default: ./jevbias.db].",
        show_default=False,
    ),
]
CatalogueFolder = Annotated[
    Path | None,
    typer.Option(
        "--catalogue",
        metavar="FOLDER",
        help="A folder with scenarios/ and profiles/ [env: JEVBIAS_CATALOGUE; default: the shipped one].",
        show_default=False,
    ),
]
RunName = Annotated[
    str | None,
    typer.Option("--run", metavar="NAME", help="The run [default: the newest].", show_default=False),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for a script to read.")]
Seed = Annotated[
    int | None,
    typer.Option(
        "--seed",
        help="Decides every random draw [env: JEVBIAS_SEED; default: 20260920].",
        show_default=False,
    ),
]
DriverName = Annotated[
    str | None,
    typer.Option(
        "--driver",
        metavar="NAME",
        help="How to ask: jev or local [env: JEVBIAS_DRIVER; default: jev with a key, else local].",
        show_default=False,
    ),
]
ModelName = Annotated[
    str | None,
    typer.Option(
        "--model", metavar="NAME", help="Which model to ask [env: JEVBIAS_MODEL].", show_default=False
    ),
]


def database_flag(db: str | None) -> str:
    """What a suggested command needs to reach the same database: ` --db x.db`, or nothing where the flag was
    not given. A URL may hold a password, so it is only named.
    """
    if db is None:
        return ""
    return " --db URL" if "://" in db else f" --db {shlex.quote(db)}"


def split_names(value: str | None) -> list[str] | None:
    """`a,b c` as a list of names; None stays None."""
    return None if value is None else [name for name in value.replace(",", " ").split() if name]
