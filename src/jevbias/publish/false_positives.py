"""How often a swap came out that nobody could see, and how far edits move answers that should not matter."""

from __future__ import annotations

from jevbias.publish import figures
from jevbias.publish.findings import Reading
from jevbias.publish.plain_text import printable
from jevbias.report.calibration import CalibrationCounts
from jevbias.report.placebos import PlaceboRange

FEW_PLACEBOS = 40
"""Under this number the largest placebo is the limit, from it on their 95th percentile."""
UNIFORMITY_LEVEL = 0.005
"""The p of uniformity below which the controls' p-values are held not to be uniform."""


def controls_sentence(reading: Reading) -> str:
    """How many swaps that the model could not see came out as findings."""
    if not reading.controls:
        return "The run has no swap that the model could not see, so false positives were not measured."
    found = reading.false_positives
    if not found.tested:
        swaps = figures.none_of(len(reading.controls), "swap", "that the model could not see could")
        return f"{swaps} be tested, so false positives were not measured."
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
    if placebos is None and reading.exact and reading.visible:
        return (
            "The run has no placebos (visible edits that should not matter). A model that does not vary "
            "answers a little differently for almost any edit, so that a difference alone does not say that "
            "it is the attribute that counts: `jevbias run --placebos` shows how far other edits move its "
            "answers."
        )
    if placebos is None:
        return ""
    ranges = pooled_ranges(reading)
    levels = figures.counted(placebos.levels, "placebo")
    if not ranges:
        return f"{levels} (visible edits that should not matter) could not be measured."
    said = [
        f"{levels} (visible edits that should not matter) moved pooled answers: "
        f"{'; '.join(map(_range, ranges))}.",
        *(_moved_within(reading, row) for row in ranges),
        _without_placebos(reading, {row.condition for row in ranges}),
    ]
    return " ".join(text for text in said if text)


def placebo_clause(reading: Reading) -> str:
    """How far edits that should not matter move answers, in half a sentence; empty without placebos."""
    ranges = pooled_ranges(reading)
    if not ranges:
        return ""
    farthest = max(row.maximum for row in ranges)
    return f"edits that should not matter move pooled answers by up to {figures.spread(farthest)}"


def failed_check(reading: Reading) -> str:
    """Which swaps that nobody could see came out otherwise than they should; empty where they did not.

    They fail where more of them came out, corrected and uncorrected, than simulating the design gives, where
    their p-values are farther from uniform than all but one in 200 simulated runs, and, for a model that does
    not vary, where any of them moved at all. One range missed alone is what one clean run in twenty shows.
    """
    if reading.report.factorial is not None:
        return ""
    found = reading.false_positives
    if reading.exact:
        moved = f"{figures.count(found.moved)} of {figures.count(found.tested)} moved, and none should"
        return _failed([moved] if found.moved else [])
    calibration = reading.report.calibration
    return _failed(
        [
            *_outside("pooled", calibration.pooled.controls),
            *_outside("on single questions", calibration.per_question.controls),
        ]
    )


def _failed(reasons: list[str]) -> str:
    return f"The check on swaps nobody could see failed: {figures.listed(reasons)}." if reasons else ""


def _outside(where: str, counts: CalibrationCounts) -> list[str]:
    """What is wrong with the controls of one family."""
    above = [
        f"{figures.count(number)} of {figures.count(counts.tests)} {where} {what} "
        f"({_span(expected)} when simulated)"
        for number, expected, what in (
            (counts.significant, counts.expected_significant, "came out significant"),
            (counts.raw_below_05, counts.expected_raw_below_05, "had a raw p below 0.05"),
        )
        if expected is not None and number > expected[1]
    ]
    reasons = above if len(above) == 2 else []
    if counts.uniformity_p is not None and counts.uniformity_p < UNIFORMITY_LEVEL:
        reasons.append(f"p-values {where} are not uniform (p {figures.p_value(counts.uniformity_p)})")
    return reasons


def pooled_ranges(reading: Reading) -> list[PlaceboRange]:
    """The ranges of pooled placebos, one per condition."""
    placebos = reading.report.placebos
    return [row for row in placebos.ranges if row.question is None] if placebos else []


def limit_name(row: PlaceboRange) -> str:
    """Which figure of the placebos a finding has to exceed."""
    return "maximum" if row.number < FEW_PLACEBOS else "95th percentile"


def _moved_within(reading: Reading, placebos: PlaceboRange) -> str:
    """How many of the swaps that moved answers under the placebos' condition moved them no further."""
    marks = [
        row.within_placebo_range
        for row in reading.found
        if row.condition == placebos.condition and row.within_placebo_range is not None
    ]
    if not marks:
        return ""
    within = sum(marks)
    moved = figures.counted(len(marks), "swap")
    than = "a placebo did" if placebos.number < FEW_PLACEBOS else "the placebos' 95th percentile"
    return (
        f"Of {moved} that moved answers under {printable(placebos.condition)}, {figures.count(within)} moved "
        f"them no further than {than}."
    )


def _without_placebos(reading: Reading, asked: set[str]) -> str:
    """The conditions under which swaps moved answers and no placebo was asked."""
    bare = sorted({row.condition for row in reading.found} - asked)
    if not bare:
        return ""
    return (
        f"Placebos were asked under {figures.listed(sorted(map(printable, asked)))} only: what moved under "
        f"{figures.listed(list(map(printable, bare)))} has none to be set against."
    )


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
