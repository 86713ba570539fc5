"""How large an effect must be to be found in four runs of five."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri, stdtrit

from jevbias.stats.arrays import FloatArray, IntArray
from jevbias.stats.sign_flip_power import EXACT, RANDOM
from jevbias.stats.sign_flips import MOST_EXACT_UNITS, RANDOM_PATTERNS
from jevbias.stats.ties import TIE

POWER = 0.8
FEWEST_BASES = 3
"""With fewer, or with weights worth fewer, there is no interval, and so no verdict that needs one."""


def smallest_noise_effect(
    standard_error: ArrayLike, degrees_of_freedom: ArrayLike, level: float
) -> FloatArray:
    """The effect that a two-sided t test at this level finds in four runs of five.

    (t_{1 - level / 2} + t_{0.8}) standard errors, t with the degrees of freedom (> 0) that the error was
    estimated on: Bloom (1995), "Minimum detectable effects". NaN where either is unknown.
    """
    errors, degrees = np.broadcast_arrays(
        np.asarray(standard_error, dtype=np.float64), np.asarray(degrees_of_freedom, dtype=np.float64)
    )
    distinct, which = np.unique(degrees, return_inverse=True)
    known = np.where(distinct > 0, distinct, np.nan)
    factors = stdtrit(known, POWER) - stdtrit(known, level / 2.0)
    return np.asarray(factors[which].reshape(errors.shape) * errors, dtype=np.float64)


def smallest_people_effect(sd: ArrayLike, bases: ArrayLike, level: float) -> FloatArray:
    """The mean at which the two-sided test of `stats.sign_flips` has a power of 0.8 at this level, on (0, 1).

    `sd` is that of single bases' normal contributions to the mean, `bases` their number. From a table made by
    simulation: where few bases leave few steps of p below the level, the test is weaker than a t test. NaN
    where no effect has that power, as with 2 / 2^bases above the level; where bases are fewer than 3; and
    where the SD is unknown or 0.
    """
    spreads, numbers = np.broadcast_arrays(
        np.asarray(sd, dtype=np.float64), np.asarray(bases, dtype=np.int64)
    )
    distinct, which = np.unique(numbers, return_inverse=True)
    factors = _standard_errors(distinct, level) / np.sqrt(np.maximum(distinct, 1))
    spreads = np.where(spreads > TIE, spreads, np.nan)
    return np.asarray(factors[which].reshape(spreads.shape) * spreads, dtype=np.float64)


def bases_needed(level: float) -> int | None:
    """From how many bases on sign flips can find an effect at this level in four runs of five, however large
    it is. None where random patterns cannot tell such a level.
    """
    numbers = np.arange(FEWEST_BASES, int(_RANDOM.bases[-2]) + 1)
    possible = numbers[~np.isnan(_standard_errors(numbers, level))]
    return int(possible[0]) if possible.size else None


@dataclass(frozen=True, eq=False)
class _Table:
    """Smallest effects in standard errors of the mean: (steps, columns), `bases` heading the columns."""

    bases: FloatArray
    steps: FloatArray
    effects: FloatArray

    @classmethod
    def read(cls, text: str) -> _Table:
        head, *rows = text.strip().splitlines()
        cells = np.array([row.split() for row in rows], dtype=np.float64)
        return cls(np.array(head.split(), dtype=np.float64), cells[:, 0], cells[:, 1:])

    def at(self, steps: int, column: int, patterns: int) -> float:
        """The effect at a level of so many steps of 1 / patterns, between rows by the normal quantile."""
        known = ~np.isnan(self.effects[:, column]) | (self.steps <= steps)
        rows, effects = self.steps[known], self.effects[known, column]
        if steps <= rows[-1]:
            quantiles = -ndtri(np.array([steps, *rows]) / (2.0 * patterns))
            return float(np.interp(-quantiles[0], -quantiles[1:], effects))
        # Without an effect the power is the level: near 0.8 it grows with the effect's square.
        left = max(POWER - steps / patterns, 0.0) / (POWER - float(rows[-1]) / patterns)
        return float(effects[-1]) * math.sqrt(left)


_EXACT, _RANDOM = _Table.read(EXACT), _Table.read(RANDOM)


def _standard_errors(bases: IntArray, level: float) -> FloatArray:
    """The smallest effects of these numbers of bases, in standard errors of the mean."""
    found = np.full(bases.shape, np.nan)
    for place in np.flatnonzero((bases >= FEWEST_BASES) & (bases <= MOST_EXACT_UNITS)).tolist():
        found[place] = _enumerated(int(bases[place]), level)
    many = bases > MOST_EXACT_UNITS
    if many.any():
        found[many] = np.interp(-1.0 / bases[many], -1.0 / _RANDOM.bases, _drawn(level))
    return found


@lru_cache(maxsize=1024)
def _enumerated(bases: int, level: float) -> float:
    patterns = 1 << (bases - 1)
    steps = _steps(level, patterns)
    return _EXACT.at(steps, bases - FEWEST_BASES, patterns) if steps else math.nan


@lru_cache(maxsize=64)
def _drawn(level: float) -> FloatArray:
    """One effect per column of the table, between which 1 / bases interpolates."""
    patterns = RANDOM_PATTERNS + 1
    steps = _steps(level, patterns)
    columns = range(_RANDOM.bases.size)
    return np.array([_RANDOM.at(steps, column, patterns) if steps else math.nan for column in columns])


def _steps(level: float, patterns: int) -> int:
    """How many steps of p, each 1 / patterns, do not exceed the level."""
    return math.floor(level * patterns * (1.0 + 1e-12))
