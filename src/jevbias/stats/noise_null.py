"""What noise alone does to a mean of differences: its exact distribution, without a resampling floor.

A difference is a weighted sum of answers, each its expectation plus a deviation drawn independently from a
pool. `NoiseNulls.null` computes the distribution of such a sum: every pool is laid on a lattice, the
probability functions are multiplied as Fourier transforms, and tails are read off the inverse. The lattice
is a 256th of the SD or finer; splitting a deviation between its two neighbours adds a variance, which is
taken out again by scaling. A sum that stays lumpy (few draws, pools with few distinct values) is laid on a
finer lattice and its atoms are counted whole. Tail probabilities of smooth sums are right to 0.1% of
themselves down to 1e-4, to 5% down to 1e-8 and to 20% down to 1e-10.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jevbias.stats.arrays import FloatArray
from jevbias.stats.pools import Pool

ComplexArray = NDArray[np.complex128]

RESOLUTION = 1e-13
"""The smallest tail probability that the arithmetic can tell from zero."""
_STEPS_PER_SD, _LUMPY_STEPS_PER_SD, _FEW_DRAWS_STEPS_PER_SD = 256, 2048, 16384
_FEW_DRAWS = 24
_MOST_POINTS = 1 << 18
_LUMPY = 0.01
"""The share of a sum's structure at 2 to 128 lattice steps (a 128th to half of the SD) above which it is
laid on a finer lattice. Atoms closer than that cannot be told from a density."""
_SMOOTH_STEPS = 64


@dataclass(frozen=True)
class Draws:
    """`count` independent draws from a pool, each multiplied by `coefficient`."""

    pool: Pool
    coefficient: float
    count: int


@dataclass(frozen=True, eq=False)
class NoiseNull:
    """The distribution of |X| for a weighted sum X of draws. `sd` is the SD of X.

    `edges` (ascending, from 0) and `tails` (P(|X| >= edge)) describe it between lattice points. `step` is
    the lattice's and `smear` the width over which an atom may be spread (0 for a smooth sum), both in the
    units of X.
    """

    sd: float
    step: float
    smear: float
    edges: FloatArray
    tails: FloatArray

    def two_sided_p(self, sizes: FloatArray) -> FloatArray:
        """P(|X| >= size) for each of the sizes (>= 0), ties included; never below `RESOLUTION`."""
        p = self._tail(sizes)
        if self.smear > 0:
            p = np.maximum(p, self._tail(sizes - self.smear) - self.smear * self._density_beside(sizes))
        return np.clip(p, RESOLUTION, 1.0)

    def absolute_quantile(self, probability: float) -> float:
        """The size that |X| stays below with this probability."""
        return float(np.interp(probability - 1.0, -self.tails, self.edges))

    def _density_beside(self, sizes: FloatArray) -> FloatArray:
        """The density around the sizes, what lies within the smear of them left out."""
        width = _SMOOTH_STEPS * self.step
        inner = np.maximum(sizes - self.smear, 0.0)
        far = np.maximum(inner - width, 0.0)
        outer = sizes + self.smear
        beside = self._tail(far) - self._tail(inner) + self._tail(outer) - self._tail(outer + width)
        return np.asarray(beside / (inner - far + width), dtype=np.float64)

    def _tail(self, sizes: FloatArray) -> FloatArray:
        return np.interp(sizes, self.edges, self.tails, left=1.0, right=0.0)


class NoiseNulls:
    """Computes nulls and keeps the transforms of their pools: make one for comparisons that share pools."""

    def __init__(self) -> None:
        self._pools: dict[int, Pool] = {}
        self._transforms: dict[tuple[int, float, float, int], ComplexArray] = {}
        self._powers: dict[tuple[int, float, int, float, int], ComplexArray] = {}

    def null(self, draws: Sequence[Draws]) -> NoiseNull | None:
        """The distribution of the sum of all draws; None when it has no spread (or nothing is drawn)."""
        variance = sum(d.count * d.coefficient**2 * d.pool.variance for d in draws)
        if not variance > 0:
            return None
        sd, smear = math.sqrt(variance), 0.0
        step, transform = self._transform(draws, sd, _STEPS_PER_SD)
        if np.abs(transform[transform.size // 64 :]).max() > _LUMPY:
            number = sum(d.count for d in draws)
            fine = _FEW_DRAWS_STEPS_PER_SD if number <= _FEW_DRAWS else _LUMPY_STEPS_PER_SD
            step, transform = self._transform(draws, sd, fine)
            smear = (2.0 + 3.0 * math.sqrt(number / 6.0)) * step
        return _fold(transform, sd, step, smear)

    def _transform(self, draws: Sequence[Draws], sd: float, steps_per_sd: int) -> tuple[float, ComplexArray]:
        """The lattice step and the Fourier transform of the sum's probability function.

        Steps are powers of 2**(1/4), so that sums of similar spread share the transforms of their pools.
        """
        width = 2.0 * _support(draws, sd)
        finest = max(sd / steps_per_sd, width / _MOST_POINTS)
        step = 2.0 ** (math.floor(4.0 * math.log2(finest)) / 4.0)
        points = _transform_size(width / step + 4.0)
        product = np.ones(points // 2 + 1, dtype=np.complex128)
        for draw in draws:
            product *= self._power(draw, step, points)
        return step, product

    def _power(self, draw: Draws, step: float, points: int) -> ComplexArray:
        pool, coefficient = draw.pool, draw.coefficient
        self._pools[id(pool)] = pool  # an id is only as good as its object's life
        key = (id(pool), coefficient, draw.count, step, points)
        if key not in self._powers:
            single = (id(pool), coefficient, step, points)
            if single not in self._transforms:
                masses = _lattice(pool.deviations * (coefficient / step), points)
                self._transforms[single] = np.fft.rfft(masses)
            self._powers[key] = _integer_power(self._transforms[single], draw.count)
        return self._powers[key]


def _fold(transform: ComplexArray, sd: float, step: float, smear: float) -> NoiseNull:
    half = transform.size - 1
    masses = np.fft.irfft(transform, 2 * half)
    folded = masses[: half + 1].copy()
    folded[1:half] += masses[:half:-1]
    variance = float(np.sum(folded * np.square(np.arange(half + 1) * step)))
    scale = sd / math.sqrt(variance)
    tails = np.clip(np.cumsum(folded[::-1])[::-1], 0.0, 1.0)
    tails[0] = 1.0
    edges = np.maximum(np.arange(half + 1) - 0.5, 0.0) * (step * scale)
    return NoiseNull(sd, step * scale, smear * scale, edges, np.minimum.accumulate(tails))


def _lattice(positions: FloatArray, points: int) -> FloatArray:
    """The probability function of a pool on a ring of lattice points, each value split between two."""
    below = np.floor(positions)
    share = positions - below
    index = below.astype(np.int64)
    masses = np.bincount(index % points, weights=1.0 - share, minlength=points)
    masses += np.bincount((index + 1) % points, weights=share, minlength=points)
    return np.asarray(masses / positions.size, dtype=np.float64)


def _integer_power(values: ComplexArray, exponent: int) -> ComplexArray:
    result: ComplexArray | None = None
    while True:
        if exponent & 1:
            result = values if result is None else result * values
        exponent >>= 1
        if not exponent:
            return np.ones_like(values) if result is None else result
        values = values * values


def _support(draws: Sequence[Draws], sd: float) -> float:
    """A distance that |X| exceeds with a probability below 1e-14, or never.

    Bennett (1962), "Probability inequalities for the sum of independent random variables".
    """
    largest = [abs(d.coefficient) * d.pool.extreme for d in draws]
    support = sum(d.count * extreme for d, extreme in zip(draws, largest, strict=True))
    extreme = max(largest)
    target = math.log(2e14) * (extreme / sd) ** 2
    low, high = 0.0, 4.0 + 2.0 * target
    for _ in range(60):
        middle = 0.5 * (low + high)
        if (1.0 + middle) * math.log1p(middle) - middle < target:
            low = middle
        else:
            high = middle
    return min(support, high * sd * sd / extreme)


def _transform_size(least: float) -> int:
    """An even number of points, at least this many, that a fast Fourier transform likes."""
    exponent = max(math.ceil(math.log2(least / 7.0)), 4)
    return min(size for factor in (4, 5, 6, 7) if (size := factor << exponent) >= least)
