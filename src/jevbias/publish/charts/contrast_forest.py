"""The forest plot of a factorial run: what came out with its interval, against the margin."""

from __future__ import annotations

from collections.abc import Sequence

from jevbias.publish import figures
from jevbias.publish.charts.axes import Axis
from jevbias.publish.charts.forest import FEWEST, MOST, Bar, Forest, ForestRow
from jevbias.publish.found import element_id
from jevbias.publish.plain_text import printable
from jevbias.report.factorial import Contrast, Factorial


def contrast_forest(factorial: Factorial | None, margin: float) -> Forest | None:
    """The pooled contrasts that the model could see, in the report's order: those that came out, filled up
    with what came closest. None where there is none to draw.
    """
    if factorial is None:
        return None
    drawable = [
        row
        for row in factorial.contrasts
        if row.visible and row.question is None and row.delta is not None and not row.withheld
    ]
    found = [row for row in drawable if row.significant]
    rows = [*found, *(row for row in drawable if not row.significant)][: min(max(len(found), FEWEST), MOST)]
    if not rows:
        return None
    axis = _axis(rows, margin)
    return Forest(
        heading=_heading(len(found), len(rows)),
        description=_description(rows, margin),
        ticks=axis.ticks(6, signed=True),
        zero=axis.at(0.0),
        margin=Bar(axis.at(-margin), axis.width(-margin, margin)),
        floor=None,
        floor_text="",
        margin_text=figures.plain(margin),
        has_people=any(row.interval is not None for row in rows),
        has_noise=False,
        rows=tuple(_row(row, axis) for row in rows),
        people_are="95% interval over people, by bootstrap.",
    )


def _axis(rows: Sequence[Contrast], margin: float) -> Axis:
    ends = [bound for row in rows for bound in row.interval or ()] + [row.delta or 0.0 for row in rows]
    least = max(1.25 * margin, 1e-6)
    return Axis(1.04 * min(-least, *ends), 1.04 * max(least, *ends), 1.0, 99.0)


def _row(row: Contrast, axis: Axis) -> ForestRow:
    lower = (row.delta or 0.0) < 0
    way = "worse" if lower else "better"
    return ForestRow(
        element_id=element_id(row.id),
        name=f"{printable(row.attribute_label)}: {printable(row.level)}",
        about=printable(row.condition),
        outcome=("lower" if lower else "higher") if row.significant else "not beyond chance",
        css=way if row.significant else "still",
        mark=("down" if lower else "up") if row.significant else "dot",
        dot=axis.at(row.delta or 0.0),
        noise=None,
        people=None if row.interval is None else Bar(axis.at(row.interval[0]), axis.width(*row.interval)),
        delta=figures.delta(row.delta),
    )


def _heading(found: int, shown: int) -> str:
    if not found:
        return f"No contrast came out: the {figures.count(shown)} that came closest"
    if found > shown:
        return f"The {figures.count(shown)} surest of {figures.count(found)} contrasts that came out"
    also = f", and the {figures.count(shown - found)} that came closest" if shown > found else ""
    return f"{'What came out' if found > 1 else 'The one that came out'}{also}"


def _description(rows: Sequence[Contrast], margin: float) -> str:
    lowest = min(rows, key=lambda row: row.delta or 0.0)
    highest = max(rows, key=lambda row: row.delta or 0.0)
    ends = " to ".join(
        f"{figures.delta(row.delta)} ({printable(row.attribute_label)}: {printable(row.level)}, "
        f"{printable(row.condition)})"
        for row in (lowest, highest)
    )
    return (
        f"{figures.counted(len(rows), 'contrast')} of favourability with their intervals, from {ends}. The "
        f"margin is {figures.plain(margin)} to either side of zero."
    )
