"""How much independent evidence a number of rows holds."""

from __future__ import annotations

import numpy as np

from jevbias.stats.arrays import FloatArray


def effective_n(rows_per_lineage: FloatArray) -> FloatArray:
    """Kish's effective sample size, (sum w)^2 / sum w^2, over the last axis; 0 where there are no rows.

    `rows_per_lineage` counts the rows of each lineage (a base, a family of prompts): rows of one lineage
    repeat each other, so thirty clones of one base are worth exactly 1. Kish (1965), "Survey sampling".
    """
    total, squares = rows_per_lineage.sum(axis=-1), np.square(rows_per_lineage).sum(axis=-1)
    kish = np.divide(np.square(total), squares, out=np.zeros_like(total), where=squares > 0)
    return np.asarray(kish, dtype=np.float64)
