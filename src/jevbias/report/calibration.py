"""Calibration in a report: how often swaps that nobody could see came out as findings."""

from __future__ import annotations

from jevbias.report.base import Interval, ReportModel, Share


class CalibrationCounts(ReportModel):
    """How many tests of one kind came out.

    `interval` is Clopper-Pearson on significant ÷ tests as if tests were independent; controls share
    anchors, so `expected_significant` and `expected_raw_below_05` (the central 95% of counts) and
    `uniformity_p` (are the p-values uniform?) come from simulating the design instead, the first at the
    p-value up to which the family's rows are significant. All four are None but for controls: what share of
    visible swaps matter is no rate of one thing.
    """

    tests: int
    significant: int
    raw_below_05: int
    interval: Interval | None
    expected_significant: tuple[int, int] | None = None
    expected_raw_below_05: tuple[int, int] | None = None
    uniformity_p: Share | None = None


class CalibrationFamily(ReportModel):
    """One family of comparisons, split into what the model could see and what it could not."""

    visible: CalibrationCounts
    controls: CalibrationCounts
    controls_share_of_discoveries: Share | None


class Calibration(ReportModel):
    """The false-positive rate, measured on swaps that the model could not see."""

    pooled: CalibrationFamily
    per_question: CalibrationFamily
