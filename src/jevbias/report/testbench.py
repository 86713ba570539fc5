"""What the test bench found out about a server: one part per command, None where it was not asked.

Names are stable: add, never rename. Probabilities and confidences are on [0, 1], latencies in milliseconds,
costs in US dollars. Intervals are 95%. What could not be estimated is None and has its sentence in `notes`.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from jevbias.report.base import Figure, Interval, ReportModel

TESTBENCH_VERSION = 1


class TestbenchRun(ReportModel):
    """Who was asked, and what it took. `sends` counts calls sent again after a process died; of
    `possibly_billed` sends no answer is known.
    """

    __test__ = False  # the name is no test's

    name: str
    parts: list[str]
    driver: str
    model: str
    models_answered: list[str]
    base_url: str
    seed: int
    status: str
    calls: int
    failed: int
    sends: int
    possibly_billed: int
    input_tokens: int | None
    output_tokens: int | None
    cost: Figure | None
    started_at: float | None
    finished_at: float | None
    jevbias_version: str


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


class LatencyQuantile(ReportModel):
    """A latency that was seen. A bound is None where so few calls cannot bound it. `is_maximum`: it is the
    longest of the calls, and what lies beyond cannot show.
    """

    share: Figure
    value: Figure
    low: Figure | None
    high: Figure | None
    is_maximum: bool


class LatencyRow(ReportModel):
    """Calls of one size, one at a time. `tokens` is the mean that the server reported."""

    size: str
    words: int
    body_bytes: int
    tokens: Figure | None
    calls: int
    succeeded: int
    failures: dict[str, int]
    mean: Figure | None
    sd: Figure | None
    quantiles: list[LatencyQuantile]


class SizeTried(ReportModel):
    """A request of one size. `tokens` is what the server reported, `estimated_tokens` what its bytes say."""

    words: int
    body_bytes: int
    tokens: int | None
    estimated_tokens: int
    worked: bool
    http_status: int | None
    message: str | None


class FactRead(ReportModel):
    """Whether a fact at one place of a long state still moves an answer.

    `effect` is the answer with the fact less that with its contrary, `baseline` the same in a short state.
    `verdict`: `found`; `weakened` (it moves the answer, but less than half as far as in a short state, or the
    other way); `not_found`; `undecided`; `untold` (it moves nothing in a short state either). Verdicts rest
    on 99.9% intervals, as many sizes are looked at.
    """

    place: Literal["start", "middle", "end"]
    words: int
    body_bytes: int
    tokens: int | None
    effect: Figure | None
    effect_interval: Interval | None
    baseline: Figure | None
    verdict: Literal["found", "weakened", "not_found", "undecided", "untold"]


class Truncation(ReportModel):
    """What is told about text that the server leaves out in silence.

    `verdict`: `none_seen`, `truncates` (a fact at one place has an effect and one at another has not, or
    `by_tokens`), `untold`. `by_tokens`: the reported tokens stopped growing with the requests. `read_to` and
    `lost_from` are the largest size whose fact at `place` was still read and the smallest whose fact was not.
    """

    verdict: Literal["none_seen", "truncates", "untold"]
    by_tokens: bool
    place: Literal["start", "middle", "end"] | None
    read_to: SizeTried | None
    lost_from: SizeTried | None
    facts: list[FactRead]


class ContextCeiling(ReportModel):
    """How large a request may be. `ended`: `found` (the first size that failed is known), `cap` (the largest
    size to try worked), `tokens` (the cap on tokens ended the search), `unfinished`.

    `confirmed` is whether asking again at both sizes gave the same; None where that was not asked.
    """

    ended: Literal["found", "cap", "tokens", "unfinished"]
    worked: SizeTried | None
    failed: SizeTried | None
    confirmed: bool | None
    tokens_sent: int
    tried: list[SizeTried]
    truncation: Truncation | None


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


class BurstRow(ReportModel):
    """So many calls sent at the same time; `in_flight` is how many were under way at one moment, at most, as
    the client saw it: fewer where the first are answered before the last can leave. `retry_after` is the
    range of the hints, in seconds.
    """

    size: int
    bursts: int
    calls: int
    wall_ms: Figure | None
    in_flight: int | None = None
    succeeded: int
    rate_limited: int
    overloaded: int
    other_failures: dict[str, int]
    retry_after: Interval | None
    retry_hints: int
    median_ms: Figure | None
    longest_ms: Figure | None
    per_second: Figure | None


class TestbenchReport(ReportModel):
    """Everything that a run of the test bench found out."""

    __test__ = False

    version: int = TESTBENCH_VERSION
    run: TestbenchRun
    determinism: Determinism | None = None
    latency: list[LatencyRow] | None = None
    context: ContextCeiling | None = None
    semantics: Semantics | None = None
    concurrency: list[BurstRow] | None = None
    notes: list[str] = Field(default_factory=list)
