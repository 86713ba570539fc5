"""What the weaker verdicts of a report do not mean, said wherever one of them stands."""

from __future__ import annotations

from jevbias.publish.findings import Reading
from jevbias.publish.reach import beyond


def caution(reading: Reading) -> str:
    """What `these cases` and `worse on this question` mean and what they do not, those that occur.

    What pooled scores show comes first; empty where nothing has such a verdict.
    """
    said = [_these_cases(reading), _on_this_question(reading)]
    if not any(row.verdict == "these cases" for row in reading.pooled):
        said.reverse()
    return " ".join(text for text in said if text)


def _these_cases(reading: Reading) -> str:
    rows = [row for row in reading.report.comparisons if row.verdict == "these cases"]
    if not rows:
        return ""
    where = ", here on single questions only," if all(row.question is not None for row in rows) else ""
    how_far = (
        "by the declared margin or more"
        if reading.criterion == "margin"
        else "further than repeated asking alone would explain"
    )
    return (
        f"“these cases”{where} means that these answers moved, for these people and these cases, {how_far}. "
        "It does not mean that the model is biased for or against anybody: that takes the same movement "
        "beyond these people and beyond these cases."
    )


def _on_this_question(reading: Reading) -> str:
    shown = {row.verdict for row in reading.visible_on_questions} & {"worse", "better"}
    if not shown:
        return ""
    named = " or ".join(f"“{name} on this question”" for name in ("worse", "better") if name in shown)
    return (
        f"{named} is shown for {beyond(reading.report) or 'others'}, and for one question and these cases "
        "of it alone: whether it holds for other cases was not asked, and the pooled verdict on the same "
        "swap may differ."
    )
