"""Is one group of repeats noisier than another? A ratio of pooled SDs with its interval."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from jevbias.stats.arrays import FloatArray, IntArray
from jevbias.stats.student import t_quantile
from jevbias.stats.ties import TIE

FEWEST_CELLS = 3


@dataclass(frozen=True, eq=False)
class CellSpreads:
    """Repeats cell by cell: `squares` are sums of squared deviations, `degrees` the repeats less one."""

    squares: FloatArray
    degrees: IntArray

    @classmethod
    def joined(cls, groups: Sequence[CellSpreads]) -> CellSpreads:
        """The cells of several groups together."""
        squares = np.concatenate([np.zeros(0), *(group.squares for group in groups)])
        degrees = np.concatenate([np.zeros(0, np.int64), *(group.degrees for group in groups)])
        return cls(squares, degrees)

    @property
    def cells(self) -> int:
        """The number of cells that were answered more than once."""
        return int(self.squares.size)

    @property
    def sd(self) -> float | None:
        """The pooled SD; None without repeats."""
        return math.sqrt(float(self.squares.sum() / self.degrees.sum())) if self.cells else None


@dataclass(frozen=True)
class SpreadRatio:
    """The SD of the first group over that of the second, with its 95% interval."""

    ratio: float
    interval: tuple[float, float]


def cell_spreads(values: FloatArray, cells: IntArray) -> CellSpreads:
    """The spread of `values` (n,) within the cells that `cells` (n,) numbers; single values say nothing."""
    if not cells.size:
        return CellSpreads(np.zeros(0), np.zeros(0, dtype=np.int64))
    numbered = np.unique(cells, return_inverse=True)[1].ravel()
    sizes = np.bincount(numbered)
    centred = values - (np.bincount(numbered, weights=values) / sizes)[numbered]
    centred[np.abs(centred) < TIE] = 0.0
    squares = np.bincount(numbered, weights=np.square(centred)).astype(np.float64)
    return CellSpreads(squares[sizes >= 2], sizes[sizes >= 2] - 1)


def spread_ratio(first: CellSpreads, second: CellSpreads) -> SpreadRatio | None:
    """Compare two groups of cells; None with fewer than 3 cells in either, or where one has no spread.

    The interval is that of the log ratio, its variance a delete-one-cell jackknife in each group, which takes
    no shape of the noise for granted and lets it differ from cell to cell (Tukey 1958, "Bias and confidence
    in not-quite large samples"; Efron and Stein 1981, "The jackknife estimate of variance"), with t at the
    degrees of freedom of Welch (1947).
    """
    if min(first.cells, second.cells) < FEWEST_CELLS:
        return None
    logs, variances = [], []
    for group in (first, second):
        squares, degrees = group.squares.sum(), group.degrees.sum()
        left = (squares - group.squares) / (degrees - group.degrees)
        if np.any(left <= TIE**2):
            return None
        without = 0.5 * np.log(left)
        logs.append(0.5 * math.log(squares / degrees))
        n = group.cells
        variances.append(float((n - 1) / n * np.square(without - without.mean()).sum()))
    variance = sum(variances)
    weights = sum(v**2 / (g.cells - 1) for v, g in zip(variances, (first, second), strict=True))
    freedom = variance**2 / weights if weights > 0 else first.cells + second.cells - 2
    half = t_quantile(0.975, freedom) * math.sqrt(variance)
    log_ratio = logs[0] - logs[1]
    return SpreadRatio(math.exp(log_ratio), (math.exp(log_ratio - half), math.exp(log_ratio + half)))
