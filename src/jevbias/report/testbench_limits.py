"""What the test bench says of limits: time, sizes, and how much at once."""

from __future__ import annotations

from typing import Literal

from jevbias.report.base import Figure, Interval, ReportModel


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
