"""What single swaps could not have shown: those whose verdict shows nothing, and questions beneath them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from statistics import median

from jevbias.publish import figures
from jevbias.publish.findings import Reading
from jevbias.publish.plain_text import printable
from jevbias.report.base import Interval
from jevbias.report.comparison import Comparison, comparison_id
from jevbias.report.generalisation import FamilyReach

SHOWN = ("worse", "better", "small", "no difference")
"""Verdicts that show something: with any other, a swap passes only if it could have been seen to be worse."""
FACTOR = 2.0
"""How many margins an effect may measure that a swap would not have shown."""
FEWEST_SHARE = 0.5
"""The share of the other swaps' pairs on a question under which a swap's own are too few."""
NAMED = 3


def open_swaps(reading: Reading) -> list[str]:
    """Why visible pooled swaps whose verdict shows nothing could not have been worse.

    Every one of them needs bases enough for one discovery alone, a 99% general interval that reaches no
    farther than twice the margin to either side, and a smallest effect of claim (b) of at most that.
    """
    reach = reading.report.generalisation
    rows = [row for row in reading.visible if row.verdict not in SHOWN]
    said = (
        _bases(rows, reach.pooled, reading.report.run.alpha) if reach else "",
        _cases(rows),
        _power_over_cases(rows, reading.report.run.margin),
        _power(rows, reading.report.run.margin, exact=reading.exact),
    )
    return [text for text in said if text]


def untested(reading: Reading) -> str:
    """Differences that no noise stands against: without q they could not have been worse, however large."""
    if reading.exact:
        return ""
    rows = [row for row in _judged(reading) if row.delta is not None and row.q is None]
    if not rows:
        return ""
    return (
        f"no noise to test against: {_named(rows)} {'has' if len(rows) == 1 else 'have'} no q, so nothing "
        "could have shown; repeat asks of the same cell"
    )


def hidden_on_questions(reading: Reading) -> str:
    """Questions that moved far down, where the bases could not have shown it of one question by itself.

    A question counts as much as a pooled score, which can be shown to lie inside the margin while one
    question under it does not. Swaps that are worse anyway are left out.
    """
    run, reach = reading.report.run, reading.report.generalisation
    if reach is None:
        return ""
    worse = {swap_id(row) for row in _judged(reading) if row.verdict == "worse"}
    rows = [
        row
        for row in reading.visible_on_questions
        if row.verdict == "these cases"
        and row.delta is not None
        and row.delta < -FACTOR * run.margin
        and swap_id(row) not in worse
        and _too_few(row, reach.per_question, run.alpha)
    ]
    if not rows:
        return ""
    return (
        f"too few bases for single questions: {_named(rows)} moved down by over twice the margin on these "
        "cases, and with so few bases no question could have been worse by itself"
    )


def unanswered_questions(reading: Reading) -> str:
    """Questions that were answered for other swaps, and hardly or never for one.

    Of each swap, the share of its pairs that a question has (of its most answered question); held against
    the median of the other swaps' shares of the same question under the same condition.
    """
    rows = [row for row in reading.visible_on_questions if row.verdict != "withheld"]
    most: dict[str, int] = defaultdict(int)
    for row in rows:
        most[swap_id(row)] = max(most[swap_id(row)], row.pairs)
    siblings: dict[tuple[str, str | None], list[Comparison]] = defaultdict(list)
    for row in rows:
        siblings[row.condition, row.question].append(row)

    def share(row: Comparison) -> float:
        return row.pairs / (most[swap_id(row)] or 1) if row.delta is not None else 0.0

    few: list[Comparison] = []
    for group in siblings.values():
        shares = {row.id: share(row) for row in group}
        usual = median(shares.values()) if len(group) > 2 else max(shares.values()) if len(group) > 1 else 1.0
        few.extend(row for row in group if shares[row.id] < FEWEST_SHARE * usual)
    if not few:
        return ""
    return (
        "answers are missing for some and not for others, with under half of the pairs that a question "
        f"usually has: {_named(few)}"
    )


def swap_id(row: Comparison) -> str:
    """The id of the pooled comparison that a comparison belongs to."""
    return comparison_id(row.condition, row.attribute, row.level)


def _judged(reading: Reading) -> list[Comparison]:
    rows = (*reading.visible, *reading.visible_on_questions)
    return [row for row in rows if row.verdict != "withheld"]


def _too_few(row: Comparison, family: FamilyReach, alpha: float) -> bool:
    return row.p_people_floor is None or row.p_people_floor * max(family.tests, 1) >= alpha


def _bases(rows: Sequence[Comparison], family: FamilyReach, alpha: float) -> str:
    few = [row for row in rows if _too_few(row, family, alpha)]
    if not few:
        return ""
    needed = family.bases_needed
    enough = f"; it takes {figures.counted(needed, 'base')}" if needed is not None else ""
    most = figures.count(max(row.bases for row in few))
    return f"too few bases: with {most} none of {_open(few)} could have been worse by itself{enough}"


def _cases(rows: Sequence[Comparison]) -> str:
    few = [row for row in rows if row.ci_general_99 is None]
    if not few:
        return ""
    return f"too few cases: {_open(few)}, and to be worse takes 3 complete bases and 3 complete scenarios"


def _power_over_cases(rows: Sequence[Comparison], margin: float) -> str:
    most = FACTOR * margin
    wide = [row for row in rows if _half_width(row.ci_general_99) > most]
    if not wide:
        return ""
    largest = figures.spread(max(_half_width(row.ci_general_99) for row in wide))
    return (
        f"too little power over cases: for {_open(wide)} the 99% general interval reaches up to {largest} to "
        f"either side, and at most {figures.plain(most)}, twice the margin, is allowed"
    )


def _power(rows: Sequence[Comparison], margin: float, *, exact: bool) -> str:
    most = FACTOR * margin
    blind = [
        row
        for row in rows
        if (row.mde_people is None or row.mde_people > most) and not (exact and _has_no_width(row))
    ]
    if not blind:
        return ""
    known = [row.mde_people for row in blind if row.mde_people is not None]
    largest = f", up to {figures.spread(max(known))}" if known else ""
    return (
        f"too little power: for {_open(blind)} the smallest effect that would have shown (mde_people: for "
        f"one comparison alone, uncorrected) is above {figures.plain(most)}, twice the margin{largest}, or "
        "there is none"
    )


def _half_width(interval: Interval | None) -> float:
    return 0.0 if interval is None else (interval[1] - interval[0]) / 2


def _has_no_width(row: Comparison) -> bool:
    """Whether every base says the same: there is no spread that an effect could be lost in."""
    return row.ci_people is not None and row.ci_people[0] == row.ci_people[1]


def _open(rows: Sequence[Comparison]) -> str:
    return figures.counted(len(rows), "swap without a clear verdict", "swaps without a clear verdict")


def _named(rows: Sequence[Comparison]) -> str:
    more = len(rows) - NAMED
    names = [printable(row.id) for row in rows[:NAMED]]
    return f"{', '.join(names)} and {figures.count(more)} more" if more > 0 else figures.listed(names)
