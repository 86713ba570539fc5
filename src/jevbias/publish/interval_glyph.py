"""A comparison's delta and noise interval as a small inline SVG, all rows of a table on one scale."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from jevbias.report.comparison import Comparison

WIDTH, HEIGHT, INSET = 96, 14, 5


@dataclass(frozen=True)
class Glyph:
    """Coordinates in SVG units; `low` and `high` are None where the comparison has no interval."""

    dot: str
    low: str | None
    high: str | None


class GlyphScale:
    """Maps differences to x: symmetric around zero, wide enough for every delta, interval and margin.

    `zero`, `margin_left` and `margin_right` are the same in every row.
    """

    def __init__(self, rows: Iterable[Comparison], margin: float):
        ends = [1.25 * margin, 1e-6]
        for row in rows:
            ends.append(abs(row.delta or 0.0))
            ends.extend(abs(bound) for bound in row.ci_noise or ())
        self.reach = max(ends)
        self.zero, self.margin_left, self.margin_right = map(self._x, (0.0, -margin, margin))

    def glyph(self, row: Comparison) -> Glyph | None:
        """The picture of one row, or None where there is nothing to draw."""
        if row.delta is None:
            return None
        low, high = row.ci_noise or (None, None)
        return Glyph(
            dot=self._x(row.delta),
            low=None if low is None else self._x(low),
            high=None if high is None else self._x(high),
        )

    def _x(self, value: float) -> str:
        middle = WIDTH / 2
        return f"{middle + value / self.reach * (middle - INSET):.1f}"
