"""How far apart two sides of matched pairs may be, from the pairs in which just one of them is marked."""

from __future__ import annotations

import math

from scipy.special import ndtri


def paired_difference(
    only_first: int, only_second: int, pairs: int, confidence: float = 0.95
) -> tuple[float, float]:
    """An interval for the share of the second side less that of the first, on [-1, 1].

    Wald's for matched proportions with half a pair added to each of the four cells. Agresti and Min (2005),
    "Simple improved confidence intervals for comparing matched proportions". Raises ValueError without pairs.
    """
    if pairs < 1:
        raise ValueError("there are no pairs")
    first, second, number = only_first + 0.5, only_second + 0.5, pairs + 2
    middle = (second - first) / number
    spread = math.sqrt(max(first + second - (second - first) ** 2 / number, 0.0)) / number
    half = float(ndtri((1 + confidence) / 2)) * spread
    return max(-1.0, middle - half), min(1.0, middle + half)
