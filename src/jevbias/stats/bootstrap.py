"""Bootstrap intervals of a difference between two groups of people, for many outcomes at once.

The studentised bootstrap: people are resampled within their group, and the quantiles are those of the
difference divided by its own standard error in each resample. It keeps its coverage in groups of the size
that a factorial run has, where plain percentiles are too narrow. Efron (1982), "The jackknife, the
bootstrap and other resampling plans"; Hall (1988), "Theoretical comparison of bootstrap confidence
intervals".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from jevbias.stats.arrays import FloatArray
from jevbias.stats.patterns import missing_patterns
from jevbias.stats.ties import TIE

RESAMPLES = 5_000
FEWEST_PEOPLE = 5


@dataclass(frozen=True, eq=False)
class GroupResamples:
    """A group's mean and the squared standard error of that mean, per outcome, and again per resample.

    `mean` and `variance` are (outcomes,); `shift` (resamples, outcomes) is a resample's mean minus the
    group's own, `variances` its squared standard error. NaN below 5 people.
    """

    mean: FloatArray
    variance: FloatArray
    shift: FloatArray
    variances: FloatArray


def resample_group(values: FloatArray, key: int) -> GroupResamples:
    """Draw 5,000 resamples of the people (rows) of `values` (people, outcomes), NaN for what is missing.

    `key` (below 2**128) decides the draws: an outcome's resamples depend on it and on that outcome alone.
    """
    outcomes = values.shape[1]
    mean, variance = np.full(outcomes, np.nan), np.full(outcomes, np.nan)
    shift, variances = np.full((2, RESAMPLES, outcomes), np.nan)
    for pattern in missing_patterns(values):
        size = pattern.rows.size
        if size < FEWEST_PEOPLE:
            continue
        chosen = values[np.ix_(pattern.rows, pattern.columns)]
        mean[pattern.columns] = chosen.mean(axis=0)
        centred = chosen - mean[pattern.columns]
        variance[pattern.columns] = np.square(centred).sum(axis=0) / (size * (size - 1))
        drawn = _draw_counts(size, key) / size
        means = drawn @ centred
        spread = np.maximum(drawn @ np.square(centred) - np.square(means), 0.0)
        shift[:, pattern.columns] = means
        variances[:, pattern.columns] = spread / (size - 1)
    return GroupResamples(mean, variance, shift, variances)


def difference_interval(
    first: GroupResamples, second: GroupResamples, confidence: float = 0.95
) -> tuple[FloatArray, FloatArray]:
    """Lower and upper ends, per outcome, of the interval of mean(first) - mean(second).

    NaN where a group has fewer than 5 people, where nobody differs within either group, or where too many
    resamples hold one value only.
    """
    error = np.sqrt(first.variance + second.variance)
    errors = np.sqrt(first.variances + second.variances)
    difference = first.shift - second.shift
    flat = errors < TIE
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = difference / np.where(flat, 0.0, errors)
    ratio[flat & (np.abs(difference) < TIE)] = 0.0
    tail = (1.0 - confidence) / 2.0
    low = int(np.floor(tail * (RESAMPLES + 1))) - 1
    high = RESAMPLES - 1 - low
    usable = error >= TIE
    ends = np.full((2, error.size), np.nan)
    ordered = np.partition(ratio[:, usable], (low, high), axis=0)
    ends[:, usable] = ordered[[low, high]]
    ends[~np.isfinite(ends)] = np.nan
    delta = first.mean - second.mean
    lower, upper = delta - ends[1] * error, delta - ends[0] * error
    whole = ~(np.isnan(lower) | np.isnan(upper))
    return np.where(whole, lower, np.nan), np.where(whole, upper, np.nan)


def _draw_counts(size: int, key: int) -> FloatArray:
    """How often each person is drawn; (resamples, people)."""
    stream = np.random.Generator(np.random.Philox(key=key))
    drawn = stream.integers(0, size, size=(RESAMPLES, size), dtype=np.int32).astype(np.int64)
    drawn += np.arange(RESAMPLES)[:, None] * size
    return np.bincount(drawn.ravel(), minlength=RESAMPLES * size).reshape(RESAMPLES, size).astype(np.float64)
