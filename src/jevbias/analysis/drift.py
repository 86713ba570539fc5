"""Did the model move while it was asked? Repeats of the same ask against time, and against who answered."""

from __future__ import annotations

import numpy as np

from jevbias.analysis.noise import Noise
from jevbias.report.noise import Drift, ModelShift
from jevbias.stats.arrays import BoolArray, FloatArray
from jevbias.stats.pools import FEWEST_DEGREES
from jevbias.stats.within_cells import WithinSlope, within_slope


def measure_drift(noise: Noise, scores: FloatArray) -> Drift | None:
    """How far the answers to the same asks moved from the run's first send to its last.

    Least squares of `scores` (probes,) on the time they were sent at, with a mean of its own for every cell.
    None when nothing was answered; no total with fewer than 8 degrees of freedom or unknown send times.
    """
    probes = noise.dataset.probes
    if not probes.answered.any():
        return None
    timed = probes.answered & ~np.isnan(probes.sent_at)
    found, hours = None, None
    if timed.any():
        sent = probes.sent_at - probes.sent_at[timed].min()
        length = float(sent[timed].max())
        hours = length / 3600.0
        kept = _same_asks(noise, scores) & timed
        if length > 0:
            # In units of the run's length, so that the slope is the change over all of it.
            found = within_slope(scores[kept], sent[kept] / length, noise.cells.probe_cell[kept])
    told = found if _enough(found) else None
    return Drift(
        id="noise/drift",
        hours=hours,
        repeats=found.values if found else 0,
        total=told.slope if told else None,
        interval=told.interval() if told else None,
        p=told.p if told else None,
    )


def compare_models(noise: Noise, scores: FloatArray) -> list[ModelShift]:
    """How far each model's answers lie from the others' to the same asks; empty unless several answered.

    Least squares of `scores` (probes,) on whether it was this model, with a mean of its own for every cell.
    Answers of an unknown model are left out. No interval with fewer than 8 degrees of freedom.
    """
    dataset, probes = noise.dataset, noise.dataset.probes
    if len(dataset.models) < 2:
        return []
    kept = _same_asks(noise, scores) & (probes.model >= 0)
    cells = noise.cells.probe_cell[kept]
    rows = []
    for place, model in enumerate(dataset.models):
        found = within_slope(scores[kept], (probes.model[kept] == place).astype(np.float64), cells)
        rows.append(
            ModelShift(
                id=f"noise/model/{model}",
                model=model,
                probes=int((probes.model == place).sum()),
                shift=found.slope if found else None,
                interval=found.interval() if found and _enough(found) else None,
            )
        )
    return rows


def _same_asks(noise: Noise, scores: FloatArray) -> BoolArray:
    """The scored probes of anchors; a design without anchors gives everybody's, controls apart."""
    dataset, cells = noise.dataset, noise.cells
    asked = ~cells.control[cells.probe_cell] & ~np.isnan(scores)
    if dataset.is_anchor.any():
        asked &= dataset.is_anchor[dataset.probes.person]
    return asked


def _enough(found: WithinSlope | None) -> bool:
    return found is not None and found.degrees_of_freedom >= FEWEST_DEGREES
