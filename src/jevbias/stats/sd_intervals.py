"""How well a standard deviation is known, and how two compare."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import fdtri, gammaincinv

from jevbias.stats.arrays import FloatArray
from jevbias.stats.means import welch
from jevbias.stats.ties import TIE

FEWEST = 10
"""Values a group from which on distances from their median say how far it spreads."""


@dataclass(frozen=True)
class SdRatio:
    """One SD over another, with the interval of the ratio."""

    ratio: float
    interval: tuple[float, float]


def sample_sd(values: FloatArray) -> float | None:
    """The SD of values (n,), with n - 1 in the divisor; None for fewer than two, 0 where all are equal."""
    if values.size < 2:
        return None
    sd = float(values.std(ddof=1))
    return sd if sd > TIE else 0.0


def sd_interval(sd: float, values: int, confidence: float = 0.95) -> tuple[float, float] | None:
    """The interval of an SD that was computed from so many independent normal values; None for fewer than
    two, and for an SD of 0, about which the normal distribution says nothing.

    Fisher (1925), "Statistical Methods for Research Workers": the sum of squares over the variance is
    chi-squared with values - 1 degrees of freedom.
    """
    if values < 2 or sd <= 0.0:
        return None
    degrees, tail = values - 1, (1.0 - confidence) / 2.0
    low, high = (2.0 * float(gammaincinv(degrees / 2.0, q)) for q in (tail, 1.0 - tail))
    return sd * math.sqrt(degrees / high), sd * math.sqrt(degrees / low)


def sd_ratio(
    first: float, first_values: int, second: float, second_values: int, confidence: float = 0.95
) -> SdRatio | None:
    """The first SD over the second, each from so many independent normal values; None where one is 0 or known
    from fewer than two.

    Snedecor (1934), "Calculation and interpretation of analysis of variance and covariance": the ratio of
    the variances has the F distribution. It leans on normal values: `spread_p` tests what does not need them.
    """
    if min(first_values, second_values) < 2 or first <= 0.0 or second <= 0.0:
        return None
    n, d, tail = first_values - 1, second_values - 1, (1.0 - confidence) / 2.0
    variances = (first / second) ** 2
    low, high = variances / float(fdtri(n, d, 1.0 - tail)), variances / float(fdtri(n, d, tail))
    return SdRatio(first / second, (math.sqrt(low), math.sqrt(high)))


def spread_p(first: FloatArray, second: FloatArray) -> float | None:
    """The two-sided p of two groups, (n,) and (m,), spreading equally; None with fewer than FEWEST values in
    one. Holds for rounded and heavy-tailed values too, and where one group does not vary at all.

    Brown and Forsythe (1974), "Robust tests for the equality of variances": a comparison of the distances
    from each group's median, here by Welch's test.
    """
    if min(first.size, second.size) < FEWEST:
        return None
    compared = welch(np.abs(first - np.median(first)), np.abs(second - np.median(second)))
    return None if compared is None else compared.p
