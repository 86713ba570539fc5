"""Answers that carry a fixed number of decimals, and the noise that rounding alone makes."""

from __future__ import annotations

import math

import numpy as np

from jevbias.stats.arrays import FloatArray

TOLERANCE = 1e-9
FEWEST_DECIMALS, MOST_DECIMALS = 2, 6
"""No model documents a grid coarser than 0.01; beyond 6 decimals the tolerance no longer tells a grid from a
continuum."""
FEWEST_ANSWERS = 8
ANSWERS_PER_STRAY = 100


def informative(values: FloatArray) -> FloatArray:
    """The answers that can tell a grid, flat: neither missing nor at 0 or 1, which lie on every grid."""
    known = values[~np.isnan(values)]
    return known[(known > TOLERANCE) & (known < 1.0 - TOLERANCE)]


def decimal_step(values: FloatArray) -> float | None:
    """The coarsest step 10**-d, d from 2 to 6, on which the values lie; None where there is none.

    `values` has any shape and is on [0, 1]; only its `informative` entries count, and at least 8 of them are
    needed. One stray among every full 100 is forgiven.
    """
    known = informative(values)
    if known.size < FEWEST_ANSWERS:
        return None
    for decimals in range(FEWEST_DECIMALS, MOST_DECIMALS + 1):
        step = float(10.0**-decimals)
        if count_strays(known, step) <= known.size // ANSWERS_PER_STRAY:
            return step
    return None


def count_strays(values: FloatArray, step: float) -> int:
    """How many of the values are no multiple of the step; NaN is ignored."""
    scaled = values[~np.isnan(values)] / step
    return int((np.abs(scaled - np.rint(scaled)) > TOLERANCE / step).sum())


def rounding_sd(step: float, answers: int = 1) -> float:
    """The SD that rounding to a grid gives the mean of this many answers: step / sqrt(12 * answers)."""
    return step / math.sqrt(12 * answers)
