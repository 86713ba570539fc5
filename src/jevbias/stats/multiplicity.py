"""Many comparisons: the false discovery rate of a family."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


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
