"""The forest plot: the findings with both of their intervals, against the margin and the noise floor."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median

from jevbias.publish import figures
from jevbias.publish.charts.axes import Axis, Tick
from jevbias.publish.findings import Reading, swap_name
from jevbias.publish.found import element_id
from jevbias.publish.plain_text import printable
from jevbias.publish.swaps_on_questions import moved_sentence
from jevbias.report.base import Interval
from jevbias.report.comparison import Comparison

MOST, FEWEST = 40, 10
"""Rows: the surest findings at most, and filled up with what came closest to one."""
REACH = 3.0
"""How many times the largest difference the picture reaches; a longer interval is cut at its edge."""
MARKS = {
    "worse": "down",
    "better": "up",
    "cases down": "open-down",
    "cases up": "open-up",
    "small": "ring",
}
"""The shape of a point by how its comparison is shown; every other is a dot."""


@dataclass(frozen=True)
class Bar:
    """An interval: where it starts and how long it is, in per cent of the picture's width."""

    start: str
    width: str


@dataclass(frozen=True)
class ForestRow:
    """One comparison."""

    element_id: str
    name: str
    about: str
    outcome: str
    css: str
    mark: str
    dot: str
    noise: Bar | None
    people: Bar | None
    delta: str
    general: Bar | None = None


@dataclass(frozen=True)
class Forest:
    """What the template draws; `floor` is the band within which noise alone keeps a difference."""

    heading: str
    description: str
    ticks: tuple[Tick, ...]
    zero: str
    margin: Bar
    floor: Bar | None
    floor_text: str
    margin_text: str
    has_people: bool
    has_noise: bool
    rows: tuple[ForestRow, ...]
    people_are: str = "95% interval over bases, on these cases."
    has_general: bool = False
    """Whether the rows draw the interval over bases and scenarios: where no noise interval stands there."""
    rests_on: str = ""
    """Which interval, if not a drawn one, a verdict among the rows rests on."""
    on_questions: str = ""
    """What moved on single questions, where the rows are pooled; it leads to that table."""


def forest(reading: Reading) -> Forest | None:
    """The picture, or None where there is no visible difference to draw."""
    found, every = reading.found, reading.visible
    if reading.nothing_pooled:
        found, every = reading.found_on_questions, reading.visible_on_questions
    drawable = [row for row in every if row.delta is not None and row.verdict != "withheld"]
    rows = drawable[: min(max(len(found), FEWEST), MOST)]
    if not rows:
        return None
    margin = reading.report.run.margin
    general = reading.exact and any(row.ci_general is not None for row in rows)
    axis = _axis(rows, margin, general=general)
    floor = _floor(drawable)
    return Forest(
        heading=_heading(reading, len(found), len(rows), len(drawable)),
        description=_description(reading, rows),
        ticks=axis.ticks(6, signed=True),
        zero=axis.at(0.0),
        margin=_bar(axis, (-margin, margin)),
        floor=None if floor is None else _bar(axis, (-floor, floor)),
        floor_text="" if floor is None else figures.spread(floor),
        margin_text=figures.plain(margin),
        has_people=any(row.ci_people is not None for row in rows),
        has_noise=any(row.ci_noise is not None for row in rows),
        rows=tuple(_row(reading, row, axis, general=general) for row in rows),
        has_general=general,
        rests_on=_rests_on(rows),
        on_questions="" if reading.nothing_pooled else moved_sentence(reading),
    )


def _rests_on(rows: list[Comparison]) -> str:
    if not any(row.verdict == "no difference" for row in rows):
        return ""
    return (
        "“No difference” rests on the 90% interval over bases, which is shorter than that of 95%, stands "
        "with a row's figures and speaks for these cases only."
    )


def _axis(rows: list[Comparison], margin: float, *, general: bool) -> Axis:
    near = [1.25 * margin, 1e-6, *(abs(row.delta or 0.0) for row in rows)]
    near += [abs(bound) for row in rows for bound in row.ci_noise or ()]
    wide = [row.ci_people for row in rows] + [row.ci_general for row in rows if general]
    far = [abs(bound) for interval in wide for bound in interval or ()]
    reach = min(max([*near, *far]), REACH * max(near)) * 1.04
    ends = [bound for interval in (*wide, *(row.ci_noise for row in rows)) for bound in interval or ()]
    ends += [row.delta or 0.0 for row in rows]
    least = 1.25 * margin or reach
    low = max(min([-least, *(1.04 * end for end in ends)]), -reach)
    high = min(max([least, *(1.04 * end for end in ends)]), reach)
    return Axis(low, high, 1.0, 99.0)


def _floor(rows: list[Comparison]) -> float | None:
    """Half of the middle noise interval: noise alone stays within it 19 times in 20."""
    halves = [(row.ci_noise[1] - row.ci_noise[0]) / 2 for row in rows if row.ci_noise is not None]
    return median(halves) if halves else None


def _bar(axis: Axis, interval: Interval) -> Bar:
    return Bar(axis.at(interval[0]), axis.width(*interval))


def _row(reading: Reading, row: Comparison, axis: Axis, *, general: bool) -> ForestRow:
    state = reading.state(row)
    about = printable(row.condition)
    if row.question is not None:
        about = f"{printable(row.question)}, {about}"
    return ForestRow(
        element_id="" if row.question else element_id(row.id),
        name=swap_name(row),
        about=about,
        outcome=state.text,
        css=state.css,
        mark=MARKS.get(state.css, "dot"),
        dot=axis.at(row.delta or 0.0),
        noise=None if row.ci_noise is None else _bar(axis, row.ci_noise),
        people=None if row.ci_people is None else _bar(axis, row.ci_people),
        delta=figures.delta(row.delta),
        general=None if row.ci_general is None or not general else _bar(axis, row.ci_general),
    )


def _heading(reading: Reading, found: int, shown: int, drawable: int) -> str:
    some = shown < drawable
    number = figures.count(shown)
    if not reading.has_verdicts or reading.criterion == "none":
        return f"Differences, none of them judged{f': the {number} largest' if some else ''}"
    if not found:
        what = "comparison on a single question" if reading.nothing_pooled else "pooled score"
        if reading.exact:
            largest = f": the {number} largest differences" if some else ""
            return f"No {what} moved by the margin or more{largest}"
        return f"No {what} moved beyond the noise{f': the {number} that came closest' if some else ''}"
    if found > shown:
        return f"The {figures.count(shown)} surest of {figures.count(found)} that moved"
    rest = shown - found
    also = f", and the {figures.count(rest)} that came closest" if rest else ""
    return f"{'What moved' if found > 1 else 'The one that moved'}{also}"


def _description(reading: Reading, rows: list[Comparison]) -> str:
    lowest = min(rows, key=lambda row: row.delta or 0.0)
    highest = max(rows, key=lambda row: row.delta or 0.0)
    return (
        f"{figures.counted(len(rows), 'difference')} in favourability with their intervals, from "
        f"{figures.delta(lowest.delta)} ({swap_name(lowest)}, {printable(lowest.condition)}) to "
        f"{figures.delta(highest.delta)} ({swap_name(highest)}, {printable(highest.condition)}). The margin "
        f"is {figures.plain(reading.report.run.margin)} to either side of zero."
    )
