"""Columns that lack the same rows: what a computation for many outcomes at once has to keep apart."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from jevbias.stats.arrays import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Pattern:
    """The columns (positions) whose known entries are in exactly these rows (positions)."""

    rows: IntArray
    columns: IntArray


def missing_patterns(values: FloatArray) -> Iterator[Pattern]:
    """Sort the columns of `values` (rows, columns; NaN for a missing entry) by the rows that they have."""
    known = ~np.isnan(values)
    alike: dict[bytes, list[int]] = {}
    for column, bits in enumerate(np.packbits(known, axis=0).T):
        alike.setdefault(bits.tobytes(), []).append(column)
    for columns in alike.values():
        yield Pattern(np.flatnonzero(known[:, columns[0]]), np.array(columns, dtype=np.int64))
