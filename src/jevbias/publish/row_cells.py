"""The cells that every table of comparisons shows, as text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from jevbias.publish import figures
from jevbias.report.comparison import Comparison


@dataclass(frozen=True)
class RowCells:
    """The difference and what claims (a) and (b) say of it; empty where the report has no figure."""

    delta: str
    noise: str
    q: str
    people: str
    p_people: str
    q_people: str
    pairs: str
    smallest: str
    smallest_people: str

    @classmethod
    def of(cls, row: Comparison) -> Self:
        """The cells of a comparison."""
        return cls(
            delta=figures.delta(row.delta),
            noise=figures.half_width(row.ci_noise),
            q=figures.p_value(row.q),
            people=figures.half_width(row.ci_people),
            p_people=figures.p_value(row.p_people),
            q_people=figures.p_value(row.q_people),
            pairs=figures.pairs(row.pairs, row.effective_n),
            smallest=figures.spread(row.mde_noise),
            smallest_people=figures.spread(row.mde_people),
        )
