"""How close a layout of people over attributes is to perfectly crossed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import sqrt

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class LayoutQuality:
    """Lower is better in each; all are 0 where every pair of attributes is perfectly crossed.

    `imbalance` is the sum, over pairs of attributes, of the squared departures of the joint counts from
    n / (a * b), the count of a perfectly crossed pair of a and b levels. `worst_pair` is the largest, over
    pairs, of the root-mean-square cell error divided by that expected count. `empty_pairs` is the number of
    pairs of levels of two attributes that nobody has.
    """

    imbalance: float
    worst_pair: float
    empty_pairs: int


def layout_quality(array: NDArray[np.integer], level_counts: Sequence[int]) -> LayoutQuality:
    """Measure a layout: `array` has shape (people, attributes), with levels numbered from 0."""
    people = array.shape[0]
    columns = array.T.astype(np.int64)
    imbalance, worst_pair, empty_pairs = 0.0, 0.0, 0
    for one, other in combinations(range(len(level_counts)), 2):
        cells = level_counts[one] * level_counts[other]
        joint = np.bincount(columns[one] * level_counts[other] + columns[other], minlength=cells)
        departures = float(((joint * cells - people) ** 2).sum()) / cells**2
        imbalance += departures
        worst_pair = max(worst_pair, sqrt(departures * cells) / people if people else 0.0)
        empty_pairs += int((joint == 0).sum())
    return LayoutQuality(imbalance, worst_pair, empty_pairs)
