"""How far the answers to identical requests differ, in one burst and scattered over minutes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Literal

import numpy as np

from jevbias.report.testbench_answers import BurstAgainstScattered, ChoiceCounts, Determinism, FigureSpread
from jevbias.stats.intervals import clopper_pearson
from jevbias.stats.means import welch
from jevbias.stats.multiplicity import holm
from jevbias.stats.sd_intervals import sample_sd, sd_interval, sd_ratio, spread_p
from jevbias.testbench.bench import Bench, Told
from jevbias.testbench.cases import ambiguous_ask
from jevbias.testbench.observed import Observation, observe
from jevbias.testbench.options import DeterminismOptions

How = Literal["burst", "scattered"]
COARSE = 3
"""Fewer distinct values than that say little about an SD."""


async def measure_determinism(bench: Bench, options: DeterminismOptions) -> Determinism:
    """Ask the ambiguous case again and again. Scattered calls keep their distance from one another also where
    a run goes on after a break.
    """
    ask, n = ambiguous_ask(), options.repeats
    bench.say(f"determinism: {n} identical requests in a burst, {options.at_once} at once")
    keys = [f"determinism/burst/{place}" for place in range(n)]
    burst = await bench.answers([(key, ask) for key in keys], options.at_once)
    scattered: list[Told] = []
    apart = 60 * options.minutes / (n - 1)
    if apart:
        bench.say(f"determinism: {n} more over {options.minutes:g} minutes, one every {apart:.3g} s")
    for place in range(n if apart else 0):
        if scattered:
            await bench.until(scattered[-1].recorded.sent_at + apart)
        told = await bench.answer(f"determinism/scattered/{place}", ask)
        if told is not None:
            scattered.append(told)
    return _assess(bench, options, burst, scattered)


def _assess(
    bench: Bench, options: DeterminismOptions, burst: Sequence[Told], scattered: Sequence[Told]
) -> Determinism:
    groups: dict[How, list[Observation]] = {
        "burst": [observe(told) for told in burst if told.answered],
        "scattered": [observe(told) for told in scattered if told.answered],
    }
    everything = [seen for group in groups.values() for seen in group]
    names = list(dict.fromkeys(name for seen in everything for name in seen.figures))
    series = {
        (name, how): np.array([seen.figures[name] for seen in group if name in seen.figures])
        for name in names
        for how, group in groups.items()
    }
    commonest = Counter(_as_one(seen) for seen in everything).most_common(1)
    different = len(everything) - (commonest[0][1] if commonest else 0)
    left = options.requests - len(everything)
    if left:
        bench.notes.append(f"determinism: {left} of {options.requests} requests have no answer")
    _note_spreads(bench, series)
    return Determinism(
        asked=options.requests,
        answers=len(everything),
        at_once=options.at_once,
        minutes=options.minutes,
        minutes_taken=_minutes(scattered),
        different=different,
        different_interval=clopper_pearson(different, len(everything)),
        figures=[_spread(name, how, values) for (name, how), values in series.items() if values.size],
        choices=[
            ChoiceCounts(question=question, how=how, counts=dict(counts.most_common()))
            for question in dict.fromkeys(key for seen in everything for key in seen.choices)
            for how, group in groups.items()
            if (counts := Counter(seen.choices[question] for seen in group if question in seen.choices))
        ],
        comparisons=_compared(names, series) if options.minutes else [],
    )


def _minutes(scattered: Sequence[Told]) -> float | None:
    """From the first answer to the last."""
    sent = [told.recorded.sent_at for told in scattered if told.answered]
    return (max(sent) - min(sent)) / 60 if len(sent) > 1 else None


def _spread(name: str, how: How, values: np.ndarray) -> FigureSpread:
    sd = sample_sd(values)
    return FigureSpread(
        figure=name,
        how=how,
        answers=values.size,
        distinct=len(set(values.tolist())),
        mean=float(values.mean()),
        sd=sd,
        sd_interval=None if sd is None else sd_interval(sd, values.size),
        minimum=float(values.min()),
        maximum=float(values.max()),
    )


def _compared(names: Sequence[str], series: dict[tuple[str, How], np.ndarray]) -> list[BurstAgainstScattered]:
    ratios, spreads, shifts = [], [], []
    for name in names:
        burst, scattered = series[name, "burst"], series[name, "scattered"]
        sds = sample_sd(scattered), sample_sd(burst)
        ratios.append(
            None if sds[0] is None or sds[1] is None else sd_ratio(sds[0], scattered.size, sds[1], burst.size)
        )
        spreads.append(spread_p(scattered, burst))
        shifts.append(welch(scattered, burst))
    p_ratios = holm(np.array([np.nan if p is None else p for p in spreads]))
    p_shifts = holm(np.array([np.nan if row is None or row.p is None else row.p for row in shifts]))
    return [
        BurstAgainstScattered(
            figure=name,
            ratio=None if ratio is None else ratio.ratio,
            ratio_interval=None if ratio is None else ratio.interval,
            p_ratio=None if np.isnan(p_ratio) else float(p_ratio),
            shift=None if shift is None else shift.mean,
            shift_interval=None if shift is None else shift.interval,
            p_shift=None if np.isnan(p_shift) else float(p_shift),
        )
        for name, ratio, shift, p_ratio, p_shift in zip(
            names, ratios, shifts, p_ratios, p_shifts, strict=True
        )
    ]


def _note_spreads(bench: Bench, series: dict[tuple[str, How], np.ndarray]) -> None:
    still = sorted({name for (name, _), values in series.items() if values.size > 1 and not np.ptp(values)})
    coarse = sorted(
        {name for (name, _), values in series.items() if 1 < len(set(values.tolist())) < COARSE} - set(still)
    )
    if still:
        bench.notes.append(
            f"determinism: {len(still)} figures never changed within a group; their SD is 0 and has no "
            "interval, and what is below the server's rounding cannot show"
        )
    if coarse:
        bench.notes.append(
            f"determinism: {', '.join(coarse)} took two values only: such an SD mostly measures the server's "
            "rounding, and its interval, which takes normal noise for granted, is too narrow or too wide"
        )


def _as_one(seen: Observation) -> tuple[object, ...]:
    return (tuple(sorted(seen.figures.items())), tuple(sorted(seen.choices.items())))
