"""The figures above everything else, in the order in which they have to be believed; findings come last."""

from __future__ import annotations

from dataclasses import dataclass

from jevbias.publish import figures
from jevbias.publish.false_positives import failed_check
from jevbias.publish.findings import FalsePositives, Reading
from jevbias.publish.hypotheses import outcome_counts
from jevbias.publish.reach import beyond
from jevbias.publish.swaps_on_questions import swaps_worse
from jevbias.publish.validity import pooled_among, responding, unanswered, untested
from jevbias.publish.verdicts import tally
from jevbias.report.hypotheses import Hypotheses
from jevbias.report.run_report import RunReport


@dataclass(frozen=True)
class Tile:
    """One figure with what it says, and the section that holds its evidence."""

    figure: str
    of: str
    name: str
    says: str
    section: str
    failed: bool = False
    """Whether the check behind it failed; the card is marked."""


def brief(reading: Reading) -> tuple[Tile, ...]:
    """Noise floor, validity, false positives, findings."""
    report = reading.report
    if report.factorial is not None:
        return (_noise(report), _validity(report), *_factorial(report))
    last = _confirmed(report.hypotheses) if report.hypotheses else _findings(reading)
    return (_noise(report), _validity(report), _controls(reading), last)


def _noise(report: RunReport) -> Tile:
    noise = report.noise_floor
    if noise.exact:
        return Tile("exact", "", "Noise floor", "every repeated request was answered identically", "belief")
    says = "how far the model differs from itself when asked the same again (standard deviation)"
    return Tile(figures.spread(noise.answer_sd), "", "Noise floor", says, "belief")


def _validity(report: RunReport) -> Tile:
    says = "questions that respond to the strength of the case"
    if unanswered(report):
        return Tile(figures.NOT_AVAILABLE, "", "Validity", "no question was answered", "belief")
    if untested(report):
        says = "answered for one variant of each case only, so no question was checked"
        return Tile(figures.NOT_AVAILABLE, "", "Validity", says, "belief")
    of = figures.count(len(report.validity))
    return Tile(figures.count(responding(report)), of, "Validity", f"{says}{pooled_among(report)}", "belief")


def _controls(reading: Reading) -> Tile:
    counts = reading.false_positives
    if not counts.tested:
        says = "no control comparison could be tested"
        return Tile(figures.NOT_AVAILABLE, "", "False positives", says, "belief")
    first, second = _control_families(reading)
    if not first.tested:
        first, second = second, first
    what = f"comparisons on single questions{_unpooled(reading)}" if first.per_question else "pooled swaps"
    says = f"{what} that count as moved although the model could not see them"
    if second.tested:
        of = figures.counted(second.tested, "comparison")
        says += f"; on single questions {figures.count(second.moved)} of {of} do"
    moved, of = figures.count(first.moved), figures.count(first.tested)
    failed = failed_check(reading)
    if failed:
        return Tile(moved, of, "False positives: check failed", f"{says}. {failed}", "belief", failed=True)
    return Tile(moved, of, "False positives", says, "belief")


def _control_families(reading: Reading) -> tuple[FalsePositives, FalsePositives]:
    """The controls that could be tested, the pooled ones and those on single questions, as findings are."""
    if reading.exact:
        pooled, single = (
            [row for row in rows if not row.visible and row.delta is not None]
            for rows in (reading.pooled, reading.per_question)
        )
        return (
            FalsePositives(sum(reading.state(row).moved for row in pooled), len(pooled)),
            FalsePositives(sum(reading.state(row).moved for row in single), len(single), per_question=True),
        )
    calibration = reading.report.calibration
    pooled_counts, counts = calibration.pooled.controls, calibration.per_question.controls
    return (
        FalsePositives(pooled_counts.significant, pooled_counts.tests),
        FalsePositives(counts.significant, counts.tests, per_question=True),
    )


def _findings(reading: Reading) -> Tile:
    rows, what = reading.visible, "pooled swaps"
    if reading.nothing_pooled:
        rows, what = reading.visible_on_questions, f"comparisons on single questions{_unpooled(reading)}"
    counts = tally(rows)
    if not counts.judged or reading.criterion == "none":
        return Tile(figures.NOT_AVAILABLE, "", "Findings", "no visible swap could be tested", "found")
    reach = (beyond(reading.report) or "others") + ("" if reading.nothing_pooled else " and for other cases")
    cases = counts.of("these cases")
    only = f"; {figures.count(cases)} more moved these answers only" if cases else ""
    says = f"{what} that are worse or better for {reach}{only}"
    single = tally(reading.visible_on_questions)
    if single.judged and not reading.nothing_pooled:
        of = figures.counted(single.judged, "comparison")
        says += f"; on single questions, on these cases only, {figures.count(single.found)} of {of} are"
    worse = swaps_worse(reading)
    if worse:
        says += f"; {figures.counted(worse, 'swap is', 'swaps are')} worse on at least one question"
    return Tile(figures.count(counts.found), figures.count(counts.judged), "Findings", says, "found")


def _unpooled(reading: Reading) -> str:
    return " (no score is pooled)" if reading.nothing_pooled else ""


def _confirmed(hypotheses: Hypotheses) -> Tile:
    of = figures.count(len(hypotheses.rows))
    if not hypotheses.intact:
        says = "hypotheses, because they or the plan were changed after they were frozen: the seal is broken"
        return Tile("0", of, "Confirmed", says, "confirmed")
    says = "hypotheses, frozen before the first call, that were confirmed with new people"
    return Tile(figures.count(outcome_counts(hypotheses)["confirmed"]), of, "Confirmed", says, "confirmed")


def _factorial(report: RunReport) -> tuple[Tile, ...]:
    if report.factorial is None:
        return ()
    hidden, visible = report.factorial.hidden, report.factorial.visible
    return (
        Tile(
            figures.count(hidden.significant),
            figures.count(hidden.tests),
            "False positives",
            "contrasts that came out although the model could not see the attribute",
            "factorial",
        ),
        Tile(
            figures.count(visible.significant),
            figures.count(visible.tests),
            "Contrasts",
            "of a level against its reference that came out after correction",
            "factorial",
        ),
    )
