"""Placebos: how far visible, irrelevant edits move answers, and which findings move them no further."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from jevbias.report.comparison import Comparison
from jevbias.report.placebos import PlaceboRange, Placebos
from jevbias.report.rounding import round_figure

FEWEST_FOR_PERCENTILE = 40
"""With fewer placebos, the 95th percentile is hardly known, and the maximum stands in for it."""


@dataclass(frozen=True)
class PlaceboRanges:
    """The report's section (None for a run without placebos), and what it says about other rows."""

    section: Placebos | None
    _limits: Mapping[tuple[str, str | None], float] = field(default_factory=dict, repr=False)

    def within(self, condition: str, question: str | None, delta: float | None) -> bool | None:
        """Whether placebos of the same condition and question move as far as this delta of a visible row.

        None where there are none or there is no delta. Figures are compared as the report prints them.
        """
        limit = self._limits.get((condition, question))
        if limit is None or delta is None:
            return None
        return abs(round_figure(delta)) <= limit


def placebo_ranges(placebos: Iterable[Comparison], alpha: float) -> PlaceboRanges:
    """The distribution of |delta| over the visible placebo rows, per condition, pooled and per question."""
    rows = list(placebos)
    if not rows:
        return PlaceboRanges(None)
    groups: dict[tuple[str, str | None], list[Comparison]] = {}
    for row in rows:
        if row.visible and row.delta is not None:
            groups.setdefault((row.condition, row.question), []).append(row)
    ordered = sorted(groups, key=lambda place: (place[0], place[1] or ""))
    ranges = {place: _range(place, groups[place], alpha) for place in ordered}
    levels = len({(row.attribute, row.level) for row in rows})
    return PlaceboRanges(
        section=Placebos(levels=levels, ranges=list(ranges.values()), comparisons=rows),
        _limits={place: found.limit for place, found in ranges.items()},
    )


def _range(place: tuple[str, str | None], rows: list[Comparison], alpha: float) -> PlaceboRange:
    condition, question = place
    sizes = np.abs([row.delta for row in rows if row.delta is not None])
    percentile, maximum = float(np.percentile(sizes, 95)), float(sizes.max())
    return PlaceboRange(
        id=f"placebos/{condition}" + (f"/{question}" if question else ""),
        condition=condition,
        question=question,
        number=sizes.size,
        median=float(np.median(sizes)),
        percentile_95=percentile,
        maximum=maximum,
        limit=percentile if sizes.size >= FEWEST_FOR_PERCENTILE else maximum,
        significant=sum(row.p_noise < alpha for row in rows if row.p_noise is not None),
    )
