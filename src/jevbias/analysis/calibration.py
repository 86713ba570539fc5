"""Calibration: how often swaps that nobody could see came out as findings, beside those they could."""

from __future__ import annotations

import numpy as np

from jevbias.analysis.control_simulation import ControlDesign, Family
from jevbias.report.calibration import Calibration, CalibrationCounts, CalibrationFamily
from jevbias.stats.arrays import BoolArray, FloatArray
from jevbias.stats.intervals import clopper_pearson
from jevbias.stats.shared_anchors import central_counts, uniformity

NOMINAL = 0.05


def calibrate(design: ControlDesign) -> Calibration:
    """The false-positive rate, measured on swaps that the model could not see.

    Placebos are in neither family. Rows without a p are no tests.
    """
    return Calibration(pooled=_family(design, "pooled"), per_question=_family(design, "per_question"))


def _family(design: ControlDesign, family: Family) -> CalibrationFamily:
    counted, seen = ~design.pairs.placebo, design.pairs.visible
    p, q = np.full((2, len(design.family(family)), counted.size), np.nan)
    for row, block in enumerate(design.family(family)):
        p[row], q[row] = block.claim.p, block.corrected.q
    alpha = design.dataset.facts.alpha
    significant = q < alpha
    tested = counted & ~np.isnan(p)
    # The cutoff of Benjamini and Hochberg: no p lies between it and the largest p that they reject.
    cutoff = alpha * int((tested & significant).sum()) / max(int(tested.sum()), 1)
    visible = _counts(p[tested & seen], significant[tested & seen])
    hidden = tested & ~seen
    controls = _counts(p[hidden], significant[hidden])
    if controls.tests:
        controls = _beside_chance(controls, p[hidden], design, family, cutoff)
    discoveries = controls.significant + visible.significant
    return CalibrationFamily(
        visible=visible,
        controls=controls,
        controls_share_of_discoveries=controls.significant / discoveries if discoveries else None,
    )


def _counts(p: FloatArray, significant: BoolArray) -> CalibrationCounts:
    return CalibrationCounts(
        tests=p.size,
        significant=int(significant.sum()),
        raw_below_05=int((p < NOMINAL).sum()),
        interval=None,
    )


def _beside_chance(
    counts: CalibrationCounts, p: FloatArray, design: ControlDesign, family: Family, cutoff: float
) -> CalibrationCounts:
    simulated = design.simulate(family, cutoff)
    return CalibrationCounts(
        tests=counts.tests,
        significant=counts.significant,
        raw_below_05=counts.raw_below_05,
        interval=clopper_pearson(counts.significant, counts.tests),
        expected_significant=central_counts(simulated.significant),
        expected_raw_below_05=central_counts(simulated.below_05),
        uniformity_p=uniformity(p, simulated.at_levels),
    )
