"""Placebos in a report: how far visible, irrelevant edits move answers."""

from __future__ import annotations

from jevbias.report.base import Question, ReportModel, Share
from jevbias.report.comparison import Comparison


class PlaceboRange(ReportModel):
    """How far visible, irrelevant edits move answers: the distribution of |delta| over `number` placebos.

    `limit` is what a finding has to exceed: the 95th percentile, or the maximum under 40 placebos.
    """

    id: str
    condition: str
    question: Question | None
    number: int
    median: Share
    percentile_95: Share
    maximum: Share
    limit: Share
    significant: int
    """Placebos whose own p_noise is below alpha, uncorrected."""


class Placebos(ReportModel):
    """The placebo swaps of a run; `comparisons` are their rows, which join no family and get no verdict."""

    levels: int
    ranges: list[PlaceboRange]
    comparisons: list[Comparison]
