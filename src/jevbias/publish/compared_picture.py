"""Both deltas of every pooled comparison as one dot: the first run's to the right, the second's upwards.

Only for runs between which a difference may be taken: deltas of two drivers are not in one unit.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from jevbias.publish import figures
from jevbias.publish.plain_text import printable
from jevbias.report.compared import ComparedPair, ComparedRow

SIDE, INSET = 360, 30
DIFFERING = ("differs", "differs here", "differs little")


@dataclass(frozen=True)
class Dot:
    """A comparison in SVG units, with what a pointer that rests on it is told."""

    x: str
    y: str
    css: str
    title: str


@dataclass(frozen=True)
class Picture:
    """The square, its axes, and the band around the diagonal in which the runs lie within the margin."""

    side: int
    low: str
    high: str
    zero: str
    band: str
    reach: str
    first: str
    second: str
    says: str
    dots: tuple[Dot, ...]


def picture(pair: ComparedPair) -> Picture | None:
    """The picture of a pair; None without differences, and without a comparison that has both deltas."""
    rows = [row for row in pair.rows if row.visible and row.question is None]
    deltas = [(row, row.first.delta, row.second.delta) for row in rows]
    known = [(row, x, y) for row, x, y in deltas if x is not None and y is not None]
    if pair.basis == "none" or not known:
        return None
    reach = max(1.5 * pair.margin, *(abs(end) * 1.05 for _, *ends in known for end in ends))

    def at(value: float) -> float:
        return SIDE / 2 + value / reach * (SIDE / 2 - INSET)

    margin = min(pair.margin, 2 * reach)
    corners = (
        (-reach, margin - reach),
        (-reach, -reach),
        (margin - reach, -reach),
        (reach, reach - margin),
        (reach, reach),
        (reach - margin, reach),
    )
    return Picture(
        side=SIDE,
        low=f"{at(-reach):.1f}",
        high=f"{at(reach):.1f}",
        zero=f"{at(0):.1f}",
        band=" ".join(f"{at(x):.1f},{at(-y):.1f}" for x, y in corners),
        reach=figures.plain(float(f"{reach:.2g}")),
        first=printable(pair.first),
        second=printable(pair.second),
        says=_says(pair, len(known)),
        dots=tuple(_dot(row, x, y, at) for row, x, y in sorted(known, key=lambda one: one[0].outcome)),
    )


def _dot(row: ComparedRow, x: float, y: float, at: Callable[[float], float]) -> Dot:
    swap = printable(f"{row.attribute_label}: {row.level}, {row.condition}")
    return Dot(
        x=f"{at(x):.1f}",
        y=f"{at(-y):.1f}",
        css="apart" if row.outcome in DIFFERING else "near",
        title=f"{swap}: {figures.delta(x)} and {figures.delta(y)}; {row.outcome}",
    )


def _says(pair: ComparedPair, dots: int) -> str:
    return (
        f"{figures.counted(dots, 'pooled swap')}, a dot each: to the right by the delta in "
        f"{printable(pair.first)}, upwards by that in {printable(pair.second)}. On the diagonal both have "
        f"one delta; in the band their deltas lie within {figures.plain(pair.margin)} of each other. Filled: "
        "the runs differ, on these cases at least."
    )
