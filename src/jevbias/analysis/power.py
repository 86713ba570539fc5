"""The spreads that power rests on: how far answers, people and cases differ, as one run measured them."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from jevbias.analysis.comparisons import Block
from jevbias.analysis.pairs import Pairs
from jevbias.report.noise import NoiseFloor
from jevbias.report.power import PowerBasis
from jevbias.stats.arrays import FloatArray
from jevbias.stats.ties import TIE


def measured_spreads(floor: NoiseFloor, pairs: Pairs, pooled: Block) -> PowerBasis:
    """The spreads of a run, from its noise floor and its visible pooled comparisons, placebos apart.

    A difference d(b, s) is the swap's mean effect, what it does in the scenario, what it does to the base
    (SD `base_sd`), what is left (`rest_sd`) and noise of a known variance v. Over B bases and S scenarios the
    mean squares of the two-way layout then have the expectations rest_sd^2 + v + S base_sd^2 (bases) and
    rest_sd^2 + v (the rest), which are solved after averaging over comparisons, each counted by its degrees
    of freedom. Searle, Casella and McCulloch (1992), "Variance components", chapter 4.
    """
    layout = pooled.general
    rest = base = None
    rows = 0
    if layout is not None:
        noise = _noise_variance(pooled)
        known = pairs.visible & ~pairs.placebo & (layout.units >= 2) & (layout.cases >= 2)
        known &= ~np.isnan(noise)
        rows = int(known.sum())
        if rows:
            units, cases = layout.units[known], layout.cases[known]
            rest_squares, base_squares = layout.rest[known], layout.between_units[known]
            rest = _root_mean(rest_squares - noise[known], (units - 1) * (cases - 1))
            base = _root_mean((base_squares - rest_squares) / cases, units - 1)
    return PowerBasis(
        answer_sd=floor.answer_sd, probe_sd=floor.probe_sd, base_sd=base, rest_sd=rest, rows=rows
    )


def _noise_variance(pooled: Block) -> FloatArray:
    """The mean variance that noise gives d(b, s), per comparison; NaN where noise was not measured.

    The standard error of the noise null is that of the weighted mean of the differences.
    """
    squares = np.square(pooled.estimates.weight).sum(axis=(1, 2))
    error = pooled.claim.standard_error
    measured = np.divide(np.square(error), squares, out=np.full(squares.shape, np.nan), where=squares > 0)
    still = np.array([reason in ("exact", "no spread") for reason in pooled.claim.untested], dtype=bool)
    return np.where(still, 0.0, measured)


def _root_mean(variances: FloatArray, weights: NDArray[np.int64]) -> float:
    variance = float(np.average(variances, weights=weights))
    return math.sqrt(variance) if variance > TIE**2 else 0.0
