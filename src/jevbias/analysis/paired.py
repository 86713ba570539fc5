"""Paired differences: one delta per comparison, pooled over questions or on one of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from jevbias.analysis.noise import Noise
from jevbias.analysis.pairs import Pairs
from jevbias.stats.arrays import BoolArray, FloatArray, IntArray
from jevbias.stats.effective import effective_n
from jevbias.stats.ties import TIE, snap_ties


@dataclass(frozen=True, eq=False)
class Estimates:
    """Columns over comparisons; NaN where nothing can be said.

    `difference` is d(b, s) and `weight` its weight 1 / (S × B_s), both (comparisons, bases, scenarios), with
    NaN and 0 where a pair is missing. `by_base` and `by_scenario` are the weighted mean differences of one
    base or scenario. Differences below 1e-9 are ties: such figures are exactly 0, and neither up nor down.
    """

    difference: FloatArray
    weight: FloatArray
    delta: FloatArray
    pairs: IntArray
    sd: FloatArray
    cohens_d: FloatArray
    effective_n: FloatArray
    by_base: FloatArray
    by_scenario: FloatArray


def estimate(difference: FloatArray) -> Estimates:
    """Average the pairs of every comparison; `difference` is (comparisons, bases, scenarios), NaN missing.

    Scenarios weigh equally, and bases equally within a scenario, whatever is missing.
    """
    difference = snap_ties(difference)
    present = ~np.isnan(difference)
    bases = present.sum(axis=1, keepdims=True)
    scenarios = (bases > 0).sum(axis=2, keepdims=True)
    weight = np.divide(1.0, scenarios * bases, out=np.zeros(difference.shape), where=present)
    known = np.where(present, difference, 0.0)
    weighted = weight * known
    pairs = present.sum(axis=(1, 2))
    delta = snap_ties(np.where(pairs > 0, weighted.sum(axis=(1, 2)), np.nan))
    mean = np.divide(known.sum(axis=(1, 2)), pairs, out=np.zeros(pairs.shape), where=pairs > 0)
    squares = np.where(present, np.square(known - mean[:, None, None]), 0.0).sum(axis=(1, 2))
    variance = np.divide(squares, pairs - 1, out=np.full(pairs.shape, np.nan), where=pairs > 1)
    sd = snap_ties(np.sqrt(variance))
    return Estimates(
        difference=difference,
        weight=weight,
        delta=delta,
        pairs=pairs,
        sd=sd,
        cohens_d=np.divide(delta, sd, out=np.full(pairs.shape, np.nan), where=sd > 0),
        effective_n=np.where(pairs > 0, effective_n(present.sum(axis=2).astype(np.float64)), np.nan),
        by_base=snap_ties(_ratio(weighted.sum(axis=2), weight.sum(axis=2))),
        by_scenario=snap_ties(_ratio(weighted.sum(axis=1), weight.sum(axis=1))),
    )


@dataclass(frozen=True, eq=False)
class PooledScores:
    """Pooled differences with what stands behind each.

    `usable` (comparisons, bases, scenarios, questions) says which questions a pair's score is made of;
    `swap_asks` and `anchor_asks` (comparisons, bases, scenarios) the fewest probes behind any of them.
    `left_out` (comparisons, bases, scenarios, questions) marks answers that noise was not measured for.
    """

    estimates: Estimates
    usable: BoolArray
    left_out: BoolArray
    swap_asks: IntArray
    anchor_asks: IntArray


def pool_questions(pairs: Pairs, pooled: Sequence[Sequence[int]], noise: Noise | None = None) -> PooledScores:
    """Average the differences of a pair over the questions answered on both sides.

    `pooled` lists, per scenario, the positions of the questions that enter. A lost answer thereby never moves
    a score by its level. With `noise`, a pair keeps to the questions that `Noise.testable` leaves it, so that
    one that hardly ever came back takes no test away.
    """
    enters = np.zeros(pairs.difference.shape[2:], dtype=bool)
    for scenario, questions in enumerate(pooled):
        enters[scenario, list(questions)] = True
    shared = ~np.isnan(pairs.difference) & enters
    usable = shared if noise is None else _testable(shared, noise)
    return PooledScores(
        estimates=estimate(mean_over_questions(pairs.difference, usable)),
        usable=usable,
        left_out=shared & ~usable,
        swap_asks=_fewest(pairs.swap_asks, usable),
        anchor_asks=_fewest(pairs.anchor_asks, usable),
    )


def mean_over_questions(difference: FloatArray, usable: BoolArray) -> FloatArray:
    """The mean over the last axis of what is usable of it; NaN without any."""
    number = usable.sum(axis=-1)
    return _ratio(np.where(usable, difference, 0.0).sum(axis=-1), number)


def signs(values: FloatArray) -> tuple[IntArray, IntArray]:
    """How many of the last axis are below and how many above zero; NaN is neither."""
    return (values < -TIE).sum(axis=-1), (values > TIE).sum(axis=-1)


def _testable(shared: BoolArray, noise: Noise) -> BoolArray:
    testable = np.zeros_like(shared)
    for scenario in range(shared.shape[2]):
        here = shared[:, :, scenario]
        bits = 1 << np.arange(here.shape[-1])
        subsets, which = np.unique(here @ bits, return_inverse=True)
        kept = np.zeros((subsets.size, here.shape[-1]), dtype=bool)
        for row, subset in enumerate(subsets):
            kept[row, list(noise.testable(scenario, np.flatnonzero(subset & bits).tolist()))] = True
        testable[:, :, scenario] = kept[which.reshape(here.shape[:-1])]
    return testable


def _fewest(asks: IntArray, usable: BoolArray) -> IntArray:
    most = np.iinfo(np.int64).max
    fewest = np.where(usable, asks, most).min(axis=-1, initial=most)
    return np.where(fewest == most, 0, fewest)


def _ratio(total: FloatArray, weight: FloatArray | IntArray) -> FloatArray:
    ratio: FloatArray = np.divide(total, weight, out=np.full(total.shape, np.nan), where=weight > 0)
    return ratio
