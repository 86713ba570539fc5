"""Did the model move? Drift and the shift of one model's answers, cell by cell."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from jevbias.analysis.drift import compare_models, measure_drift
from jevbias.analysis.trace.evidence import Listing, Trace
from jevbias.analysis.trace.noise import same_asks
from jevbias.analysis.trace.traced_run import TracedRun
from jevbias.analysis.trace.wording import counted, figure, signed
from jevbias.stats.arrays import BoolArray, FloatArray
from jevbias.stats.ties import TIE


@dataclass(frozen=True)
class CellSlope:
    """A cell's repeats and what they add to a least-squares slope within cells.

    `covariate` is each repeat's time, as a share of the run from its first send to its last, or 1 where it
    was the model in question. `products` is the sum of covariate × value and `squares` that of covariate²,
    both from their means in the cell.
    """

    who: str
    scenario: str
    variant: str
    condition: str
    products: float
    squares: float
    values: tuple[float, ...]
    covariate: tuple[float, ...]
    probes: tuple[int, ...]


def trace_drift(run: TracedRun, identifier: str) -> Trace | None:
    """The drift over the run; None for another id, and where nothing was answered."""
    row = measure_drift(run.noise, run.scores)
    if row is None or row.id != identifier:
        return None
    probes = run.dataset.probes
    timed = probes.answered & ~np.isnan(probes.sent_at)
    slopes: list[CellSlope] = []
    if timed.any():
        sent = probes.sent_at - probes.sent_at[timed].min()
        length = float(sent[timed].max())
        slopes = _slopes(run, sent / length, timed) if length > 0 else []
    says = "whether the model moved while it was asked could not be told"
    if row.total is not None:
        says = f"answers moved by {signed(row.total)} over {figure(row.hours)} hours"
        says += f" (95% {signed(row.interval[0])} to {signed(row.interval[1])})" if row.interval else ""
        says += f"; p {figure(row.p)}" if row.p is not None else ""
    listing = Listing("cells", tuple(slopes), tuple(_joined(slopes, "over the run")))
    return Trace(identifier, run.run.name, says, row.model_dump(), (listing,))


def trace_model(run: TracedRun, identifier: str) -> Trace | None:
    """How far one model's answers lie from the others'; None where the run has no such figure."""
    rows = {row.id: row for row in compare_models(run.noise, run.scores)}
    if identifier not in rows:
        return None
    row = rows[identifier]
    place = run.dataset.models.index(row.model)
    is_this = (run.dataset.probes.model == place).astype(np.float64)
    slopes = _slopes(run, is_this, run.dataset.probes.model >= 0)
    says = f"{row.model} answered {counted(row.probes, 'probe')}"
    says += f"; its answers lie {signed(row.shift)} from the others'" if row.shift is not None else ""
    listing = Listing("cells", tuple(slopes), tuple(_joined(slopes, "from the others")))
    return Trace(identifier, run.run.name, says, row.model_dump(), (listing,))


def _slopes(run: TracedRun, covariate: FloatArray, known: BoolArray) -> list[CellSlope]:
    """The cells that were asked more than once of those who are asked often, the weightiest first."""
    kept = same_asks(run) & known
    if run.dataset.is_anchor.any():
        kept &= run.dataset.is_anchor[run.dataset.probes.person]
    found = []
    answers, times = (run.cell_rows(column, kept, least=2) for column in (run.scores, covariate))
    for row, timed in zip(answers, times, strict=True):
        y, x = (np.array(side.values) - side.mean for side in (row, timed))
        y[np.abs(y) < TIE] = 0.0
        found.append(
            CellSlope(
                row.who,
                row.scenario,
                row.variant,
                row.condition,
                products=float(x @ y),
                squares=float(x @ x),
                values=row.values,
                covariate=timed.values,
                probes=row.probes,
            )
        )
    return sorted(found, key=lambda slope: -abs(slope.products))


def _joined(slopes: Iterable[CellSlope], what: str) -> Iterable[str]:
    rows = list(slopes)
    products, squares = math.fsum(row.products for row in rows), math.fsum(row.squares for row in rows)
    if squares > 0:
        yield (
            f"change {what} = sum of products / sum of squares = {figure(products)} / {figure(squares)} = "
            f"{signed(products / squares)} over {counted(len(rows), 'cell')}"
        )
