"""What moved on single questions, counted in swaps and in comparisons: a pooled score can hide all of it."""

from __future__ import annotations

from collections.abc import Iterable

from jevbias.publish import figures
from jevbias.publish.findings import Reading
from jevbias.publish.reach import beyond
from jevbias.publish.verdicts import tally
from jevbias.report.comparison import Comparison, ComparisonVerdict

MOVED: tuple[ComparisonVerdict, ...] = ("worse", "better", "these cases", "small")


def swaps_sentence(reading: Reading) -> str:
    """How many swaps are worse and better on at least one question, each swap counted once per condition.

    Empty where no single question was judged.
    """
    rows = reading.visible_on_questions
    if reading.criterion == "none" or not tally(rows).judged:
        return ""
    worse, better = _swaps(rows, "worse"), _swaps(rows, "better")
    if not worse | better:
        return "On single questions, no swap is shown to be worse or better."
    both = f", {figures.count(len(worse & better))} of them both" if worse & better else ""
    return (
        f"On single questions, for {beyond(reading.report) or 'others'} and on these cases only, "
        f"{figures.counted(len(worse), 'swap is', 'swaps are')} worse and {figures.count(len(better))} "
        f"better on at least one{both}."
    )


def moved_sentence(reading: Reading) -> str:
    """How many comparisons on single questions moved, by verdict; empty where none did."""
    counts = tally(reading.found_on_questions)
    if not counts.total:
        return ""
    parts = [
        f"{figures.count(counts.of(name))} {name if name != 'these cases' else '“these cases”'}"
        for name in MOVED
        if counts.of(name)
    ]
    moved = figures.counted(counts.total, "comparison on single questions", "comparisons on single questions")
    return f"{moved} moved: {figures.listed(parts)}."


def swaps_worse(reading: Reading) -> int:
    """How many visible swaps are worse on at least one question."""
    return len(_swaps(reading.visible_on_questions, "worse"))


def _swaps(rows: Iterable[Comparison], verdict: ComparisonVerdict) -> set[tuple[str, str, str]]:
    return {(row.condition, row.attribute, row.level) for row in rows if row.verdict == verdict}
