"""Failures in a report: they are data, because a model may refuse one group more often than another."""

from __future__ import annotations

from pydantic import Field

from jevbias.report.base import Question, ReportModel, Share


class FailureRow(ReportModel):
    """Probes without a usable answer about one level's swaps under one condition, against their anchors'.

    Shares are over all probes. The exact test takes one probe of each cell, its first, and pairs swap and
    anchor of the same base and scenario: `only_swap` and `only_anchor` count the pairs in which just one of
    the two has no usable answer.
    """

    id: str
    condition: str
    attribute: str
    level: str
    probes: int
    unusable: int
    anchor_probes: int
    anchor_unusable: int
    pairs: int
    only_swap: int
    only_anchor: int
    p: Share | None
    q: Share | None
    significant: bool


class Failures(ReportModel):
    """What became of the probes that have no answer, and of questions that went missing.

    `by_level` has a row for every visible swap once any finished probe of the run has no usable answer.
    """

    by_status: dict[str, int]
    by_kind: dict[str, int]
    missing_answers: dict[Question, int]
    """`scenario.question`: answered probes without a usable answer to it."""
    by_level: list[FailureRow] = Field(default_factory=list)
