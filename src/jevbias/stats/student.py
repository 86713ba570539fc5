"""Student's t without the import cost of scipy.stats."""

from __future__ import annotations

import numpy as np
from scipy.special import stdtr, stdtrit

from jevbias.stats.arrays import FloatArray


def two_sided_p(t: FloatArray, degrees_of_freedom: float | FloatArray) -> FloatArray:
    """P(|T| >= |t|) for T with the given degrees of freedom (> 0), one for all or one each."""
    return np.minimum(2.0 * np.asarray(stdtr(degrees_of_freedom, -np.abs(t)), dtype=np.float64), 1.0)


def t_quantile(probability: float, degrees_of_freedom: float) -> float:
    """The value that T with the given degrees of freedom stays below with this probability, in (0, 1)."""
    return float(stdtrit(degrees_of_freedom, probability))


def two_sided_quantile(p: FloatArray, degrees_of_freedom: FloatArray) -> FloatArray:
    """The t at which `two_sided_p` is `p`, in (0, 1], each with its own degrees of freedom (> 0)."""
    return -np.asarray(stdtrit(degrees_of_freedom, p / 2.0), dtype=np.float64)
