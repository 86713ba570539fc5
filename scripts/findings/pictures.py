"""The pictures of the pages: where the published differences lie, and how two runs stand to each other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from findings.reading import MARGIN, Misread, Reading, ReadRow, SideBySide
from jevbias.publish import figures
from jevbias.publish.charts.axes import Axis, Tick, path
from jevbias.publish.charts.case_lines import ACROSS, UPWARDS, CaseLine, ScenarioLines
from jevbias.publish.charts.forest import Bar, Forest, ForestRow
from jevbias.publish.found import element_id

MOST = 40


def row_id(read: ReadRow) -> str:
    """The id of a row's element on the page."""
    return element_id(f"{read.row.condition}/{read.row.swap}")


def row_css(read: ReadRow) -> str:
    """How a row is coloured, as on the project's own pages."""
    if not read.stands:
        return "still"
    return "cases down" if read.row.delta < 0 else "cases up"


def forest_of(reading: Reading) -> Forest:
    """The published findings, the largest first, with their stretched noise intervals."""
    largest = sorted(reading.significant, key=lambda read: -abs(read.row.delta))[:MOST]
    ends = [bound for read in largest for bound in (read.low, read.high)]
    axis = Axis(1.04 * min(*ends, -1.5 * MARGIN), 1.04 * max(*ends, 1.5 * MARGIN), 1.0, 99.0)
    shown = "The" if len(largest) == len(reading.significant) else f"The {len(largest)} largest of the"
    return Forest(
        heading=f"{shown} {len(reading.significant)} differences published as found, noise stretched†",
        description=(
            f"{len(largest)} published differences in favourability with their stretched noise intervals. "
            f"The largest is {figures.delta(largest[0].row.delta)}, {largest[0].row.swap}."
        ),
        ticks=axis.ticks(6, signed=True),
        zero=axis.at(0.0),
        margin=Bar(axis.at(-MARGIN), axis.width(-MARGIN, MARGIN)),
        floor=None,
        floor_text="",
        margin_text=figures.plain(MARGIN),
        has_people=False,
        has_noise=True,
        rows=tuple(_forest_row(read, axis) for read in largest),
    )


def _forest_row(read: ReadRow, axis: Axis) -> ForestRow:
    row = read.row
    css = row_css(read)
    return ForestRow(
        element_id=row_id(read),
        name=row.swap.replace("_", " ").replace("=", ": "),
        about=row.condition.replace("_", " "),
        outcome=read.outcome,
        css=css,
        mark={"cases down": "open-down", "cases up": "open-up"}.get(css, "dot"),
        dot=axis.at(row.delta),
        noise=Bar(axis.at(read.low), axis.width(read.low, read.high)),
        people=None,
        delta=figures.delta(row.delta),
    )


def case_lines_of(questions: Sequence[Misread], section: str) -> tuple[ScenarioLines, ...]:
    """Both questions under both signs; each picture leads to `section`."""
    return tuple(
        ScenarioLines(
            question.name,
            (
                _line('as "more is better"', question.raw, question.flag_read_as_better, question, section),
                _line(
                    'as "more is worse"',
                    question.more_is_worse,
                    question.flag_read_as_worse,
                    question,
                    section,
                ),
            ),
        )
        for question in questions
    )


def _line(
    name: str, means: tuple[float, float, float], flag: str, question: Misread, section: str
) -> CaseLine:
    said = f"{flag}, not monotone" if question.non_monotone else flag
    points = tuple((ACROSS.at(place), UPWARDS.at(mean)) for place, mean in enumerate(means))
    levels = ", ".join(
        f"{variant} {mean:.2f}" for variant, mean in zip(("weak", "mid", "strong"), means, strict=True)
    )
    return CaseLine(
        element_id=section,
        name=name,
        flag=said,
        held=said != "ok",
        line=path(list(points)),
        points=points,
        described=f"{question.name} read {name}: {levels}; {said}",
    )


@dataclass(frozen=True)
class Point:
    """One swap in the picture of both runs."""

    x: str
    y: str
    css: str


@dataclass(frozen=True)
class Scatter:
    """What the template draws; a band is where it starts and how wide it is."""

    description: str
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    across: tuple[str, str]
    upwards: tuple[str, str]
    points: tuple[Point, ...]


def scatter_of(side: SideBySide, jev: Reading, claude: Reading) -> Scatter:
    """Both runs, each difference in standard errors of its own stretched noise."""
    found = [
        (_root(own.row.delta / jev.wide), _root(other.row.delta / claude.wide), _css(side, (own, other)))
        for own, other in side.pairs
    ]
    x_axis = Axis(*_ends([x for x, _, _ in found]), 45, 405)
    y_axis = Axis(*_ends([y for _, y, _ in found]), 370, 20)
    order = {"rest": 0, "opposed": 1, "agreed": 2}
    low, high = _root(-2), _root(2)
    return Scatter(
        description=(
            f"{len(side.pairs)} swaps by both runs' differences. {len(side.same_sign)} of "
            f"{len(side.signed)} have the same sign in both; {len(side.both_stand)} stand in both, all less "
            f"favourable; {len(side.both_opposite)} were published as found in both with opposite signs."
        ),
        x_ticks=_ticks(x_axis),
        y_ticks=_ticks(y_axis),
        across=(x_axis.at(low), x_axis.width(low, high)),
        upwards=(y_axis.at(high), y_axis.width(high, low)),
        points=tuple(
            Point(x_axis.at(x), y_axis.at(y), css)
            for x, y, css in sorted(found, key=lambda entry: order[entry[2]])
        ),
    )


def _css(side: SideBySide, pair: tuple[ReadRow, ReadRow]) -> str:
    if pair in side.both_stand:
        return "agreed"
    return "opposed" if pair in side.both_opposite else "rest"


def _root(value: float) -> float:
    return math.copysign(math.sqrt(abs(value)), value)


def _ends(values: Sequence[float]) -> tuple[float, float]:
    return 1.06 * min(values), 1.06 * max(*values, _root(2))


def _ticks(axis: Axis) -> tuple[Tick, ...]:
    steps = (-50, -20, -10, -5, -2, 0, 2, 5, 10)
    return tuple(
        Tick(axis.at(_root(step)), figures.delta(step, 0))
        for step in steps
        if axis.low <= _root(step) <= axis.high
    )
