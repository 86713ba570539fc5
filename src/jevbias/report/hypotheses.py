"""Hypotheses in a report: what a confirmatory run froze before its first call, and how each ended."""

from __future__ import annotations

from typing import Literal

from jevbias.report.base import DeclaredFigure, Difference, Interval, Moment, ReportModel, Share

HypothesisOutcome = Literal["confirmed", "not confirmed: equivalent", "not confirmed: opposite", "unclear"]


class HypothesisRow(ReportModel):
    """One frozen hypothesis about a pooled comparison: claim (b), one-sided, at Holm-adjusted alpha.

    `direction` is `down` or `up`; `p` the one-sided p of the sign flips, `p_holm` the same after Holm over
    all hypotheses of the run. `reason` says in a sentence which figures decided the outcome.
    """

    id: str
    comparison: str
    direction: Literal["down", "up"]
    margin: DeclaredFigure
    alpha: DeclaredFigure
    delta: Difference | None
    p: Share | None
    p_holm: Share | None
    ci_people_90: Interval | None
    ci_general: Interval | None
    outcome: HypothesisOutcome
    reason: str


class Hypotheses(ReportModel):
    """The hypotheses of a confirmatory run.

    `frozen_hash` is the SHA-256 over them and the plan, taken before the first call; `intact` says whether
    what the database holds now still has it. `source_run` is the exploratory run they come from.
    """

    source_run: str | None
    frozen_hash: str
    frozen_at: Moment | None
    intact: bool
    rows: list[HypothesisRow]
