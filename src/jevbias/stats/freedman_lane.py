"""Permutation of residuals: is a contrast between small cells more than one odd person?

The t-test of a contrast trusts the people in its smallest cell to be normal. Here the residuals of the model
without the contrast are shuffled over everyone and the statistic is recomputed, so that a single far-off
person is judged by how often such people occur at all. Freedman and Lane (1983), "A nonstochastic
interpretation of reported significance levels"; Winkler et al. (2014), "Permutation inference for the
general linear model".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jevbias.stats.arrays import FloatArray, IntArray
from jevbias.stats.permutation import FEW_REACHED, MOST_SHUFFLES, SHUFFLES

_CHUNK = 1 << 20
_TIE = 1e-9


@dataclass(frozen=True, eq=False)
class CellContrast:
    """A contrast between cells: everyone's cell (people,) and the weight of every cell's mean (cells,)."""

    cells: IntArray
    weights: FloatArray


def freedman_lane_p(values: FloatArray, contrasts: Sequence[CellContrast], key: int) -> FloatArray:
    """Two-sided p of every contrast of cell means of `values` (people,).

    p = (1 + c) / (1 + N) over 20,000 shuffles, and over 200,000 where fewer than 10 of the first reach the
    observed size. Cells with a weight must have people, and people must differ within cells. `key` (below
    2**128) decides the shuffles, which all contrasts share.
    """
    if not contrasts:
        return np.zeros(0)
    shuffled = [_Shuffled(values, contrast) for contrast in contrasts]
    count = np.zeros(len(shuffled), dtype=np.int64)
    stream = np.random.Generator(np.random.Philox(key=key))
    for orders in _orders(values.size, SHUFFLES, stream):
        count += [each.reached(orders) for each in shuffled]
    p = (1 + count) / (1 + SHUFFLES)
    few = np.flatnonzero(count < FEW_REACHED)
    if few.size:
        for orders in _orders(values.size, MOST_SHUFFLES - SHUFFLES, stream):
            count[few] += [shuffled[place].reached(orders) for place in few]
        p[few] = (1 + count[few]) / (1 + MOST_SHUFFLES)
    return np.asarray(p)


class _Shuffled:
    """One contrast under shuffled residuals."""

    def __init__(self, values: FloatArray, contrast: CellContrast) -> None:
        present, cells = np.unique(contrast.cells, return_inverse=True)
        people = np.bincount(cells)
        weights = contrast.weights[present] / people
        means = np.bincount(cells, weights=values) / people
        direction = weights[cells]
        estimate = float(direction @ values)
        self.residuals = values - means[cells] + direction * (estimate / float(direction @ direction))
        self.total = float(np.square(self.residuals).sum())
        # A cell's sum divided by the root of its size: squares then add up to what the cells explain.
        self.scaled = (cells[:, None] == np.arange(people.size)) / np.sqrt(people)
        self.weights = weights * np.sqrt(people)
        self.threshold = self._statistic(self.residuals[None])[0] * (1.0 - _TIE)

    def reached(self, orders: NDArray[np.integer]) -> int:
        """In how many of the orders (shuffles, people) the statistic is at least as large as observed."""
        return int((self._statistic(self.residuals[orders]) >= self.threshold).sum())

    def _statistic(self, residuals: FloatArray) -> FloatArray:
        """A monotone function of |t|: the contrast's square over the squares within cells."""
        sums = residuals @ self.scaled
        within = np.maximum(self.total - np.square(sums).sum(axis=1), 1e-12 * self.total)
        return np.asarray(np.square(sums @ self.weights) / within)


def _orders(people: int, number: int, stream: np.random.Generator) -> Iterator[NDArray[np.integer]]:
    step = max(_CHUNK // people, 1)
    for start in range(0, number, step):
        unshuffled = np.broadcast_to(np.arange(people, dtype=np.int32), (min(step, number - start), people))
        yield stream.permuted(unshuffled, axis=1)
