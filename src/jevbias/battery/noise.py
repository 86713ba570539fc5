"""How far repeats of one reply's score differ."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from jevbias.report.battery import BatteryNoise
from jevbias.stats.arrays import FloatArray
from jevbias.stats.ties import TIE


@dataclass(frozen=True)
class PooledNoise:
    """The pooled SD of single scores within replies; `variance` is None without repeats."""

    variance: float | None
    cells: int
    degrees_of_freedom: int
    exact: bool

    def of_differences(self, repeats: FloatArray) -> float | None:
        """The SD that noise alone gives differences of pairs whose sides were scored so often: (pairs, 2)."""
        if self.variance is None or not len(repeats):
            return None
        return float(np.sqrt(self.variance * (1 / repeats).sum(axis=1).mean()))

    @property
    def in_report(self) -> BatteryNoise:
        """The same for a report."""
        sd = None if self.variance is None else float(np.sqrt(self.variance))
        return BatteryNoise(
            sd=sd, cells=self.cells, degrees_of_freedom=self.degrees_of_freedom, exact=self.exact
        )


def pooled_noise(replies: Iterable[Sequence[float]]) -> PooledNoise:
    """Pool the repeats of each reply."""
    squares, cells, freedom, largest = 0.0, 0, 0, 0.0
    for values in replies:
        largest = max(largest, max(map(abs, values), default=0.0))
        if len(values) > 1:
            own = np.asarray(values, dtype=np.float64)
            squares += float(np.square(own - own.mean()).sum())
            cells, freedom = cells + 1, freedom + len(values) - 1
    if not freedom:
        return PooledNoise(None, 0, 0, exact=False)
    exact = squares <= freedom * (TIE * largest) ** 2
    return PooledNoise(0.0 if exact else squares / freedom, cells, freedom, exact)
