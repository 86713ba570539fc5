"""Two yes/no outcomes per pair: is one side marked more often than the other?"""

from __future__ import annotations

import numpy as np
from scipy.special import bdtr

from jevbias.stats.arrays import FloatArray, IntArray


def mcnemar_exact(only_first: IntArray, only_second: IntArray) -> FloatArray:
    """The exact two-sided p of McNemar's test, element by element; shape (n,) to (n,), on (0, 1].

    The arguments count the pairs in which just the first or just the second is marked. Pairs are strata of
    their own: those in which both or neither is marked say nothing, and each of the others is as likely one
    as the other. Without any, p is 1. McNemar (1947), "Note on the sampling error of the difference between
    correlated proportions or percentages", in its binomial form.
    """
    fewer, either = np.minimum(only_first, only_second), only_first + only_second
    tail = np.asarray(bdtr(fewer.astype(np.float64), either, 0.5), dtype=np.float64)
    return np.minimum(2.0 * tail, 1.0)
