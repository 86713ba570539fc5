"""From answers to decisions: how often a swap would be decided differently, beside how often a repeat is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit

from jevbias.stats.arrays import FloatArray, IntArray
from jevbias.stats.ties import snap_ties


@dataclass(frozen=True, eq=False)
class DecidedCells:
    """One side of pairs of cells: arrays (rows, pairs).

    `asks` counts answers (0: no cell), `favourable` those that decide for the person, and `mean` is the mean
    answer on [0, 1].
    """

    asks: IntArray
    favourable: IntArray
    mean: FloatArray


@dataclass(frozen=True, eq=False)
class DecisionFigures:
    """Columns over rows, NaN where there is nothing to say; see `compare_decisions`."""

    flip_rate: FloatArray
    repeat_flip_rate: FloatArray
    excess_flips: FloatArray
    favourable_swap: FloatArray
    favourable_anchor: FloatArray
    four_fifths: FloatArray
    log_odds: FloatArray


def compare_decisions(swap: DecidedCells, anchor: DecidedCells, closest: float) -> DecisionFigures:
    """Compare the decisions of swaps with those of their anchors; pairs of a row weigh equally.

    `flip_rate` is the probability that a random answer of the swap and one of its anchor decide differently,
    `repeat_flip_rate` that two different answers of the anchor do (the unbiased estimate of 2p(1 - p)), and
    `excess_flips` their difference, which is zero on average where a swap changes nothing. All three look at
    the pairs whose anchor was asked at least twice, and `flip_rate` at all pairs where there is none.
    `four_fifths` is the ratio of the favourable shares, NaN where no anchor is decided for (US Uniform
    Guidelines on Employee Selection Procedures, 1978, section 4D). `log_odds` is the mean difference of the
    logits of the mean answers, which are kept `closest` (> 0) away from 0 and 1.
    """
    paired = (swap.asks > 0) & (anchor.asks > 0)
    of_swap = swap.favourable / np.maximum(swap.asks, 1)
    of_anchor = anchor.favourable / np.maximum(anchor.asks, 1)
    flips = of_swap * (1.0 - of_anchor) + of_anchor * (1.0 - of_swap)
    orders = anchor.asks * (anchor.asks - 1)
    repeat_flips = 2 * anchor.favourable * (anchor.asks - anchor.favourable) / np.maximum(orders, 1)
    repeated = paired & (anchor.asks > 1)
    judged = np.where(repeated.any(axis=1, keepdims=True), repeated, paired)
    log_odds = _logit(swap.mean, closest) - _logit(anchor.mean, closest)
    flip_rate, repeat_flip_rate = _mean(flips, judged), _mean(repeat_flips, repeated)
    favourable_swap, favourable_anchor = _mean(of_swap, paired), _mean(of_anchor, paired)
    return DecisionFigures(
        flip_rate=flip_rate,
        repeat_flip_rate=repeat_flip_rate,
        excess_flips=snap_ties(flip_rate - repeat_flip_rate),
        favourable_swap=favourable_swap,
        favourable_anchor=favourable_anchor,
        four_fifths=np.divide(
            favourable_swap,
            favourable_anchor,
            out=np.full(favourable_swap.shape, np.nan),
            where=favourable_anchor > 0,
        ),
        log_odds=snap_ties(_mean(log_odds, paired)),
    )


def _mean(values: FloatArray, chosen: NDArray[np.bool_]) -> FloatArray:
    number = chosen.sum(axis=1)
    total = np.where(chosen, values, 0.0).sum(axis=1)
    mean: FloatArray = np.divide(total, number, out=np.full(total.shape, np.nan), where=number > 0)
    return mean


def _logit(mean: FloatArray, closest: float) -> FloatArray:
    return np.asarray(logit(np.clip(mean, closest, 1.0 - closest)), dtype=np.float64)
