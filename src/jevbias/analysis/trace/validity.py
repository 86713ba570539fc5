"""Whether a question responds to the case, cell by cell of each variant."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean

import numpy as np

from jevbias.analysis.trace.evidence import CellRow, Listing, Trace
from jevbias.analysis.trace.traced_run import TracedRun
from jevbias.analysis.trace.wording import counted, figure, signed
from jevbias.catalogue.models import VARIANTS


@dataclass(frozen=True)
class VariantMean:
    """The mean over the cells of one variant under one condition."""

    variant: str
    condition: str
    cells: int
    mean: float


def trace_validity(run: TracedRun, identifier: str) -> Trace | None:
    """A question's means per variant and the cells behind each; None where the run has no such question."""
    row = next((row for row in run.validity.rows if row.id == identifier), None)
    if row is None:
        return None
    scenario, question = next((s, q) for s, q, name in run.questions() if name == row.question)
    probes = run.dataset.probes
    values = probes.favourability[:, question]
    here = (probes.scenario == scenario) & ~np.isnan(values)
    means: list[VariantMean] = []
    listings, sums = [], []
    for place, variant in enumerate(VARIANTS):
        cells = run.cell_rows(values, here & (probes.variant == place))
        if not cells:
            continue
        by_condition = [
            VariantMean(variant, condition, len(under), fmean(cell.mean for cell in under))
            for condition in run.dataset.conditions
            if (under := [cell for cell in cells if cell.condition == condition])
        ]
        mean = fmean(found.mean for found in by_condition)
        means.extend(by_condition)
        listings.append(
            Listing(f"{variant}: cells, furthest from the mean first", _furthest_first(cells, mean))
        )
        sums.append(
            f"{variant} = mean over conditions of the mean over cells = {figure(mean)} "
            f"({counted(len(cells), 'cell')})"
        )
    if row.span is not None:
        sums.append(f"span = strongest - weakest variant = {signed(row.span)}")
    says = f"{row.flag}{', non-monotone' if row.non_monotone else ''}: " + ", ".join(
        f"{variant} {figure(mean)}" for variant, mean in row.means.items()
    )
    if row.span is not None:
        says += f"; span {signed(row.span)}, range {figure(row.range)}, noise {figure(row.noise)}"
    first = Listing("means per variant and condition", tuple(means), tuple(sums))
    return Trace(identifier, run.run.name, says, row.model_dump(), (first, *listings))


def _furthest_first(cells: list[CellRow], mean: float) -> tuple[CellRow, ...]:
    return tuple(sorted(cells, key=lambda cell: -abs(cell.mean - mean)))
