"""Intervals for a share."""

from __future__ import annotations

from scipy.special import betaincinv


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
