"""`battery`: which surface feature does a score quietly pay for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from jevbias.cli import options

if TYPE_CHECKING:
    from jevbias.report.battery import BatteryReport

battery = typer.Typer(
    name="battery",
    help="Which surface feature does a score quietly pay for: effects per axis from matched pairs.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


def _some_path(text: str) -> Path:
    from jevbias.errors import UsageError

    if not text.strip():
        raise UsageError("--pairs: is empty; give a file of pairs (.yaml, .jsonl) or a folder of them")
    return Path(text)


Pairs = Annotated[
    Path | None,
    typer.Option(
        "--pairs",
        metavar="FILE",
        parser=_some_path,
        help="A file of pairs (.yaml, .jsonl) or a folder of them [default: the built-in set].",
        show_default=False,
    ),
]
Axes = Annotated[
    str | None,
    typer.Option("--axes", metavar="A,B", help="Only these axes of the set.", show_default=False),
]


def register(app: typer.Typer) -> None:
    """Add this family's commands."""
    battery.command("run")(run)
    battery.command("report")(report)
    battery.command("compare")(compare)
    battery.command("pairs")(pairs)
    app.add_typer(battery)


def run(
    pairs: Pairs = None,
    scorer: Annotated[
        str | None,
        typer.Option(
            "--scorer",
            metavar="SCORER",
            help="Who scores a reply: noul or score (a question to the model of --driver and --model), a "
            "question of yours (.yaml), a file of scores (.jsonl, .csv), or module:function, called with "
            "prompt and reply [default: score].",
            show_default=False,
        ),
    ] = None,
    axes: Axes = None,
    repeats: Annotated[
        int | None,
        typer.Option(
            "--repeats",
            help="How often each reply is scored [default: once, and 24 of them three times for the noise].",
            show_default=False,
        ),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option("--name", help="The run's name [default: <model>-battery].", show_default=False),
    ] = None,
    resume: options.Resume = None,
    plan_only: options.PlanOnly = False,
    alpha: options.Alpha = None,
    seed: options.Seed = None,
    driver: options.DriverName = None,
    model: options.ModelName = None,
    reasoning_effort: options.Effort = None,
    workers: options.Workers = None,
    timeout: options.Timeout = None,
    max_attempts: options.Attempts = None,
    rate: options.Rate = None,
    tokens_per_second: options.TokenRate = None,
    max_cost: options.MaxCost = None,
    yes: options.Yes = False,
    db: options.Database = None,
) -> None:
    """Score every reply of a pair set; Ctrl-C stops it, --resume goes on."""
    from jevbias.cli.draining import read_sending
    from jevbias.cli.new_battery import (
        DEFAULT_SCORER,
        NewBattery,
        plan_battery,
        resume_battery,
        start_battery,
    )
    from jevbias.settings import load_settings
    from jevbias.store.engine import open_store

    settings = load_settings(
        seed=seed,
        driver=driver,
        model=model,
        reasoning_effort=reasoning_effort,
        workers=workers,
        timeout=timeout,
        max_attempts=max_attempts,
        alpha=alpha,
        db=db,
    )
    sending = read_sending(rate, tokens_per_second, max_cost, yes=yes, flags=options.database_flag(db))
    asked = {"--driver": driver, "--model": model, "--reasoning-effort": reasoning_effort}
    if resume is not None:
        planning = {
            "--pairs": pairs,
            "--scorer": scorer,
            "--axes": axes,
            "--repeats": repeats,
            "--name": name,
            "--plan-only": plan_only,
            "--alpha": alpha,
            "--seed": seed,
            **asked,
        }
        options.check_resuming(planning)
        timed = timeout is not None
        resume_battery(open_store(settings.db, create=False), resume, settings, sending, timed=timed)
    wanted = NewBattery(
        pairs=pairs,
        axes=options.split_names(axes),
        scorer=scorer or DEFAULT_SCORER,
        repeats=1 if repeats is None else repeats,
        name=name,
    )
    of_models = {**asked, "--timeout": timeout}
    planned = plan_battery(wanted, settings, [flag for flag, value in of_models.items() if value is not None])
    start_battery(lambda: open_store(settings.db), planned, settings, sending, plan_only=plan_only)


def report(
    run: options.RunName = None,
    out: options.ReportOut = None,
    page: options.ReportPage = None,
    title: options.Title = None,
    db: options.Database = None,
    as_json: options.AsJson = False,
) -> None:
    """What a battery found, per axis; computed from the stored scores alone."""
    from jevbias.battery.report import report_battery
    from jevbias.cli.written import Written
    from jevbias.publish.battery_page import render_battery
    from jevbias.publish.battery_terminal import battery_text
    from jevbias.settings import load_settings
    from jevbias.store.engine import open_store_to_read

    written = Written(out, page, title, as_json)
    written.check("battery.json")
    found = report_battery(open_store_to_read(load_settings(db=db).db), run)
    written.write(found, battery_text, render_battery)


def compare(
    first: Annotated[
        str,
        typer.Argument(metavar="A", help="A battery; a name in .json is a file of `battery report --out`."),
    ],
    second: Annotated[str, typer.Argument(metavar="B", help="The other one.")],
    out: options.ReportOut = None,
    page: options.ReportPage = None,
    title: options.Title = None,
    db: options.Database = None,
    as_json: options.AsJson = False,
) -> None:
    """Two batteries side by side: both effects per axis, opposite signs, leanings that both share."""
    from jevbias.battery.compare import compare_batteries
    from jevbias.cli.written import Written
    from jevbias.publish.batteries_compared_page import render_compared_batteries
    from jevbias.publish.batteries_compared_terminal import compared_text
    from jevbias.settings import load_settings

    written = Written(out, page, title, as_json)
    written.check("compared.json")
    database = load_settings(db=db).db
    compared = compare_batteries(_read(first, database), _read(second, database))
    written.write(compared, compared_text, render_compared_batteries)


def pairs(
    pairs: Pairs = None,
    axes: Axes = None,
    show: Annotated[
        str | None,
        typer.Option(
            "--show", metavar="AXIS[/FAMILY]", help="Print these pairs in full.", show_default=False
        ),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Check a set of pairs, every fault with its line; say what it holds and which families repeat others."""
    from jevbias.battery.read_pairs import read_pairs
    from jevbias.cli.battery_view import PairsView, pairs_json, shown_pairs
    from jevbias.cli.console import print_data, print_json, say

    read = read_pairs(pairs)
    for fault in read.errors:
        say(str(fault))
    if read.errors:
        raise typer.Exit(2)
    view = PairsView.of(read.pairs.narrowed(options.split_names(axes)))
    if show is not None:
        print_data(shown_pairs(view, show))
    elif as_json:
        print_json(pairs_json(view))
    else:
        print_data(view.text)


def _read(name: str, database: str) -> BatteryReport:
    from jevbias.battery.report import report_battery
    from jevbias.report.battery_file import read_battery_report
    from jevbias.store.engine import open_store_to_read

    if name.endswith(".json"):
        return read_battery_report(Path(name))
    return report_battery(open_store_to_read(database), name)
