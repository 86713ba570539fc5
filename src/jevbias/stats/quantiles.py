"""Quantiles of a few values, with intervals that take no shape for granted."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import bdtr

from jevbias.stats.arrays import FloatArray


@dataclass(frozen=True)
class Quantile:
    """A value that was seen, and between which other values the quantile lies; a bound is None where so few
    values cannot bound it on that side. `is_extreme`: it is the largest (or the smallest) of the values, so
    that a more extreme one cannot show.
    """

    value: float
    low: float | None
    high: float | None
    is_extreme: bool


def quantile(values: FloatArray, share: float, confidence: float = 0.95) -> Quantile | None:
    """The smallest of the values (n,) that at least `share` of them, in (0, 1), do not exceed; None without.

    The interval's ends are order statistics that enclose the quantile with at least this confidence, each
    missing it with at most half of the rest (Thompson 1936, "On confidence ranges for the median and other
    expectation distributions").
    """
    n = values.size
    if n == 0:
        return None
    ordered = np.sort(values)
    rank = max(1, math.ceil(share * n - 1e-9))
    tail = (1.0 - confidence) / 2.0
    below = np.asarray(bdtr(np.arange(n, dtype=np.float64), n, share))
    # P(at most k values lie below the quantile) is below[k].
    lower = int(np.searchsorted(below, tail, side="right"))
    upper = int(np.searchsorted(below, 1.0 - tail, side="left")) + 1
    return Quantile(
        value=float(ordered[rank - 1]),
        low=float(ordered[lower - 1]) if lower >= 1 else None,
        high=float(ordered[upper - 1]) if upper <= n else None,
        is_extreme=rank in (1, n) and n > 1,
    )
