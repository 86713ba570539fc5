"""The two-way layout units × cases: how far a mean may lie from the mean over both, were both drawn anew."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from jevbias.stats.arrays import BoolArray, FloatArray, IntArray
from jevbias.stats.student import two_sided_p, two_sided_quantile

SMALLEST_P = 1e-12
_FEWEST = 3
_HALVINGS = 40


@dataclass(frozen=True, eq=False)
class TwoWayLayout:
    """Columns over rows: the complete part of each row's layout, its mean and its mean squares.

    `units` and `cases` count what is complete; `between_units`, `between_cases` and `rest` are the mean
    squares with units - 1, cases - 1 and (units - 1)(cases - 1) degrees of freedom, NaN where there are none.
    """

    units: IntArray
    cases: IntArray
    mean: FloatArray
    between_units: FloatArray
    between_cases: FloatArray
    rest: FloatArray

    def half_width(self, confidence: float) -> FloatArray:
        """The half-width of the interval of the mean over both units and cases.

        half^2 = max(u^2 + c^2 - r^2, u^2, c^2), each a t half-width from one mean square. NaN with fewer than
        three units or cases. Such sums of two intervals follow Burdick and Graybill (1992), "Confidence
        intervals on variance components"; the maximum keeps what subtraction of the rest could undercut.
        """
        half = np.full(self.mean.shape, np.nan)
        rows = np.flatnonzero(self._enough)
        half[rows] = np.sqrt(self._squared_half_width(rows, np.full(rows.shape, 1.0 - confidence)))
        return half

    @cached_property
    def p_zero(self) -> FloatArray:
        """1 minus the confidence at which the interval of the mean just reaches zero, on (0, 1], never below
        `SMALLEST_P`; NaN where there is no interval.

        The half-width falls as p rises (r, with the most degrees of freedom, falls slowest of the three), so
        p is unique. No less than the p of either mean square alone, it is found by halving above the larger.
        """
        p = np.full(self.mean.shape, np.nan)
        rows = np.flatnonzero(self._enough)
        squared = np.square(self.mean[rows])
        low, high = np.full(rows.shape, SMALLEST_P), np.ones(rows.shape)
        for mean_square, lines in ((self.between_units, self.units), (self.between_cases, self.cases)):
            with np.errstate(divide="ignore", invalid="ignore"):
                t = self.mean[rows] / np.sqrt(mean_square[rows] / self._number[rows])
            degrees = lines[rows].astype(np.float64) - 1
            low = np.maximum(low, two_sided_p(np.where(squared > 0, t, 0.0), degrees))
        open_rows = np.flatnonzero(self._squared_half_width(rows, low) > squared)
        for _ in range(_HALVINGS):
            middle = np.sqrt(low[open_rows] * high[open_rows])
            reaches = self._squared_half_width(rows[open_rows], middle) > squared[open_rows]
            low[open_rows] = np.where(reaches, middle, low[open_rows])
            high[open_rows] = np.where(reaches, high[open_rows], middle)
        p[rows] = low
        return p

    @property
    def _enough(self) -> BoolArray:
        return (self.units >= _FEWEST) & (self.cases >= _FEWEST)

    @property
    def _number(self) -> IntArray:
        return self.units * self.cases

    def _squared_half_width(self, rows: IntArray, p: FloatArray) -> FloatArray:
        units, cases = (lines[rows].astype(np.float64) - 1 for lines in (self.units, self.cases))
        u, c, r = (
            np.square(two_sided_quantile(p, degrees)) * mean_square[rows] / self._number[rows]
            for mean_square, degrees in (
                (self.between_units, units),
                (self.between_cases, cases),
                (self.rest, units * cases),
            )
        )
        return np.maximum(u + c - r, np.maximum(u, c))


def two_way_layout(values: FloatArray) -> TwoWayLayout:
    """Mean squares of every row of `values` (rows, units, cases), NaN where something is missing.

    Of a row with gaps the units and cases that are complete count: the line (unit or case) with the largest
    share of gaps is left out until none is left, of equals the one that costs fewer values.
    """
    present = ~np.isnan(values)
    rows = len(values)
    units, cases = np.zeros(rows, dtype=np.int64), np.zeros(rows, dtype=np.int64)
    mean, between_units, between_cases, rest = (np.full(rows, np.nan) for _ in range(4))
    flat = present.reshape(rows, values.shape[1] * values.shape[2])
    patterns, which = np.unique(flat, axis=0, return_inverse=True)
    for number, pattern in enumerate(patterns.reshape(len(patterns), *values.shape[1:])):
        keep_units, keep_cases = _complete(pattern)
        chosen = np.flatnonzero(which.ravel() == number)
        units[chosen], cases[chosen] = keep_units.sum(), keep_cases.sum()
        if not (keep_units.any() and keep_cases.any()):
            continue
        block = values[np.ix_(chosen, keep_units, keep_cases)]
        mean[chosen] = block.mean(axis=(1, 2))
        between_units[chosen], between_cases[chosen], rest[chosen] = _mean_squares(block)
    return TwoWayLayout(units, cases, mean, between_units, between_cases, rest)


def _complete(present: BoolArray) -> tuple[BoolArray, BoolArray]:
    units, cases = np.ones(present.shape[0], dtype=bool), np.ones(present.shape[1], dtype=bool)
    # Lines without anything go first: they would make every other line incomplete.
    units &= present.any(axis=1)
    cases &= present.any(axis=0)
    while True:
        gaps = ~present & units[:, None] & cases[None, :]
        if not gaps.any():
            return units, cases
        left_units, left_cases = int(units.sum()), int(cases.sum())
        share_units, share_cases = gaps.sum(axis=1) / left_cases, gaps.sum(axis=0) / left_units
        unit, case = int(share_units.argmax()), int(share_cases.argmax())
        by_unit = (share_units[unit], -left_cases) >= (share_cases[case], -left_units)
        (units if by_unit else cases)[unit if by_unit else case] = False


def _mean_squares(block: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    _, units, cases = block.shape
    grand = block.mean(axis=(1, 2), keepdims=True)
    by_unit, by_case = block.mean(axis=2, keepdims=True) - grand, block.mean(axis=1, keepdims=True) - grand
    residual = block - grand - by_unit - by_case
    sums = (
        (cases * np.square(by_unit).sum(axis=(1, 2)), units - 1),
        (units * np.square(by_case).sum(axis=(1, 2)), cases - 1),
        (np.square(residual).sum(axis=(1, 2)), (units - 1) * (cases - 1)),
    )
    between_units, between_cases, rest = (
        total / degrees if degrees else np.full(len(block), np.nan) for total, degrees in sums
    )
    return between_units, between_cases, rest
