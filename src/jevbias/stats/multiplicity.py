"""Many comparisons: the false discovery rate of a family, and the chance of any false rejection."""

from __future__ import annotations

import numpy as np

from jevbias.stats.arrays import FloatArray


def benjamini_hochberg(p: FloatArray) -> FloatArray:
    """Adjusted p-values (q) of one family, in the order given; shape (n,) to (n,), on [0, 1].

    A member without a p (NaN) leaves the family: it counts for nobody and its q is NaN. Rejecting every
    q < alpha keeps the expected share of false rejections at most alpha for independent or positively
    dependent tests (Benjamini and Hochberg, 1995, "Controlling the false discovery rate").
    """
    q = np.full(p.shape, np.nan)
    tested = np.flatnonzero(~np.isnan(p))
    if tested.size == 0:
        return q
    order = tested[np.argsort(p[tested], kind="stable")]
    scaled = p[order] * (tested.size / np.arange(1, tested.size + 1))
    q[order] = np.minimum(np.minimum.accumulate(scaled[::-1])[::-1], 1.0)
    return q


def holm(p: FloatArray) -> FloatArray:
    """Adjusted p-values of tests declared in advance, in the order given; shape (n,) to (n,), on [0, 1].

    A test without a p (NaN) has no adjusted p, but it was declared and counts as one that did not come out.
    Rejecting every adjusted p < alpha keeps the chance of any false rejection at most alpha, however the
    tests depend on each other (Holm, 1979, "A simple sequentially rejective multiple test procedure").
    """
    adjusted = np.full(p.shape, np.nan)
    order = np.argsort(np.where(np.isnan(p), np.inf, p), kind="stable")[: (~np.isnan(p)).sum()]
    scaled = p[order] * np.arange(p.size, p.size - order.size, -1)
    adjusted[order] = np.minimum(np.maximum.accumulate(scaled), 1.0)
    return adjusted
