"""Two batteries side by side: whose scores follow which feature."""

from __future__ import annotations

from typing import Literal

from jevbias.report.base import Figure, Interval, ReportModel
from jevbias.report.battery import TRUST_SAYS

Agreement = Literal["shared", "opposite", "only the first", "only the second", "neither", "unknown"]


class ComparedSide(ReportModel):
    """One run's side of a comparison."""

    name: str
    driver: str
    model: str
    scorer: str
    pairs_hash: str
    jevbias_version: str


class AxisSide(ReportModel):
    """One run's effect on an axis; see `AxisEffect`."""

    d: Figure | None
    d_interval: Interval | None
    q: Figure | None
    families: int
    repeats: Figure | None
    noise_sd: Figure | None
    sd: Figure | None
    d_without_noise: Figure | None
    reading: str


class ComparedAxis(ReportModel):
    """One axis of both runs.

    `shared` and `opposite` are said where both effects are `shown` (see `AxisEffect`); `signs_differ` already
    where the two estimates lie on different sides of zero. `difference` is the second's d less the first's,
    with a jackknife interval over the families both have; None where the runs scored different pairs of
    the axis, and where one scored each reply more often than the other and scores are noisy.
    """

    axis: str
    same_pairs: bool
    control: Literal["positive", "negative"] | None
    first: AxisSide
    second: AxisSide
    agreement: Agreement
    signs_differ: bool
    difference: Figure | None
    difference_interval: Interval | None
    says: str


class ComparedBatteries(ReportModel):
    """Two runs over the axes that both have, in the first's order; `same_pairs`: word for word on each
    of them. `shared_says` is what the shared leanings mean: a stronger warning, or why they are none.
    """

    kind: Literal["battery comparison"] = "battery comparison"
    version: int = 2
    trust: Literal["EXPLORATORY"] = "EXPLORATORY"
    trust_says: str = TRUST_SAYS
    first: ComparedSide
    second: ComparedSide
    same_pairs: bool
    same_question: bool
    axes: list[ComparedAxis]
    shared: list[str]
    """Axes, controls left out, on which both lean the same way."""
    shared_says: str | None
    opposite: list[str]
    notes: list[str]
