"""`testbench`: what a server does that its documents do not say."""

from __future__ import annotations

from typing import Annotated

import typer

from jevbias.cli import options
from jevbias.cli.testbench_options import Wanted, bench_command

testbench = typer.Typer(
    name="testbench",
    help="What a server does that its documents do not say: spread, latency, ceiling, meaning, limits.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Repeats = Annotated[
    int | None,
    typer.Option("--repeats", help="How many identical requests [default: 30].", show_default=False),
]
Minutes = Annotated[
    float | None,
    typer.Option(
        "--minutes",
        help="Over how long as many more are scattered; 0: none [default: 5].",
        show_default=False,
    ),
]
AtOnce = Annotated[
    int | None,
    typer.Option("--at-once", help="Calls in flight in a burst [default: 10].", show_default=False),
]
Calls = Annotated[
    int | None, typer.Option("--calls", help="Calls of each size [default: 20].", show_default=False)
]
Words = Annotated[
    str | None,
    typer.Option(
        "--words",
        metavar="N,N",
        help="Words of the state; 12 are about 15 tokens [default: 12,200,2000,10000].",
        show_default=False,
    ),
]
Largest = Annotated[
    int | None,
    typer.Option(
        "--largest",
        help="The largest request to try, in input tokens [default: 150000].",
        show_default=False,
    ),
]
MaxTokens = Annotated[
    int | None,
    typer.Option(
        "--max-tokens",
        help="Input tokens that the search may send in all [default: 4000000].",
        show_default=False,
    ),
]
Precision = Annotated[
    float | None,
    typer.Option(
        "--precision",
        help="How near the last size that works and the first that fails come [default: 0.01].",
        show_default=False,
    ),
]
ScenarioName = Annotated[
    str | None,
    typer.Option(
        "--scenario",
        metavar="NAME",
        help="Whose questions [default: hiring_screen, or the first].",
        show_default=False,
    ),
]
Cases = Annotated[
    int | None, typer.Option("--cases", help="How many cases of it [default: 12].", show_default=False)
]
Bursts = Annotated[
    str | None,
    typer.Option(
        "--bursts",
        metavar="N,N",
        help="How many calls at the same time [default: 1,5,10,20,40].",
        show_default=False,
    ),
]
Each = Annotated[
    int | None, typer.Option("--each", help="Bursts of each size [default: 1].", show_default=False)
]
Pause = Annotated[
    float | None,
    typer.Option("--pause", help="Seconds between two bursts [default: 2].", show_default=False),
]


def register(app: typer.Typer) -> None:
    """Add this family's commands."""
    for command in (determinism, latency, context, semantics, concurrency):
        testbench.command(command.__name__)(bench_command(command))
    testbench.command("all")(bench_command(everything))
    testbench.command("report")(report)
    app.add_typer(testbench)


def determinism(repeats: Repeats = None, minutes: Minutes = None, at_once: AtOnce = None) -> Wanted:
    """How far answers to identical requests differ, in one burst and scattered over minutes."""
    return {"determinism": {"repeats": repeats, "minutes": minutes, "at_once": at_once}}


def latency(calls: Calls = None, words: Words = None) -> Wanted:
    """How long a call takes by its size, one call at a time."""
    return {"latency": {"repeats": calls, "words": words}}


def context(largest: Largest = None, max_tokens: MaxTokens = None, precision: Precision = None) -> Wanted:
    """How large a request may be, and whether the server leaves text out in silence."""
    return {"context": {"largest": largest, "max_tokens": max_tokens, "precision": precision}}


def semantics(scenario: ScenarioName = None, cases: Cases = None) -> Wanted:
    """What the numbers mean: sums, choice, the formula of confidence; and what moves an answer."""
    return {"semantics": {"scenario": scenario, "cases": cases}}


def concurrency(bursts: Bursts = None, each: Each = None, pause: Pause = None) -> Wanted:
    """What becomes of many calls at the same time: refusals, hints, latency."""
    return {"concurrency": {"bursts": bursts, "repeats": each, "pause": pause}}


def everything(
    minutes: Minutes = None,
    calls: Calls = None,
    largest: Largest = None,
    max_tokens: MaxTokens = None,
    scenario: ScenarioName = None,
    cases: Cases = None,
    bursts: Bursts = None,
) -> Wanted:
    """All five parts as one run, with one report."""
    return {
        "determinism": {"minutes": minutes},
        "latency": {"repeats": calls},
        "context": {"largest": largest, "max_tokens": max_tokens},
        "semantics": {"scenario": scenario, "cases": cases},
        "concurrency": {"bursts": bursts},
    }


def report(
    run: options.RunName = None,
    out: options.ReportOut = None,
    page: options.ReportPage = None,
    title: options.Title = None,
    db: options.Database = None,
    as_json: options.AsJson = False,
) -> None:
    """What a run found so far, computed from the stored calls alone."""
    from jevbias.cli.testbench_running import show_stored
    from jevbias.cli.written import Written
    from jevbias.settings import load_settings

    show_stored(run, load_settings(db=db), Written(out, page, title, as_json))
