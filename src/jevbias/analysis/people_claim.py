"""Claim (b): the difference would hold for other people of the kind that the bases vary over.

The unit is the base. What its pairs add to delta is its contribution; the signs of whole bases are flipped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from jevbias.analysis.paired import Estimates
from jevbias.people.keyed import keyed_stream
from jevbias.stats.arrays import BoolArray, FloatArray, IntArray
from jevbias.stats.power import FEWEST_BASES
from jevbias.stats.sign_flips import (
    FlipPatterns,
    flip_patterns,
    random_bytes_needed,
    sign_flip_tests,
    smallest_p,
)
from jevbias.stats.ties import snap_ties

_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class PeopleClaim:
    """Columns over comparisons; NaN where nothing can be said.

    `contributions` (comparisons, bases) add up to delta, 0 where a base has no pair; `bases` counts those
    that have one. `sd` is the SD over bases, such that sd / sqrt(bases) is the error of delta. `p_floor` is
    the smallest p that the row's bases allow; `half_width` and `half_width_90` are of t intervals of delta.
    """

    contributions: FloatArray
    bases: IntArray
    sd: FloatArray
    p: FloatArray
    p_floor: FloatArray
    p_max_t: FloatArray
    half_width: FloatArray
    half_width_90: FloatArray


def claim_people(blocks: Sequence[Estimates], patterns: FlipPatterns, family: BoolArray) -> list[PeopleClaim]:
    """Test the comparisons of one family, block by block; `family` (comparisons,) marks those that the max-T
    adjustment is made over.
    """
    described = [_contributions(estimates) for estimates in blocks]
    if not described:
        return []
    stacked = np.concatenate([contributions for contributions, _ in described])
    tests = sign_flip_tests(stacked, patterns, np.tile(family, len(described)))
    p, p_max_t = (np.split(column, len(described)) for column in (tests.p, tests.p_max_t))
    return [
        _claim(estimates, contributions, bases, p[place], p_max_t[place])
        for place, (estimates, (contributions, bases)) in enumerate(zip(blocks, described, strict=True))
    ]


def base_patterns(bases: int, seed: int) -> FlipPatterns:
    """The sign patterns of a run: its own for every seed where they are random."""
    needed = random_bytes_needed(bases)
    return flip_patterns(bases, keyed_stream(needed, seed, "sign flips", bases) if needed else None)


def _contributions(estimates: Estimates) -> tuple[FloatArray, IntArray]:
    weighted = np.where(estimates.weight > 0, estimates.weight * estimates.difference, 0.0)
    contributions = np.where(np.isnan(estimates.delta)[:, None], np.nan, snap_ties(weighted.sum(axis=2)))
    return contributions, (estimates.weight > 0).any(axis=2).sum(axis=1)


def _claim(
    estimates: Estimates, contributions: FloatArray, bases: IntArray, p: FloatArray, p_max_t: FloatArray
) -> PeopleClaim:
    """The error of delta is that of a weighted mean of bases whose spread is not assumed to be equal, each
    squared residual stretched by what its own weight takes out of it: MacKinnon and White (1985), "Some
    heteroskedasticity-consistent covariance matrix estimators", HC2. With equal weights it is the usual one.
    Unequal weights, which only missing pairs make, count as so many equal ones (Kish 1965).
    """
    weight = estimates.weight.sum(axis=2)
    squares = np.square(weight).sum(axis=1)
    worth = np.divide(1.0, squares, out=np.zeros(squares.shape), where=squares > 0)
    enough = (bases >= FEWEST_BASES) & (worth >= FEWEST_BASES - _ROUNDING)
    residual = np.where(weight > 0, contributions - weight * estimates.delta[:, None], 0.0)
    stretched = np.divide(
        np.square(residual), 1.0 - weight, out=np.zeros_like(residual), where=weight < 1.0 - _ROUNDING
    )
    error = np.where(enough, snap_ties(np.sqrt(stretched.sum(axis=1))), np.nan)
    degrees = np.where(enough, worth - 1.0, np.nan)
    half, half_90 = (error * np.asarray(stdtrit(degrees, quantile)) for quantile in (0.975, 0.95))
    floor = np.array([np.nan, *(smallest_p(number) for number in range(1, int(bases.max(initial=0)) + 1))])
    return PeopleClaim(
        contributions=contributions,
        bases=bases,
        sd=error * np.sqrt(bases),
        # Random patterns of a larger run can only estimate the p of a row with few bases.
        p=np.maximum(p, floor[bases]),
        p_floor=floor[bases],
        p_max_t=np.maximum(p_max_t, floor[bases]),
        half_width=half,
        half_width_90=half_90,
    )
