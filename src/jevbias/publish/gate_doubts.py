"""Why a run within its limits may prove nothing: what it could not have shown, had it been there."""

from __future__ import annotations

from jevbias.publish import figures
from jevbias.publish.findings import Reading
from jevbias.publish.gate_controls import broken_controls
from jevbias.publish.gate_open import hidden_on_questions, open_swaps, unanswered_questions, untested
from jevbias.publish.plain_text import printable
from jevbias.report.comparison import comparison_id
from jevbias.report.run_report import RunReport


def doubts(reading: Reading) -> list[str]:
    """Why the run could not have returned `worse`, in sentences; empty where it could have.

    About the run: whether it is finished, answered for everybody alike, tested against noise, judged with its
    frozen hypotheses, and whether its controls stayed within what chance gives. About its swaps: whether
    those whose verdict shows nothing could have been worse. A swap that is shown to lie inside the margin
    needs none of that, unless a question under it moved far down.
    """
    report = reading.report
    if report.factorial is not None or report.run.design == "factorial":
        return ["a factorial run has no pairs, so none of its contrasts could have been worse"]
    if not report.run.answered:
        return ["no call was answered"]
    if not reading.visible and not reading.visible_on_questions:
        return ["the run has no swap that the model could see"]
    if not reading.has_verdicts:
        return ["the report has no verdicts: an older jevbias wrote it; analyse the run again"]
    said = [_unfinished(report), _unanswered(report), unanswered_questions(reading), untested(reading)]
    if report.generalisation is None:
        said.append("the report does not say what its bases can show; analyse the run again")
    if reading.nothing_pooled or not reading.visible:
        said.append("nothing is pooled, because no question passed the validity check")
    else:
        said.extend(open_swaps(reading))
    said.append(hidden_on_questions(reading))
    said.extend(_hypotheses(report))
    said.extend(broken_controls(reading))
    return [text for text in said if text]


def _unfinished(report: RunReport) -> str:
    statuses = report.failures.by_status
    left = sum(statuses.get(name, 0) for name in ("pending", "running"))
    if not left:
        return ""
    of = figures.counted(report.run.calls, "call")
    return f"the run is unfinished: {figures.count(left)} of {of} are still to be made"


def _unanswered(report: RunReport) -> str:
    """Answers that went missing more often for some than for the anchors they are compared with."""
    rows = [row for row in report.failures.by_level if row.significant and row.only_swap > row.only_anchor]
    if not rows:
        return ""
    named = figures.listed(
        [printable(comparison_id(row.condition, row.attribute, row.level)) for row in rows]
    )
    return f"answers are missing more often than for anchors, and could not be judged: {named}"


def _hypotheses(report: RunReport) -> list[str]:
    """Hypotheses that are not what was frozen before the first call, or that the run could not decide."""
    if report.hypotheses is None:
        return []
    if not report.hypotheses.intact:
        return ["the hypotheses are not those that were frozen before the first call, so none of them counts"]
    unclear = [row.comparison for row in report.hypotheses.rows if row.outcome == "unclear"]
    if not unclear:
        return []
    named = figures.listed([printable(name) for name in unclear])
    return [f"{figures.counted(len(unclear), 'hypothesis', 'hypotheses')} ended unclear: {named}"]
