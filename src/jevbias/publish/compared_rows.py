"""One comparison in two runs as a line of a table, every figure written out."""

from __future__ import annotations

from dataclasses import dataclass

from jevbias.publish import figures
from jevbias.publish.compared import own_units, sign_text
from jevbias.publish.found import element_id
from jevbias.publish.plain_text import printable
from jevbias.publish.tracing import trace_command
from jevbias.report.compared import ComparedRow


@dataclass(frozen=True)
class SideCell:
    """One run on one comparison: delta, the same in its own units, verdict."""

    delta: str
    units: tuple[str, ...]
    verdict: str


@dataclass(frozen=True)
class RowView:
    """One comparison in both runs, every figure written out."""

    element_id: str
    traces: tuple[str, ...]
    attribute: str
    level: str
    reference: str
    protected: bool
    condition: str
    question: str
    outcome: str
    css: str
    sides: tuple[SideCell, SideCell]
    sign: str
    difference: str
    interval: str
    general: str
    p: str
    q: str
    bases: str


def row_view(row: ComparedRow, section: str, runs: tuple[str, ...]) -> RowView:
    """The line of a comparison in a section of the page; `runs` are the names that `trace` knows them by."""
    return RowView(
        element_id=f"{section}/{element_id(row.id)}",
        traces=tuple(trace_command(row.id, run) for run in runs),
        attribute=printable(row.attribute_label),
        level=printable(row.level),
        reference=printable(row.reference),
        protected=row.protected,
        condition=printable(row.condition),
        question=printable(row.question or ""),
        outcome=row.outcome,
        css=row.outcome.replace(" ", "-"),
        sides=(_side(row, second=False), _side(row, second=True)),
        sign=sign_text(row),
        difference=figures.delta(row.difference),
        interval=figures.interval(row.interval),
        general=figures.interval(row.ci_general),
        p=figures.p_value(row.p),
        q=figures.p_value(row.q),
        bases=figures.count(row.bases) if row.difference is not None else figures.NOT_AVAILABLE,
    )


def _side(row: ComparedRow, *, second: bool) -> SideCell:
    side = row.second if second else row.first
    return SideCell(figures.delta(side.delta), tuple(own_units(row, second=second)), side.verdict or "")
