"""How long a call takes by its size, one call at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from jevbias.report.testbench_limits import LatencyQuantile, LatencyRow
from jevbias.stats.quantiles import quantile
from jevbias.testbench.bench import ALIKE, Bench, Told
from jevbias.testbench.cases import sized_ask
from jevbias.testbench.options import LatencyOptions

SHARES = (0.5, 0.9, 0.99)
SMALLEST = 12
"""Words of about 15 tokens."""


async def measure_latency(bench: Bench, options: LatencyOptions) -> list[LatencyRow]:
    """Time calls of every size in turn, so that a server that slows down meanwhile is slower for all of them.
    One call goes before, so that opening the connection counts for nobody.
    """
    asks = {words: sized_ask(words) for words in options.words}
    bench.say(f"latency: {options.repeats} calls each of {len(asks)} sizes, one at a time")
    first = await bench.answer("latency/first", sized_ask(SMALLEST))
    if first is None:
        return [_row(words, []) for words in asks]
    told: dict[int, list[Told]] = {words: [] for words in asks}
    for place in range(options.repeats):
        for words, ask in asks.items():
            if _is_hopeless(told[words]):
                continue
            one = await bench.once(f"latency/{words}/{place}", ask)
            if one is not None:
                told[words].append(one)
    for words, calls in told.items():
        if len(calls) < options.repeats and _is_hopeless(calls):
            bench.notes.append(
                f"latency: {words:,} words failed {ALIKE} times alike and were not asked again "
                f"({calls[-1].reading.error or calls[-1].failure})"
            )
    rows = [_row(words, calls) for words, calls in told.items()]
    _note_tails(bench, rows)
    return rows


def _row(words: int, calls: Sequence[Told]) -> LatencyRow:
    answered = [told for told in calls if told.answered]
    times = np.array([told.recorded.reply.latency_ms for told in answered])
    tokens = [told.tokens for told in answered if told.tokens is not None]
    return LatencyRow(
        size="about 15 tokens" if words == SMALLEST else f"{words:,} words",
        words=words,
        body_bytes=calls[0].body_bytes if calls else 0,
        tokens=float(np.mean(tokens)) if tokens else None,
        calls=len(calls),
        succeeded=len(answered),
        failures=dict(Counter(told.failure for told in calls if not told.answered).most_common()),
        mean=float(times.mean()) if times.size else None,
        sd=float(times.std(ddof=1)) if times.size > 1 else None,
        quantiles=[
            LatencyQuantile(
                share=share,
                value=found.value,
                low=found.low,
                high=found.high,
                is_maximum=found.value == times.max(),
            )
            for share in SHARES
            if (found := quantile(times, share)) is not None
        ],
    )


def _is_hopeless(calls: Sequence[Told]) -> bool:
    """Whether a size only ever fails, and always alike."""
    return len(calls) >= ALIKE and len({told.failure for told in calls}) == 1 and not calls[0].answered


def _note_tails(bench: Bench, rows: Sequence[LatencyRow]) -> None:
    longest = {
        f"p{100 * found.share:g}": row.succeeded
        for row in rows
        for found in row.quantiles
        if found.is_maximum
    }
    for name, calls in longest.items():
        bench.notes.append(
            f"latency: {name} of {calls} calls is the longest of them; what is rarer than that cannot show"
        )
