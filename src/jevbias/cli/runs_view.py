"""How a list of runs looks in a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from rich.table import Table
from rich.text import Text

from jevbias.store.runs import RunSummary


def runs_table(runs: Sequence[RunSummary]) -> Table:
    """One row a run; times are local."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("run", "profile", "driver", "model", "status"):
        table.add_column(heading)
    for heading in ("answered", "failed", "planned"):
        table.add_column(heading, justify="right")
    table.add_column("created", no_wrap=True)
    for run in runs:
        table.add_row(
            Text(run.name),
            Text(run.profile),
            run.driver,
            Text(run.model),
            run.status,
            f"{run.answered:,}",
            f"{run.failed:,}",
            f"{run.probes:,}",
            datetime.fromtimestamp(run.created_at).astimezone().strftime("%Y-%m-%d %H:%M"),
        )
    return table
