"""Options that several commands share, said once."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated

import typer
from typer.models import OptionInfo

from jevbias.cli.hints import remember_flag
from jevbias.drivers.providers import PROVIDERS
from jevbias.errors import UsageError


def database_flag(db: str | None) -> str:
    """What a suggested command needs to reach the same database: ` --db x.db`, or nothing where the flag was
    not given. A URL may hold a password, so it is only named.
    """
    if db is None:
        return ""
    return " --db URL" if "://" in db else f" --db {shlex.quote(db)}"


def _remembered(db: str | None) -> str | None:
    remember_flag(database_flag(db))
    return db


Database = Annotated[
    str | None,
    typer.Option(
        "--db",
        metavar="PATH|URL",
        callback=_remembered,
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
_driver = _option("--driver", f"How to ask: {', '.join(PROVIDERS)}", metavar="NAME")
_model = _option("--model", "Which model to ask", metavar="NAME")
_margin = _option("--margin", "The smallest difference that matters")
_alpha = _option("--alpha", "The level of the tests")
_effort = _option(
    "--reasoning-effort", "How long a chat model may think, from none to xhigh", metavar="EFFORT"
)
_name = _option("--name", "The run's name")
_bases = _option("--bases", "So many anchors")
_workers = _option("--workers", "Calls in flight at once")
_timeout = _option("--timeout", "Seconds a call may take")
_attempts = _option("--max-attempts", "Sends a probe may have")
_rate = _option(
    "--rate", "At most so many calls: 1200/min, 20/s; a bare number is a minute's", metavar="RATE"
)
_token_rate = _option("--tokens-per-second", "At most so many input tokens a second", metavar="TOKENS")
_max_cost = _option(
    "--max-cost",
    "What the run may cost in all, in US dollars; several processes pass it by what they have in flight",
    metavar="USD",
)

Seed = Annotated[int | None, _seed("env: JEVBIAS_SEED; default: 20260920")]
OtherSeed = Annotated[int | None, _seed("not the source's; default: its seed + 1")]
DriverName = Annotated[str | None, _driver("env: JEVBIAS_DRIVER; default: jev with a key, else local")]
SourceDriver = Annotated[str | None, _driver("default: as the source did")]
ModelName = Annotated[str | None, _model("env: JEVBIAS_MODEL")]
SourceModel = Annotated[str | None, _model("default: the source's")]
Effort = Annotated[str | None, _effort("env: JEVBIAS_REASONING_EFFORT; default: the model's own")]
SourceEffort = Annotated[str | None, _effort("default: the source's, for its model")]
Margin = Annotated[float | None, _margin("env: JEVBIAS_MARGIN; default: 0.02")]
SourceMargin = Annotated[float | None, _margin("default: the source's")]
Alpha = Annotated[float | None, _alpha("env: JEVBIAS_ALPHA; default: 0.05")]
SourceAlpha = Annotated[float | None, _alpha("default: the source's")]
NewName = Annotated[str | None, _name("default: <model>-<profile>")]
ConfirmationName = Annotated[str | None, _name("default: <source>-confirm")]
CollabName = Annotated[str | None, _name("default: <task>-collab, numbered")]
Bases = Annotated[int | None, _bases("default: the profile's")]
ConfirmationBases = Annotated[int | None, _bases("default: 16")]
PlanOnly = Annotated[bool, typer.Option("--plan-only", help="Plan and store the run, send nothing.")]

Workers = Annotated[int | None, _workers("env: JEVBIAS_WORKERS; default: 8")]
Timeout = Annotated[float | None, _timeout("env: JEVBIAS_TIMEOUT; default: 30, for chat models 300")]
Attempts = Annotated[int | None, _attempts("env: JEVBIAS_MAX_ATTEMPTS; default: 3")]
Rate = Annotated[str | None, _rate("default: what the provider allows, where it says")]
TokenRate = Annotated[str | None, _token_rate("default: what the provider allows, where it says")]
MaxCost = Annotated[float | None, _max_cost("default: no limit")]
ReportOut = Annotated[
    Path | None,
    typer.Option("--out", metavar="FILE", help="Write the report as JSON too.", show_default=False),
]
ReportPage = Annotated[
    Path | None,
    typer.Option("--page", metavar="FILE", help="Write the report as a page too.", show_default=False),
]
Title = Annotated[
    str | None,
    typer.Option("--title", help="The page's title [default: from the run].", show_default=False),
]
Resume = Annotated[
    str | None,
    typer.Option("--resume", metavar="NAME", help="Go on with this run; only what is missing is sent."),
]
Yes = Annotated[bool, typer.Option("--yes", help="Spend money without asking first.")]


def check_resuming(planning: Mapping[str, object]) -> None:
    """Raises UsageError where an option that decides what a run is came with --resume; `planning` holds their
    values by flag, None or False for one that was not given.
    """
    given = [flag for flag, value in planning.items() if value is not None and value is not False]
    if given:
        raise UsageError(f"--resume takes the run as it was planned: leave out {', '.join(given)}")


def split_names(value: str | None) -> list[str] | None:
    """`a,b c` as a list of names; None stays None."""
    return None if value is None else [name for name in value.replace(",", " ").split() if name]
