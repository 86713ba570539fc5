"""Intervals for a share."""

from __future__ import annotations

import math

from scipy.special import betaincinv, ndtri


def clopper_pearson(successes: int, trials: int, confidence: float = 0.95) -> tuple[float, float] | None:
    """The exact interval of a binomial share, on [0, 1]; None without trials.

    Clopper and Pearson (1934), "The use of confidence or fiducial limits illustrated in the case of the
    binomial". It assumes independent trials: label it so where they are not.
    """
    if trials == 0:
        return None
    tail = (1.0 - confidence) / 2.0
    failures = trials - successes
    lower = 0.0 if successes == 0 else float(betaincinv(successes, failures + 1, tail))
    upper = 1.0 if failures == 0 else float(betaincinv(successes + 1, failures, 1.0 - tail))
    return lower, upper


def wilson(successes: float, trials: int, confidence: float = 0.95) -> tuple[float, float] | None:
    """The score interval of a binomial share, on [0, 1]; None without trials.

    Wilson (1927), "Probable inference, the law of succession, and statistical inference". It keeps its level
    on average over shares, also for few trials and shares near 0 and 1. It assumes independent trials.
    Successes need not be whole: trials with outcomes between 0 and 1 vary no more than those of 0 or 1.
    """
    if trials == 0:
        return None
    z = float(ndtri(0.5 + confidence / 2.0))
    share, spread = successes / trials, z * z / trials
    centre = (share + spread / 2.0) / (1.0 + spread)
    half = math.sqrt(share * (1.0 - share) * spread + spread * spread / 4.0) / (1.0 + spread)
    lower = 0.0 if successes == 0 else max(0.0, centre - half)
    upper = 1.0 if successes == trials else min(1.0, centre + half)
    return lower, upper
