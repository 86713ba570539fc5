"""Tests that share anchors: what counts of them look like when nothing is there.

Swaps of one base are all compared with the same anchor, and one probe answers several questions, so their
tests move together and counts of small p-values vary more than a binomial says. The design is simulated
instead: an anchor's noise is drawn once and enters every row that subtracts it, a swap's own noise once per
row, and the SDs that the tests are judged by are estimated anew in every simulated run.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jevbias.stats.arrays import FloatArray, IntArray

SingleArray = NDArray[np.float32]

RUNS = 399
"""Simulated runs; with 399, the central 95% lies between the 10th smallest and the 10th largest count."""
LEVELS = np.arange(1, 10) / 10
"""Where the distribution of p-values is held against a uniform one."""
_MOST_IN_A_BYTE = 255
_SMALLEST_ROOT = 0.05
"""Keeps the cube root's approximation above zero; it does not come so low from 8 degrees of freedom on."""
_TIE = 1e-9


@dataclass(frozen=True, eq=False)
class SharedAnchors:
    """Rows that subtract the same anchors, on the questions of one probe (or one score).

    `own` (questions, rows) is the SD of what a swap's answers add to a row's difference, `shared`
    (questions, rows, anchors) what one standard deviation of an anchor's mean adds, and `correlation`
    (questions, questions) that of the noise of one probe's answers.
    """

    own: FloatArray
    shared: FloatArray
    correlation: FloatArray

    def draw(self, generator: np.random.Generator, runs: int = RUNS) -> SingleArray:
        """Sizes of the differences in simulated runs where no swap matters, (questions, rows, runs)."""
        questions, rows, anchors = self.shared.shape
        root = _square_root(self.correlation).astype(np.float32)
        noise = _correlated(generator, root, rows * runs).reshape(questions, rows, runs)
        noise *= self.own.astype(np.float32)[:, :, None]
        anchor_noise = _correlated(generator, root, anchors * runs).reshape(questions, anchors, runs)
        noise += self.shared.astype(np.float32) @ anchor_noise
        return np.abs(noise, out=noise)


def estimated_sd(
    sd: FloatArray, degrees_of_freedom: FloatArray, correlation: FloatArray, generator: np.random.Generator
) -> FloatArray:
    """The SDs (questions,) as simulated runs would estimate them, (questions, runs).

    Estimates of correlated answers correlate, by the square of the answers' correlation. Chi-square by its
    cube root: Wilson and Hilferty (1931), "The distribution of chi-square".
    """
    root = _square_root(np.square(correlation))
    normal = root @ generator.standard_normal((sd.size, RUNS))
    spread = (2.0 / (9.0 * degrees_of_freedom))[:, None]
    relative = np.maximum(1.0 - spread + normal * np.sqrt(spread), _SMALLEST_ROOT) ** 3
    return np.asarray(sd[:, None] * np.sqrt(relative), dtype=np.float64)


def count_reaching(sizes: SingleArray, critical: FloatArray) -> IntArray:
    """How many rows of `sizes` (rows, runs) reach their critical value (levels, rows): (levels, runs)."""
    single = critical.astype(np.float32)
    counts = np.zeros((len(single), sizes.shape[1]), dtype=np.int64)
    for start in range(0, len(sizes), _MOST_IN_A_BYTE):
        rows = slice(start, start + _MOST_IN_A_BYTE)
        for level, values in enumerate(single[:, rows]):
            reached = sizes[rows] >= values[:, None]
            counts[level] += np.add.reduce(reached.view(np.uint8), axis=0, dtype=np.uint8)
    return counts


def central_counts(counts: IntArray) -> tuple[int, int]:
    """The central 95% of simulated counts (runs,), both ends included.

    If another count is one more of the same kind, it lies outside with a probability of at most 5%.
    """
    ordered = np.sort(counts)
    outside = int(0.025 * (ordered.size + 1))
    return int(ordered[outside - 1]), int(ordered[-outside])


def uniformity(p: FloatArray, counts: IntArray) -> float:
    """How often simulated p-values are as far from uniform as `p` (rows,); on (0, 1].

    `counts` (levels, runs) are the simulated p-values at or below each of `LEVELS`. The distance is
    Kolmogorov's, looked at on those levels: Kolmogorov (1933), "Sulla determinazione empirica di una legge
    di distribuzione".
    """
    own = (p[None, :] <= LEVELS[:, None] + _TIE).sum(axis=1)
    distance = np.abs(own / p.size - LEVELS).max()
    simulated = np.abs(counts / p.size - LEVELS[:, None]).max(axis=0)
    return float((1 + (simulated >= distance - _TIE).sum()) / (1 + simulated.size))


def _correlated(generator: np.random.Generator, root: SingleArray, number: int) -> SingleArray:
    """Standard normal draws (questions, number), correlated between questions."""
    draws = generator.standard_normal((len(root), number), dtype=np.float32)
    return root @ draws if len(root) > 1 else draws


def _square_root(matrix: FloatArray) -> FloatArray:
    """A root of a positive semi-definite matrix, singular ones included."""
    values, vectors = np.linalg.eigh(matrix)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)), dtype=np.float64)
