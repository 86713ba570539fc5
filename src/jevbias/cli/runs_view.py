"""How a list of runs looks in a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from rich.table import Table
from rich.text import Text

from jevbias.store.runs import RunSummary


def runs_table(runs: Sequence[RunSummary]) -> Table:
    """One row a run; times are local. Names are folded, never cut: they are what `--run` takes."""
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    for heading in ("run", "profile", "model"):
        table.add_column(heading, overflow="fold")
    table.add_column("status", no_wrap=True)
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
            datetime.fromtimestamp(run.created_at).astimezone().strftime("%Y-%m-%d"),
        )
    return table
