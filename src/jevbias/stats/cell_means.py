"""Means of the cells of a table, and contrasts between them, judged by the spread within all cells.

One cell of a table of two attributes holds a handful of people, far too few for a spread of its own. The
cells' common spread has the degrees of freedom of the whole table, and serves a cell of one person too.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from jevbias.stats.arrays import BoolArray, FloatArray, IntArray
from jevbias.stats.student import t_quantile, two_sided_p
from jevbias.stats.ties import TIE, snap_ties


@dataclass(frozen=True, eq=False)
class CellTable:
    """Cells, numbered from 0: how many people each has and their mean, (cells,), NaN for an empty cell.

    `sd` is the pooled SD of people within cells on `degrees_of_freedom` (people less cells that have some);
    None where none are left.
    """

    people: IntArray
    mean: FloatArray
    sd: float | None
    degrees_of_freedom: int

    @property
    def half_width(self) -> FloatArray:
        """Half the 95% interval of each mean, by t; NaN for an empty cell and where no cell has spread."""
        return self._t * self._error(1.0 / np.maximum(self.people, 1), self.people > 0)

    @property
    def _t(self) -> float:
        return t_quantile(0.975, self.degrees_of_freedom) if self.degrees_of_freedom > 0 else np.nan

    def _error(self, inverse_people: FloatArray, usable: BoolArray) -> FloatArray:
        sd = np.nan if self.sd is None or self.sd < TIE else self.sd
        return np.where(usable, sd * np.sqrt(inverse_people), np.nan)

    def contrasts(self, cells: IntArray, signs: FloatArray) -> CellContrasts:
        """Signed sums of cell means: `cells` (contrasts, terms) with `signs` (terms,).

        The estimate is NaN where a cell is empty. Where nobody differs within cells, p is 1 for a contrast
        of zero, else NaN.
        """
        people = self.people[cells]
        whole: BoolArray = np.all(people > 0, axis=1)
        estimate = snap_ties(self.mean[cells] @ signs)
        error = self._error((np.square(signs) / np.maximum(people, 1)).sum(axis=1), whole)
        p = np.full(estimate.shape, np.nan)
        if self.sd is not None and self.sd < TIE:
            p[estimate == 0.0] = 1.0
        elif self.sd is not None:
            p = two_sided_p(estimate / error, self.degrees_of_freedom)
        return CellContrasts(estimate, self._t * error, p)


@dataclass(frozen=True, eq=False)
class CellContrasts:
    """Columns over contrasts: the estimate, half of its 95% interval and its two-sided p by t."""

    estimate: FloatArray
    half_width: FloatArray
    p: FloatArray


def tabulate(values: FloatArray, cells: IntArray, number: int) -> CellTable:
    """The table of `values` (people,), without missing ones, in their `cells` (people,) of `number` cells."""
    people = np.bincount(cells, minlength=number)
    total = np.bincount(cells, weights=values, minlength=number)
    mean = np.divide(total, people, out=np.full(number, np.nan), where=people > 0)
    freedom = int(values.size - (people > 0).sum())
    squares = float(np.square(values - mean[cells]).sum())
    return CellTable(people, mean, float(np.sqrt(squares / freedom)) if freedom > 0 else None, freedom)
