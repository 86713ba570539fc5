"""How often a swap came out that nobody could see, and how far edits move answers that should not matter."""

from __future__ import annotations

from jevbias.publish import figures
from jevbias.publish.findings import Reading
from jevbias.publish.plain_text import printable
from jevbias.report.calibration import CalibrationCounts
from jevbias.report.placebos import PlaceboRange

FEW_PLACEBOS = 40
"""Under this number the largest placebo is the limit, from it on their 95th percentile."""


def controls_sentence(reading: Reading) -> str:
    """How many swaps that the model could not see came out as findings."""
    if not reading.controls:
        return "The run has no swap that the model could not see, so false positives were not measured."
    found = reading.false_positives
    if not found.tested:
        return (
            f"None of the {figures.counted(len(reading.controls), 'swap')} that the model could not see "
            "could be tested, so false positives were not measured."
        )
    if reading.exact:
        of = figures.counted(found.tested, "difference")
        return (
            f"{figures.count(found.moved)} of {of} for swaps that the model could not see, pooled or on one "
            "question, came out other than zero: for an exact model none should."
        )
    calibration = reading.report.calibration
    if found.per_question:
        said = _counts(
            calibration.per_question.controls,
            "comparison on single questions",
            "comparisons on single questions",
        )
        return f"{said} Nothing is pooled, so there are no pooled controls."
    return _counts(calibration.pooled.controls, "swap", "swaps")


def placebo_sentence(reading: Reading) -> str:
    """How far edits that should not matter move answers, and how many findings lie within that."""
    placebos = reading.report.placebos
    if placebos is None:
        return ""
    ranges = pooled_ranges(reading)
    levels = figures.counted(placebos.levels, "placebo")
    if not ranges:
        return f"{levels} (visible edits that should not matter) could not be measured."
    said = "; ".join(_range(row) for row in ranges)
    within, known = findings_within(reading)
    marked = (
        f" {figures.count(within)} of {figures.counted(known, 'swap')} that moved these answers or more lie "
        "within that range."
        if known
        else ""
    )
    return f"{levels} (visible edits that should not matter) moved pooled answers: {said}.{marked}"


def pooled_ranges(reading: Reading) -> list[PlaceboRange]:
    """The ranges of pooled placebos, one per condition."""
    placebos = reading.report.placebos
    return [row for row in placebos.ranges if row.question is None] if placebos else []


def limit_name(row: PlaceboRange) -> str:
    """Which figure of the placebos a finding has to exceed."""
    return "maximum" if row.number < FEW_PLACEBOS else "95th percentile"


def findings_within(reading: Reading) -> tuple[int, int]:
    """Pooled comparisons that moved: how many lie within the placebos' range, of how many set against it."""
    marks = [
        row.within_placebo_range
        for row in reading.found
        if reading.state(row).moved and row.within_placebo_range is not None
    ]
    return sum(marks), len(marks)


def _counts(counts: CalibrationCounts, noun: str, plural: str) -> str:
    of = figures.counted(counts.tests, noun, plural)
    simulated = counts.expected_significant
    expected = f" (this design simulated: {_span(simulated)})" if simulated else ""
    raw = counts.expected_raw_below_05
    chance = f"{_span(raw)} when simulated" if raw else f"about {0.05 * counts.tests:.1f} by chance alone"
    said = (
        f"{figures.count(counts.significant)} of {of} that the model could not see came out "
        f"significant{expected}, and {figures.count(counts.raw_below_05)} had a raw p below 0.05 ({chance})."
    )
    if counts.uniformity_p is not None:
        said += f" Their p-values should be uniform (p {figures.p_value(counts.uniformity_p)})."
    if counts.interval is not None:
        said += f" The false-positive rate, 95% if independent: {figures.shares(counts.interval)}."
    beyond = simulated is not None and counts.significant > simulated[1]
    raw_beyond = raw is not None and counts.raw_below_05 > raw[1]
    if beyond or raw_beyond:
        said += " That is more than this design explains: the noise null is in doubt."
    return said


def _span(counts: tuple[int, int]) -> str:
    return f"{figures.count(counts[0])} to {figures.count(counts[1])}"


def _range(row: PlaceboRange) -> str:
    return (
        f"under {printable(row.condition)} by {figures.spread(row.median)} in the middle and "
        f"{figures.spread(row.maximum)} at most; a finding has to exceed {figures.spread(row.limit)}, their "
        f"{limit_name(row)}"
    )
