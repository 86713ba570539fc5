"""How far placebos move answers, placebo by placebo."""

from __future__ import annotations

from dataclasses import dataclass

from jevbias.analysis.trace.evidence import Listing, Trace
from jevbias.analysis.trace.traced_run import TracedRun
from jevbias.analysis.trace.wording import counted, figure


@dataclass(frozen=True)
class PlaceboRow:
    """One placebo, whose own id can be traced further."""

    id: str
    difference: float
    size: float
    pairs: int


def trace_placebo_range(run: TracedRun, identifier: str) -> Trace | None:
    """The placebos of one condition, pooled or on one question, the largest first; None for another id."""
    parts = identifier.split("/", 2)
    question = parts[2] if len(parts) > 2 else None
    if question is not None and all(question != name for _, _, name in run.questions()):
        return None
    rows = run.rows(question)
    if rows.placebos is None:
        return None
    found = next((row for row in rows.placebos.ranges if row.id == identifier), None)
    if found is None:
        return None
    moved = [
        PlaceboRow(row.id, row.delta, abs(row.delta), row.pairs)
        for row in rows.placebos.comparisons
        if row.visible and row.delta is not None and row.condition == found.condition
    ]
    moved.sort(key=lambda row: (-row.size, row.id))
    sums = (
        f"median of the sizes {figure(found.median)}, 95th percentile {figure(found.percentile_95)}, "
        f"maximum {figure(found.maximum)}",
    )
    says = f"{counted(found.number, 'placebo')}; a finding has to move further than {figure(found.limit)}"
    return Trace(
        identifier, run.run.name, says, found.model_dump(), (Listing("placebos", tuple(moved), sums),)
    )
