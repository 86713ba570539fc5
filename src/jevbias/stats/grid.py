"""Answers that carry a fixed number of decimals, and the noise that rounding alone makes."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
TOLERANCE = 1e-9
MOST_DECIMALS = 7
"""Beyond this many decimals the tolerance no longer tells a grid from a continuum."""


def decimal_step(values: FloatArray) -> float | None:
    """The coarsest step 10**-d, d from 0 to 7, that all values are multiples of; None where there is none.

    `values` has any shape and is on [0, 1]; NaN is ignored. No values, no step.
    """
    known = values[~np.isnan(values)]
    if known.size == 0:
        return None
    for decimals in range(MOST_DECIMALS + 1):
        scaled = known * 10.0**decimals
        if np.all(np.abs(scaled - np.rint(scaled)) <= TOLERANCE * 10.0**decimals):
            return float(10.0**-decimals)
    return None


def rounding_sd(step: float, answers: int = 1) -> float:
    """The SD that rounding to a grid gives the mean of this many answers: step / sqrt(12 * answers)."""
    return step / math.sqrt(12 * answers)
