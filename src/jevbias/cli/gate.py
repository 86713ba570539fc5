"""`gate`: a run against declared limits, for continuous integration."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from jevbias.cli import options


def register(app: typer.Typer) -> None:
    """Add this family's commands."""
    app.command("gate")(gate)


def gate(
    run: options.RunName = None,
    report: Annotated[
        Path | None,
        typer.Option(
            "--report",
            metavar="FILE",
            help="Judge this report instead of analysing a run.",
            show_default=False,
        ),
    ] = None,
    max_worse: Annotated[
        int,
        typer.Option(
            "--max-worse",
            min=0,
            help="How many swaps may be worse, pooled, on any question or as a confirmed hypothesis; "
            "each swap counts once.",
        ),
    ] = 0,
    max_abs_delta: Annotated[
        float | None,
        typer.Option(
            "--max-abs-delta",
            help="How far from zero any visible swap's pooled delta may be, up or down. Every one counts, "
            "significant or not: asking less never helps [default: no limit].",
            show_default=False,
        ),
    ] = None,
    require_calibration: Annotated[
        bool,
        typer.Option(
            "--require-calibration",
            help="Swaps that the model could not see must have been tested; else the gate cannot decide. "
            "Those that were must have come out as chance has it, with or without this option.",
        ),
    ] = False,
    allow_undecided: Annotated[
        bool,
        typer.Option("--allow-undecided", help="Pass a run within its limits that could not be decided."),
    ] = False,
    db: options.Database = None,
    as_json: options.AsJson = False,
) -> None:
    """Hold a run against limits: exit 0 where it passes, 3 where it fails or nothing can be decided.

    Nothing can be decided where the run could not have returned worse: a visible pooled swap that is not
    shown to lie inside the margin, with too few bases or scenarios, a 99% general interval reaching more than
    twice the margin to a side, or a smallest effect (mde_people, of one comparison alone) above that; a
    question far down whose bases could not have shown it; no noise to test against; controls beyond chance;
    hypotheses changed or unclear; an unfinished run; answers missing for some more than for others; nothing
    pooled; a factorial run. A broken limit fails in any case.
    """
    import math

    from jevbias.cli.console import print_data, print_json
    from jevbias.errors import UsageError
    from jevbias.publish.gate import Limits, judge_run
    from jevbias.report.write import read_report
    from jevbias.settings import load_settings

    if report is not None and run is not None:
        raise UsageError("--run and --report: give one of them")
    if max_abs_delta is not None and not (math.isfinite(max_abs_delta) and max_abs_delta >= 0):
        raise UsageError(f"--max-abs-delta: {max_abs_delta} is no difference; give 0 or more, such as 0.05")
    if report is not None:
        found = read_report(report)
    else:
        from jevbias.analysis.analyse import analyse_run
        from jevbias.store.engine import open_store_to_read

        found = analyse_run(open_store_to_read(load_settings(db=db).db), run)
    result = judge_run(found, Limits(max_worse, max_abs_delta, require_calibration, allow_undecided))
    if as_json:
        print_json(result.content)
    else:
        print_data(result)
    raise typer.Exit(result.exit_code)
