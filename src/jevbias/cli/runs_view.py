"""How a list of runs looks in a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from jevbias.store.runs import RunSummary

_AS_WIDE_AS_IT_LIKES = 10_000


class RunsTable:
    """One row a run; times are local. Where the terminal is too narrow for that, each run's name has a line
    of its own, whole: it is what `--run` takes.
    """

    def __init__(self, runs: Sequence[RunSummary]) -> None:
        self._runs = runs

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        table = _table(self._runs)
        needed = Measurement.get(console, options.update(max_width=_AS_WIDE_AS_IT_LIKES), table).maximum
        if needed <= options.max_width:
            yield table
            return
        for run in self._runs:
            yield Text(run.name, style="bold", no_wrap=True, overflow="ignore")
            yield Text(f"  {_details(run)}")


def _table(runs: Sequence[RunSummary]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    for heading in ("run", "profile", "model", "status"):
        table.add_column(heading, no_wrap=True)
    for heading in ("answered", "failed"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("created", no_wrap=True)
    for run in runs:
        table.add_row(
            Text(run.name),
            Text(run.profile),
            Text(run.model),
            run.status,
            f"{run.answered:,}/{run.probes:,}",
            f"{run.failed:,}",
            _day(run),
        )
    return table


def _details(run: RunSummary) -> str:
    answered = f"answered {run.answered:,}/{run.probes:,}"
    failed = f"failed {run.failed:,}"
    return ", ".join((run.status, answered, failed, _day(run), run.profile, run.model))


def _day(run: RunSummary) -> str:
    return datetime.fromtimestamp(run.created_at).astimezone().strftime("%Y-%m-%d")
