"""What the test bench found out about limits: latency, the size of a request, and many at a time."""

from __future__ import annotations

from collections.abc import Sequence

from jevbias.publish import figures
from jevbias.publish.plain_text import printable
from jevbias.publish.testbench_shapes import PartView, Picture, Strip, TableView, counts, table
from jevbias.report.testbench_limits import (
    BurstRow,
    ContextCeiling,
    FactRead,
    LatencyQuantile,
    LatencyRow,
    SizeTried,
    Truncation,
)

VERDICTS = {
    "found": "found",
    "weakened": "read, but moves less",
    "not_found": "not found",
    "undecided": "undecided",
    "untold": "cannot be told",
}


def latency_part(rows: Sequence[LatencyRow]) -> PartView:
    """How long calls take by size."""
    timed = [row for row in rows if row.quantiles]
    opening = "No call was timed."
    if timed:
        least, most = timed[0], timed[-1]
        opening = (
            f"Half of the answers to {least.size} take up to "
            f"{figures.milliseconds(least.quantiles[0].value)}, half of those to {most.size} up to "
            f"{figures.milliseconds(most.quantiles[0].value)}."
        )
    strips = tuple(
        Strip(
            label=row.size,
            low=row.quantiles[0].value,
            at=row.quantiles[1].value,
            high=row.quantiles[2].value,
            text=figures.milliseconds(row.quantiles[1].value),
        )
        for row in timed
    )
    says = "Line: from the median to the p99, or the longest call. Point: the p90. In milliseconds."
    return PartView(
        anchor="latency",
        title="Latency by size",
        opening=opening,
        lines=(
            "Means and quantiles are of the answers; a call that failed is counted and not timed.",
            "A ? stands where so few calls cannot bound a quantile.",
        ),
        pictures=(Picture("Latency by size of the request", says, strips),) if strips else (),
        tables=(_latencies(rows),),
    )


def _latencies(rows: Sequence[LatencyRow]) -> TableView:
    shown = []
    for row in rows:
        by_share = {quantile.share: quantile for quantile in row.quantiles}
        shown.append(
            (
                row.size,
                figures.count(row.body_bytes),
                figures.NOT_AVAILABLE if row.tokens is None else figures.count(round(row.tokens)),
                f"{figures.count(row.succeeded)} of {figures.count(row.calls)}",
                counts(row.failures),
                figures.milliseconds(row.mean),
                figures.milliseconds(row.sd),
                *(_quantile(by_share.get(share)) for share in (0.5, 0.9, 0.99)),
            )
        )
    columns = "Size | Bytes | Tokens | Answered | Failures | Mean | SD | p50 | p90 | p99"
    return table("Latency by size of the request, with 95% intervals", columns, shown, words=(0, 4))


def _quantile(found: LatencyQuantile | None) -> str:
    if found is None:
        return figures.NOT_AVAILABLE
    low = "?" if found.low is None else f"{found.low:.4g}"
    high = "?" if found.high is None else f"{found.high:.4g}"
    longest = ", the longest" if found.is_maximum else ""
    return f"{figures.milliseconds(found.value)} ({low} to {high}{longest})"


def context_part(found: ContextCeiling) -> PartView:
    """How large a request may be, and whether all of it is read."""
    lines = [f"{figures.count(found.tokens_sent)} tokens were sent to find out."]
    if found.confirmed is not None:
        again = "the same came out" if found.confirmed else "something else came out"
        lines.append(f"Asked once more at both sizes, {again}.")
    tables = [_sizes(found)] if found.tried else []
    if found.truncation is not None:
        lines += _truncation(found.truncation)
        if found.truncation.facts:
            tables.append(_facts(found.truncation.facts))
    return PartView(
        anchor="context",
        title="How large a request may be",
        opening=_ceiling(found),
        lines=tuple(lines),
        tables=tuple(tables),
    )


def _ceiling(found: ContextCeiling) -> str:
    if found.worked is None:
        failed = "" if found.failed is None else f" ({_failure(found.failed)})"
        return f"No request of the test bench worked, not even the smallest{failed}."
    worked = f"Requests up to {size_text(found.worked)} work"
    if found.failed is None:
        return f"{worked}; no larger one was tried."
    return f"{worked}; one of {size_text(found.failed)} fails with {_failure(found.failed)}."


def size_text(size: SizeTried) -> str:
    """`31,984 tokens (24,371 words)`, or tokens by estimate."""
    words = f"{figures.count(size.words)} words"
    if size.tokens is None:
        return f"about {figures.count(size.estimated_tokens)} tokens by their bytes ({words})"
    return f"{figures.count(size.tokens)} tokens ({words})"


def _failure(size: SizeTried) -> str:
    status = "no reply" if size.http_status is None else f"status {size.http_status}"
    return f"{status}: {printable(size.message)}" if size.message else status


def _truncation(found: Truncation) -> list[str]:
    if found.verdict == "untold":
        return ["Whether all of a long request is read cannot be told."]
    if found.verdict == "none_seen":
        return ["A fact at the start, in the middle and at the end of the largest request is still found."]
    lines = ["A part of a long request does not count: it is left out or has no effect, and nothing says so."]
    if found.by_tokens:
        lines = [
            "The server leaves out a part of a long request and does not say so: the tokens that it reports "
            "stop growing with the request."
        ]
    if found.read_to is not None and found.lost_from is not None:
        lines.append(
            f"A fact at the {found.place} is read in a request of up to {size_text(found.read_to)} and lost "
            f"from {size_text(found.lost_from)} on."
        )
    elif found.lost_from is not None:
        lines.append(f"A fact at the {found.place} is lost from {size_text(found.lost_from)} on, or before.")
    return lines


def _sizes(found: ContextCeiling) -> TableView:
    rows = [
        (
            figures.count(size.words),
            figures.count(size.body_bytes),
            figures.count(size.tokens),
            figures.count(size.estimated_tokens),
            "worked" if size.worked else _failure(size),
        )
        for size in sorted(found.tried, key=lambda size: size.words)
    ]
    columns = "Words | Bytes | Tokens reported | Tokens by bytes | Outcome"
    return table("Sizes that were tried", columns, rows, words=(4,))


def _facts(facts: Sequence[FactRead]) -> TableView:
    rows = [
        (
            fact.place,
            figures.count(fact.words),
            figures.count(fact.tokens),
            figures.delta(fact.effect),
            figures.interval(fact.effect_interval),
            figures.delta(fact.baseline),
            VERDICTS[fact.verdict],
        )
        for fact in facts
    ]
    columns = "Place | Words | Tokens reported | Effect | 95% interval | In a short state | Outcome"
    return table("A fact in a long state", columns, rows, words=(0, 6))


def concurrency_part(rows: Sequence[BurstRow]) -> PartView:
    """What becomes of bursts."""
    refused = [row for row in rows if row.rate_limited or row.overloaded]
    failed = sum(row.calls - row.succeeded for row in rows)
    opening = "No burst was sent."
    if rows:
        largest = max(row.size for row in rows)
        opening = f"Bursts of up to {figures.count(largest)} at the same time are all answered."
    if failed and not refused:
        opening = f"{figures.counted(failed, 'call')} in bursts failed, none for the pace."
    if refused:
        sizes = figures.listed([figures.count(row.size) for row in refused])
        opening = f"The server refuses calls for the pace in bursts of {sizes} at the same time."
    strips = tuple(
        Strip(
            label=f"{figures.count(row.size)} at once",
            low=row.median_ms,
            at=row.median_ms,
            high=row.longest_ms,
            text=figures.milliseconds(row.median_ms),
        )
        for row in rows
        if row.median_ms is not None and row.longest_ms is not None
    )
    says = "Point: the median latency. Line: up to the longest. In milliseconds."
    return PartView(
        anchor="concurrency",
        title="Many at the same time",
        opening=opening,
        pictures=(Picture("Latency within a burst", says, strips),) if strips else (),
        tables=(_bursts(rows),) if rows else (),
    )


def _bursts(rows: Sequence[BurstRow]) -> TableView:
    shown = [
        (
            figures.count(row.size),
            figures.count(row.bursts),
            figures.count(row.in_flight),
            figures.milliseconds(row.wall_ms),
            f"{figures.count(row.succeeded)} of {figures.count(row.calls)}",
            figures.count(row.rate_limited),
            figures.count(row.overloaded),
            counts(row.other_failures),
            _hints(row),
            figures.milliseconds(row.median_ms),
            figures.milliseconds(row.longest_ms),
            figures.short(row.per_second),
        )
        for row in rows
    ]
    columns = (
        "At once | Bursts | In flight | Wall time | Answered | 429 | 529 | Other failures | Retry-After | "
        "Median | Longest | Answers a second"
    )
    return table("Bursts", columns, shown, words=(7, 8))


def _hints(row: BurstRow) -> str:
    if row.retry_after is None:
        return "none" if row.rate_limited or row.overloaded else figures.NOT_AVAILABLE
    low, high = (figures.short(bound) for bound in row.retry_after)
    return f"{low} s" if low == high else f"{low} to {high} s"
