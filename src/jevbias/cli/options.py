"""Options that several commands share, said once."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer
from typer.models import OptionInfo

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


def _option(flag: str, says: str, *, metavar: str | None = None) -> Callable[[str], OptionInfo]:
    """An option whose default depends on the command: called with what stands for it in the help."""

    def option(default: str) -> OptionInfo:
        named: OptionInfo = typer.Option(
            flag, metavar=metavar, help=f"{says} [{default}].", show_default=False
        )
        return named

    return option


_seed = _option("--seed", "Decides every random draw")
_driver = _option("--driver", "How to ask: jev or local", metavar="NAME")
_model = _option("--model", "Which model to ask", metavar="NAME")
_margin = _option("--margin", "The smallest difference that matters")
_alpha = _option("--alpha", "The level of the test")

Seed = Annotated[int | None, _seed("env: JEVBIAS_SEED; default: 20260920")]
OtherSeed = Annotated[int | None, _seed("not the source's; default: its seed + 1")]
DriverName = Annotated[str | None, _driver("env: JEVBIAS_DRIVER; default: jev with a key, else local")]
SourceDriver = Annotated[str | None, _driver("default: as the source did")]
ModelName = Annotated[str | None, _model("env: JEVBIAS_MODEL")]
SourceModel = Annotated[str | None, _model("default: the source's")]
Margin = Annotated[float | None, _margin("env: JEVBIAS_MARGIN; default: 0.02")]
SourceMargin = Annotated[float | None, _margin("default: the source's")]
SourceAlpha = Annotated[float | None, _alpha("default: the source's")]


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
