"""Significant digits, many numbers at a time."""

from __future__ import annotations

import numpy as np

from jevbias.stats.arrays import FloatArray

DIGITS = 6
_LARGEST_EXACT_POWER = 22
"""10**22 is the largest power of ten that a double holds exactly; a quotient by it is rounded once."""


def round_to_digits(values: FloatArray) -> FloatArray:
    """The numbers with 6 significant digits nearest to the values; NaN stays NaN, and no zero is negative.

    Equal to what printing with 6 digits and reading back gives, for sizes of 1e-16 to 1e6; others, which no
    figure here has but by accident, are printed and read.
    """
    flat = np.asarray(values, dtype=np.float64).ravel()
    sizes = np.abs(flat)
    usual = (sizes >= 10.0 ** (DIGITS - 1 - _LARGEST_EXACT_POWER + 1)) & (sizes < 10.0**DIGITS)
    rounded = flat.copy()
    chosen = flat[usual]
    places = DIGITS - 1 - np.floor(np.log10(sizes[usual])).astype(np.int64)
    scale = np.power(10.0, places)
    rounded[usual] = np.rint(chosen * scale) / scale
    odd = ~usual & ~np.isnan(flat) & (flat != 0.0)
    rounded[odd] = [float(f"{value:.{DIGITS}g}") for value in flat[odd].tolist()]
    return (rounded + 0.0).reshape(np.shape(values))
