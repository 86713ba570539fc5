"""How well a standard deviation is known, and how two compare."""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy.special import fdtr, fdtri, gammaincinv

from jevbias.stats.arrays import FloatArray
from jevbias.stats.ties import TIE


@dataclass(frozen=True)
class SdRatio:
    """One SD over another, with the interval of the ratio and the two-sided p of their being equal."""

    ratio: float
    interval: tuple[float, float]
    p: float


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
    the variances has the F distribution. It leans on normal values more than a comparison of means does.
    """
    if min(first_values, second_values) < 2 or first <= 0.0 or second <= 0.0:
        return None
    n, d, tail = first_values - 1, second_values - 1, (1.0 - confidence) / 2.0
    variances = (first / second) ** 2
    low, high = variances / float(fdtri(n, d, 1.0 - tail)), variances / float(fdtri(n, d, tail))
    below = float(fdtr(n, d, variances))
    return SdRatio(first / second, (math.sqrt(low), math.sqrt(high)), min(1.0, 2.0 * min(below, 1.0 - below)))


def excess_p(rms: float, reference: float, values: int) -> float:
    """The one-sided p of one root mean square being no larger than another, each of so many values about 0
    (F with as many degrees of freedom on both sides). 1 where neither varies, 0 where only the first does.
    """
    if rms <= TIE:
        return 1.0
    if reference <= TIE:
        return 0.0
    return 1.0 - float(fdtr(values, values, (rms / reference) ** 2))
