"""What a server makes of many calls at the same time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from jevbias.report.testbench_limits import BurstRow
from jevbias.testbench.bench import Bench, Told
from jevbias.testbench.cases import ambiguous_ask
from jevbias.testbench.options import ConcurrencyOptions

RATE_LIMITED, OVERLOADED = 429, 529
LONGEST_START = 5.0
"""Seconds from the first call's start to the last one's in a burst, on a machine that is busy."""
LONGEST_PAUSE = 60.0
"""Seconds that a server's hint is waited for between two bursts."""


async def measure_concurrency(bench: Bench, options: ConcurrencyOptions) -> list[BurstRow]:
    """Send bursts from small to large. After one that met a limit the next waits as long as the server says,
    so that every burst starts from rest.
    """
    ask = ambiguous_ask()
    first = await bench.answer("concurrency/first", ask)
    if first is None:
        return []
    rows: list[BurstRow] = []
    rest = 0.0
    for size in sorted(options.bursts):
        bench.say(f"concurrency: {options.repeats} x {size} at once")
        bursts: list[list[Told]] = []
        for place in range(options.repeats):
            key = f"concurrency/{size}/{place}"
            burst: list[Told] = []
            for again in ("", "/again", "/once-more"):
                await bench.pause(rest)
                burst = await bench.together([(f"{key}{again}/{number}", ask) for number in range(size)])
                if _at_once(burst):
                    break
                bench.notes.append(
                    f"concurrency: a burst of {size} was interrupted; what came of it is in no figure"
                )
                rest, burst = options.pause, []
            if burst:
                bursts.append(burst)
                rest = 0.0 if burst[0].recorded.replayed else max(options.pause, _asked_to_wait(burst))
        rows.append(_row(size, bursts))
    return rows


def _row(size: int, bursts: Sequence[Sequence[Told]]) -> BurstRow:
    calls = [told for burst in bursts for told in burst]
    times = np.array([told.recorded.reply.latency_ms for told in calls if told.answered])
    walls = [_wall_ms(burst) for burst in bursts]
    statuses = Counter(told.recorded.reply.status for told in calls)
    hints = [told.recorded.reply.retry_after for told in calls]
    known = [hint for hint in hints if hint is not None]
    others = Counter(
        told.failure
        for told in calls
        if not told.answered and told.recorded.reply.status not in (RATE_LIMITED, OVERLOADED)
    )
    return BurstRow(
        size=size,
        bursts=len(bursts),
        calls=len(calls),
        wall_ms=float(np.mean(walls)) if walls else None,
        in_flight=max(map(_in_flight, bursts), default=None),
        succeeded=int(times.size),
        rate_limited=statuses[RATE_LIMITED],
        overloaded=statuses[OVERLOADED],
        other_failures=dict(others.most_common()),
        retry_after=(min(known), max(known)) if known else None,
        retry_hints=len(known),
        median_ms=float(np.median(times)) if times.size else None,
        longest_ms=float(times.max()) if times.size else None,
        per_second=1000 * times.size / sum(walls) if times.size and sum(walls) > 0 else None,
    )


def _at_once(burst: Sequence[Told]) -> bool:
    """Whether calls left together: those of a burst that was interrupted are sent when the run goes on."""
    starts = [told.recorded.sent_at for told in burst]
    return not starts or max(starts) - min(starts) < LONGEST_START


def _in_flight(burst: Sequence[Told]) -> int:
    """How many calls were under way at the same moment, at most."""
    starts = [(told.recorded.sent_at, 1) for told in burst]
    ends = [(told.recorded.sent_at + told.recorded.reply.latency_ms / 1000, -1) for told in burst]
    return max(accumulate(change for _, change in sorted(starts + ends)))


def _wall_ms(burst: Sequence[Told]) -> float:
    """From the first call's start to the last reply."""
    starts = [told.recorded.sent_at for told in burst]
    ends = [told.recorded.sent_at + told.recorded.reply.latency_ms / 1000 for told in burst]
    return 1000 * (max(ends) - min(starts))


def _asked_to_wait(burst: Sequence[Told]) -> float:
    hints = [told.recorded.reply.retry_after or 0.0 for told in burst if not told.answered]
    return min(LONGEST_PAUSE, max(hints, default=0.0))
