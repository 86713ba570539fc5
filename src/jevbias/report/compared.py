"""Runs side by side: every other run against the first, comparison by comparison.

Raw deltas of different drivers are different units: a pair of runs from two drivers has no differences, only
each run's delta in its own measure.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from jevbias.report.base import Figure, ReportModel, Rounded, RoundedInterval
from jevbias.report.comparison import ComparisonVerdict
from jevbias.report.run_report import RunInfo, ValidityFlag

COMPARED_VERSION = 1
Basis = Literal["pairs", "bases", "other bases", "none"]
"""What a difference of differences rests on. `pairs`: the same pairs, answered in both runs, over the
questions that count in both. `bases`: the same bases, from two reports. `other bases`: two independent sets
of bases. `none`: there is no difference, and `why_none` says why."""
Outcome = Literal["differs", "differs here", "differs little", "alike", "unclear", "control", "not compared"]
"""How two runs compare on one comparison, first match. `control`: the model could not see the swap.
`not compared`: there is no difference. `differs`: q below alpha, the interval not inside the margin and, for
pooled rows, the 99% general interval excludes zero, which only the basis of pairs has. `differs little`: q
below alpha and the interval inside the margin. `differs here`: any other q below alpha. `alike`: the 90%
interval lies inside the margin. `unclear`: anything else. A missing interval satisfies no clause."""


class ComparedSide(ReportModel):
    """One run on one comparison.

    `delta` is over what both runs share where the basis is `pairs` or `other bases`, else as in the run's own
    report, where it is `reported`. `in_noise` is delta in SDs of this run's own noise: of a probe's mean for
    pooled rows, of the question's answers otherwise; None where the run does not vary, and for pooled rows
    where what both runs share is not over the run's own questions. `verdict` and what follows are the
    report's own.
    """

    delta: Rounded | None
    reported: Rounded | None
    in_noise: Rounded | None
    cohens_d: Rounded | None
    pairs: int
    verdict: ComparisonVerdict | None
    q: Rounded | None
    q_people: Rounded | None
    significant: bool


class ComparedRow(ReportModel):
    """One comparison in two runs.

    `difference` is the second run's delta less the first's, by base: `p` and `q` are of flipping the signs of
    whole bases (Welch's t for `other bases`), `q` over the visible rows of its family, pooled or per
    question. `bases` are those behind it (of two sets, the fewer), `p_floor` the smallest p that they allow.
    `same_sign` is None where either delta is zero or missing, and for pooled rows of runs that pool different
    questions and share no score.
    """

    id: str
    condition: str
    question: str | None
    attribute: str
    attribute_label: str
    level: str
    reference: str
    protected: bool
    visible: bool
    first: ComparedSide
    second: ComparedSide
    same_sign: bool | None
    bases: int
    difference: Rounded | None
    interval: RoundedInterval | None
    interval_90: RoundedInterval | None
    p: Rounded | None
    p_floor: Rounded | None
    q: Rounded | None
    ci_general: RoundedInterval | None
    ci_general_99: RoundedInterval | None
    outcome: Outcome


class SignAgreement(ReportModel):
    """Of visible comparisons whose delta is other than zero in both runs: how many have it on one side of
    zero; the same of those that moved the answers of both.
    """

    agree: int
    of: int
    agree_moved: int
    of_moved: int


class DeclaredDifference(ReportModel):
    """Something in which two runs were declared or made differently."""

    what: str
    first: str
    second: str


class ComparedPair(ReportModel):
    """A run against the first. `questions` count in both; `only_first` and `only_second` are ids of pooled
    comparisons that the other run does not have. `margin` and `alpha` are the stricter of the two.
    `identical`: there are differences, and every one of them is zero. `tests` and `question_tests` are the
    sizes of the two families.
    """

    first: str
    second: str
    same_run: bool
    same_plan: bool
    same_instrument: bool
    basis: Basis
    why_none: str | None
    declared: list[DeclaredDifference]
    questions: list[str]
    only_first: list[str]
    only_second: list[str]
    margin: Figure
    alpha: Figure
    bases: int
    p_floor: Figure | None
    lone_q: Figure | None
    """The q of a single pooled difference at the floor of p."""
    tests: int
    question_tests: int
    signs: SignAgreement
    question_signs: SignAgreement
    identical: bool
    rows: list[ComparedRow]
    notes: list[str] = Field(default_factory=list)


class ComparedRun(ReportModel):
    """One of the runs. Verdicts are counted over visible comparisons; `left` are calls still to be made."""

    label: str
    run: RunInfo
    exact: bool
    answer_sd: Figure | None
    probe_sd: Figure | None
    noise_degrees_of_freedom: int
    verdicts: dict[str, int]
    question_verdicts: dict[str, int]
    controls_moved: int
    controls_tested: int
    left: int


class ComparedQuestion(ReportModel):
    """A question in every run, in their order; None where a run did not ask it. `counts`: whether it enters
    pooled scores there, which it has to in both runs of a pair.
    """

    question: str
    flags: list[ValidityFlag | None]
    spans: list[Figure | None]
    noise: list[Figure | None]
    counts: list[bool | None]


class ComparedRuns(ReportModel):
    """Two or more runs side by side."""

    version: int = COMPARED_VERSION
    runs: list[ComparedRun]
    questions: list[ComparedQuestion]
    pairs: list[ComparedPair]
