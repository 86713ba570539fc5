"""Pools of noise: how far answers to identical requests differ."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from jevbias.stats.arrays import FloatArray, IntArray
from jevbias.stats.ties import TIE

FEWEST_DEGREES = 8
"""Pools with fewer degrees of freedom give no p, and no model is called exact on fewer."""
_ROUNDING_SHAPE = (np.arange(200) - 99.5) / 100


@dataclass(frozen=True, eq=False)
class Pool:
    """Deviations of repeated answers from the mean of their cell.

    `deviations` (one per repeated answer) have mean 0 and are stretched by sqrt(n / (n - 1)), n being the
    size of their cell, so that their spread is that of single answers. `sd` is the pooled SD
    sqrt(sum (n-1) s^2 / sum (n-1)) and `mean_sd` the mean of the cells' own s; both None without repeats.
    """

    deviations: FloatArray
    sd: float | None
    mean_sd: float | None
    cells: int
    degrees_of_freedom: int

    @cached_property
    def variance(self) -> float:
        """The variance of one draw from the pool; 0 for an empty pool."""
        return float(np.mean(np.square(self.deviations))) if self.deviations.size else 0.0

    @cached_property
    def extreme(self) -> float:
        """The largest deviation, in absolute value; 0 for an empty pool."""
        return float(np.abs(self.deviations).max(initial=0.0))

    def at_least(self, floor: float) -> Pool:
        """The pool, stretched to this SD where its own (`sd`) is smaller; draws never shrink.

        A pool without any spread becomes the distribution of a rounding error: even over an interval.
        """
        if self.sd is None or self.sd >= floor:
            return self
        if self.sd > 0:
            return replace(self, deviations=self.deviations * (floor / self.sd), sd=floor)
        scale = floor / math.sqrt(float(np.mean(np.square(_ROUNDING_SHAPE))))
        return replace(self, deviations=_ROUNDING_SHAPE * scale, sd=floor)


def pool_cells(values: FloatArray, cells: IntArray) -> Pool:
    """The pool of answers `values` (n,) that fall into the cells `cells` (n,), numbered from 0.

    Cells with one answer say nothing about noise and are left out. Differences below 1e-9 are ties.
    """
    sizes = np.bincount(cells) if cells.size else np.zeros(0, dtype=np.int64)
    repeated = sizes[cells] >= 2 if cells.size else np.zeros(0, dtype=bool)
    if not repeated.any():
        return Pool(np.zeros(0), None, None, 0, 0)
    values, numbered = values[repeated], np.unique(cells[repeated], return_inverse=True)[1]
    sizes = np.bincount(numbered)
    centred = values - (np.bincount(numbered, weights=values) / sizes)[numbered]
    centred[np.abs(centred) < TIE] = 0.0
    squares = np.bincount(numbered, weights=np.square(centred))
    degrees = int((sizes - 1).sum())
    return Pool(
        deviations=centred * np.sqrt(sizes / (sizes - 1))[numbered],
        sd=math.sqrt(float(squares.sum()) / degrees),
        mean_sd=float(np.mean(np.sqrt(squares / (sizes - 1)))),
        cells=int(sizes.size),
        degrees_of_freedom=degrees,
    )


def joint_sd(pools: Sequence[Pool]) -> float | None:
    """The pooled SD of several pools together; None without repeats."""
    degrees = sum(pool.degrees_of_freedom for pool in pools)
    squares = sum(pool.sd**2 * pool.degrees_of_freedom for pool in pools if pool.sd is not None)
    return math.sqrt(squares / degrees) if degrees else None


def joint_mean_sd(pools: Sequence[Pool]) -> float | None:
    """The mean within-cell SD over the cells of several pools; None without repeats."""
    cells = sum(pool.cells for pool in pools)
    total = sum(pool.mean_sd * pool.cells for pool in pools if pool.mean_sd is not None)
    return total / cells if cells else None
