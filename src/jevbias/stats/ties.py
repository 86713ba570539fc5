"""What is too small to be a difference: the dust of floating-point arithmetic."""

from __future__ import annotations

import numpy as np

from jevbias.stats.arrays import FloatArray

TIE = 1e-9


def snap_ties(values: FloatArray) -> FloatArray:
    """The values, those closer to zero than 1e-9 being exactly 0.0; NaN stays NaN."""
    return np.where(np.abs(values) < TIE, 0.0, values)
