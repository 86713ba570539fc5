"""Regression within cells: does a value follow a covariate among repeats of the same ask?"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from jevbias.stats.arrays import FloatArray, IntArray
from jevbias.stats.student import t_quantile, two_sided_p
from jevbias.stats.ties import TIE


@dataclass(frozen=True)
class WithinSlope:
    """The change of a value per unit of the covariate, with its standard error, from `values` in `cells`."""

    slope: float
    standard_error: float
    values: int
    cells: int

    @property
    def degrees_of_freedom(self) -> int:
        """Values less a mean for every cell and less the slope."""
        return self.values - self.cells - 1

    @property
    def varies(self) -> bool:
        """Whether anything differs within a cell; otherwise there is nothing to test."""
        return self.slope != 0.0 or self.standard_error > 0.0

    @property
    def p(self) -> float | None:
        """Two-sided p of Student's t; None where nothing varies or no degree of freedom is left."""
        if not self.varies or self.degrees_of_freedom < 1:
            return None
        t = abs(self.slope) / self.standard_error if self.standard_error > 0 else math.inf
        return float(two_sided_p(np.array(t), self.degrees_of_freedom))

    def interval(self, confidence: float = 0.95) -> tuple[float, float] | None:
        """The slope's interval by Student's t; None where there is no p."""
        if not self.varies or self.degrees_of_freedom < 1:
            return None
        half = t_quantile(0.5 + confidence / 2.0, self.degrees_of_freedom) * self.standard_error
        return self.slope - half, self.slope + half


def within_slope(values: FloatArray, covariate: FloatArray, cells: IntArray) -> WithinSlope | None:
    """Least squares of `values` on `covariate`, both (n,), with a mean of its own for every cell.

    `cells` (n,) numbers the cells. Those with a single value say nothing and are left out. None where the
    covariate does not vary within any cell. Mundlak (1978), "On the pooling of time series and cross section
    data": the within estimator, which is least squares with an indicator for every cell.
    """
    if not cells.size:
        return None
    repeated = np.bincount(cells)[cells] >= 2
    numbered = np.unique(cells[repeated], return_inverse=True)[1].ravel()
    sizes = np.bincount(numbered)
    y, x = (_centred(column[repeated], numbered, sizes) for column in (values, covariate))
    y[np.abs(y) < TIE] = 0.0
    squares = float(x @ x)
    if squares <= 0.0 or not np.any(np.abs(x) > TIE):
        return None
    slope = float(x @ y) / squares
    residual = float(np.square(y - slope * x).sum())
    freedom = y.size - sizes.size - 1
    error = math.sqrt(residual / freedom / squares) if freedom > 0 else 0.0
    return WithinSlope(slope, error, int(y.size), int(sizes.size))


def _centred(column: FloatArray, cells: IntArray, sizes: IntArray) -> FloatArray:
    return column - (np.bincount(cells, weights=column) / sizes)[cells]
