"""What the test bench says of answers: whether they repeat, and what their figures mean."""

from __future__ import annotations

from typing import Literal

from jevbias.report.base import Figure, Interval, ReportModel


class FigureSpread(ReportModel):
    """One figure of the answers to identical requests; `how` they were asked."""

    figure: str
    how: Literal["burst", "scattered"]
    answers: int
    distinct: int
    mean: Figure | None
    sd: Figure | None
    sd_interval: Interval | None
    minimum: Figure | None
    maximum: Figure | None


class ChoiceCounts(ReportModel):
    """Which options a choice named, and how often."""

    question: str
    how: Literal["burst", "scattered"]
    counts: dict[str, int]


class BurstAgainstScattered(ReportModel):
    """The SD of scattered repeats over that of a burst, and the mean of the scattered less that of the burst.
    `p_ratio` (Brown and Forsythe; None for fewer than 10 answers a side) and `p_shift` (Welch) are adjusted
    by Holm over all figures; `ratio_interval` is that of normal noise, and there is no ratio where a side
    never varies.
    """

    figure: str
    ratio: Figure | None
    ratio_interval: Interval | None
    p_ratio: Figure | None
    shift: Figure | None
    shift_interval: Interval | None
    p_shift: Figure | None


class Determinism(ReportModel):
    """Identical requests, in one burst (`at_once` in flight) and scattered over `minutes`; those that were
    answered took `minutes_taken` from the first to the last.

    `different` counts the answers that are not the commonest one, of `answers`; `different_interval` is the
    exact interval of that share.
    """

    asked: int
    answers: int
    at_once: int
    minutes: Figure
    minutes_taken: Figure | None = None
    different: int
    different_interval: Interval | None
    figures: list[FigureSpread]
    choices: list[ChoiceCounts]
    comparisons: list[BurstAgainstScattered]


class ProbabilitySums(ReportModel):
    """Do the probabilities of an answer add up to 1? `decimals` is the most that any number had; `explained`
    counts the sums that rounding each to so many decimals accounts for.
    """

    kind: Literal["choice", "score"]
    answers: int
    decimals: int | None
    lowest: Figure | None
    highest: Figure | None
    exact: int
    explained: int


class FormulaFit(ReportModel):
    """How far a formula lies from what the server returns; `largest` and `rms` are in its own unit."""

    formula: str
    largest: Figure
    rms: Figure
    fits: bool


class FormulaSearch(ReportModel):
    """Which formula explains a number of the answers to within their rounding. `named` lists those that fit;
    none fits where it is empty. `candidates` are in order of their residuals.
    """

    of: Literal["choice confidence", "score confidence", "score"]
    answers: int
    named: list[str]
    candidates: list[FormulaFit]


class Movement(ReportModel):
    """How far one question's answer moves when nothing but `change` changes, over cases.

    `mean` is signed, `mean_absolute` and `largest` are not; `repeats_rms` is the root mean square between two
    identical requests, against which `rms` is to be read. For `option_order` it is how much probability the
    option that stands first gains over standing last; for `negation` it is P(q) + P(not q) - 1. `p_mean`
    tests a mean of 0, `p_spread` whether the answers move more than identical requests do; both are adjusted
    by Holm over every row. `interval` holds what the server's rounding hides, too.
    """

    change: Literal["option_order", "company", "key_order", "negation"]
    question: str
    cases: int
    mean: Figure
    interval: Interval | None
    mean_absolute: Figure
    largest: Figure
    rms: Figure
    repeats_rms: Figure | None
    p_mean: Figure | None
    p_spread: Figure | None
    moves: bool | None


class Argmax(ReportModel):
    """Is the choice the option of the highest probability? `ties` are counted apart."""

    answers: int
    agree: int
    ties: int
    named_none: int


class Semantics(ReportModel):
    """What the numbers of an answer mean, on the cases of one scenario."""

    scenario: str
    cases: int
    calls: int
    sums: list[ProbabilitySums]
    argmax: Argmax | None
    formulas: list[FormulaSearch]
    movements: list[Movement]
