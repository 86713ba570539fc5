"""Calibration: how often swaps that nobody could see came out as findings, beside those they could."""

from __future__ import annotations

from collections.abc import Sequence

from jevbias.report.calibration import Calibration, CalibrationCounts, CalibrationFamily
from jevbias.report.comparison import Comparison
from jevbias.stats.intervals import clopper_pearson

NOMINAL = 0.05


def calibrate(comparisons: Sequence[Comparison]) -> Calibration:
    """The false-positive rate, measured on swaps that the model could not see."""
    return Calibration(
        pooled=_family([row for row in comparisons if row.question is None]),
        per_question=_family([row for row in comparisons if row.question is not None]),
    )


def _family(rows: Sequence[Comparison]) -> CalibrationFamily:
    controls = _counts([row for row in rows if not row.visible], measures_chance=True)
    visible = _counts([row for row in rows if row.visible], measures_chance=False)
    discoveries = controls.significant + visible.significant
    return CalibrationFamily(
        visible=visible,
        controls=controls,
        controls_share_of_discoveries=controls.significant / discoveries if discoveries else None,
    )


def _counts(rows: Sequence[Comparison], *, measures_chance: bool) -> CalibrationCounts:
    """Rows without a p are no tests."""
    tested = [row for row in rows if row.p_noise is not None]
    significant = sum(row.significant for row in tested)
    return CalibrationCounts(
        tests=len(tested),
        significant=significant,
        raw_below_05=sum(row.p_noise < NOMINAL for row in tested if row.p_noise is not None),
        interval=clopper_pearson(significant, len(tested)) if measures_chance else None,
    )
