"""A mean with its interval, and the difference between two means."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from jevbias.stats.arrays import FloatArray
from jevbias.stats.student import t_quantile, two_sided_p
from jevbias.stats.ties import TIE


@dataclass(frozen=True)
class Mean:
    """A mean or a difference of means, its interval, and the two-sided p of its being 0; None where it cannot
    be told, with fewer than two values a side.
    """

    mean: float
    interval: tuple[float, float] | None
    p: float | None


def mean_of(values: FloatArray, confidence: float = 0.95) -> Mean | None:
    """The mean of independent values (n,) with Student's interval; of differences within pairs, the paired
    comparison. None without values. Where all values are equal the interval is that value, and p is 1 at 0
    and 0 elsewhere: nothing varies.

    Student (1908), "The probable error of a mean".
    """
    if values.size == 0:
        return None
    mean = float(values.mean())
    if values.size < 2:
        return Mean(mean, None, None)
    return _estimate(mean, float(values.std(ddof=1)) / math.sqrt(values.size), values.size - 1, confidence)


def mean_with_sd(values: FloatArray, sd: float, degrees: float, confidence: float = 0.95) -> Mean | None:
    """The mean of independent values (n,) whose SD is known from elsewhere, with so many degrees of freedom;
    None without values, and without an interval where there are none.
    """
    if values.size == 0:
        return None
    mean = float(values.mean())
    if degrees < 1:
        return Mean(mean, None, None)
    return _estimate(mean, sd / math.sqrt(values.size), degrees, confidence)


def welch(first: FloatArray, second: FloatArray, confidence: float = 0.95) -> Mean | None:
    """The mean of the first group less that of the second, whose spreads may differ; None where one is empty.

    Welch (1947), "The generalization of Student's problem when several different population variances are
    involved".
    """
    if not (first.size and second.size):
        return None
    difference = float(first.mean() - second.mean())
    if min(first.size, second.size) < 2:
        return Mean(difference, None, None)
    a, b = (float(group.var(ddof=1)) / group.size for group in (first, second))
    spread = a**2 / (first.size - 1) + b**2 / (second.size - 1)
    degrees = (a + b) ** 2 / spread if spread > 0 else first.size + second.size - 2
    return _estimate(difference, math.sqrt(a + b), degrees, confidence)


def _estimate(mean: float, error: float, degrees: float, confidence: float) -> Mean:
    mean = 0.0 if abs(mean) < TIE else mean
    if error < TIE:
        return Mean(mean, (mean, mean), 0.0 if mean else 1.0)
    half = t_quantile(0.5 + confidence / 2.0, degrees) * error
    return Mean(mean, (mean - half, mean + half), float(two_sided_p(np.array(mean / error), degrees)))
