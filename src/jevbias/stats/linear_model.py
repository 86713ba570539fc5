"""Ordinary least squares for many outcomes on one design, with classical errors.

What the design cannot tell apart gets no estimate, whichever column stands first: a coefficient is
estimable when no other vector of coefficients gives the same fit (Searle, 1971, "Linear models").
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from jevbias.stats.arrays import FloatArray, IntArray
from jevbias.stats.patterns import missing_patterns
from jevbias.stats.student import two_sided_p
from jevbias.stats.ties import TIE

_SINGULAR = 1e-10
"""The share of the largest singular value below which another one counts as zero."""
_IN_NULL_SPACE = 1e-7


@dataclass(frozen=True, eq=False)
class LinearFit:
    """Coefficients, their classical standard errors and two-sided p by t; each (columns, outcomes).

    NaN where a coefficient cannot be estimated. Errors and p are NaN, too, where no degrees of freedom are
    left; where the fit is perfect, p is 1 for a coefficient of zero and NaN for any other. `rank` and
    `degrees_of_freedom` (people less rank) are (outcomes,).
    """

    coefficients: FloatArray
    errors: FloatArray
    p: FloatArray
    rank: IntArray
    degrees_of_freedom: IntArray


def fit_linear_models(design: FloatArray, outcomes: FloatArray) -> LinearFit:
    """Regress every column of `outcomes` (people, outcomes) on `design` (people, columns).

    An outcome is fitted to the people who have it (NaN: missing). The design holds its own intercept.
    """
    shape = (design.shape[1], outcomes.shape[1])
    coefficients, errors, p = np.full((3, *shape), np.nan)
    rank, left = np.zeros((2, shape[1]), dtype=np.int64)
    for pattern in missing_patterns(outcomes):
        part = _fit(design[pattern.rows], outcomes[np.ix_(pattern.rows, pattern.columns)])
        coefficients[:, pattern.columns] = part.coefficients
        errors[:, pattern.columns] = part.errors
        p[:, pattern.columns] = part.p
        rank[pattern.columns], left[pattern.columns] = part.rank, part.degrees_of_freedom
    return LinearFit(coefficients, errors, p, rank, left)


def _fit(design: FloatArray, outcomes: FloatArray) -> LinearFit:
    people, columns = design.shape
    left_vectors, singular, right_vectors = np.linalg.svd(design, full_matrices=False)
    rank = int((singular > _SINGULAR * singular.max(initial=0.0)).sum())
    scaled = right_vectors[:rank].T / singular[:rank]
    projected = left_vectors[:, :rank].T @ outcomes
    # The rows of the inverse that leave the space of the design are what cannot be estimated.
    outside = 1.0 - np.square(right_vectors[:rank]).sum(axis=0)
    estimable = (outside < _IN_NULL_SPACE)[:, None] & np.ones(outcomes.shape[1], dtype=bool)
    coefficients = np.where(estimable, scaled @ projected, np.nan)
    freedom = people - rank
    errors, p = np.full((2, columns, outcomes.shape[1]), np.nan)
    if freedom > 0:
        residuals = outcomes - left_vectors[:, :rank] @ projected
        perfect = np.abs(residuals).max(axis=0, initial=0.0) < TIE
        variance = np.where(perfect, 0.0, np.square(residuals).sum(axis=0) / freedom)
        errors = np.where(estimable, np.sqrt(np.outer(np.square(scaled).sum(axis=1), variance)), np.nan)
        t = np.divide(coefficients, errors, out=np.full(errors.shape, np.nan), where=errors > 0)
        p = two_sided_p(t, freedom)
        p[:, perfect] = np.where(np.abs(coefficients[:, perfect]) < TIE, 1.0, np.nan)
    whole = np.ones(outcomes.shape[1], dtype=np.int64)
    return LinearFit(coefficients, errors, p, rank * whole, freedom * whole)
