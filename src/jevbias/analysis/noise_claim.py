"""Claim (a): a difference is beyond the model's own noise, on these people and cases.

The null of a comparison draws, for each of its pairs, the swap's k answers and the anchor's r from the pool
of repeats, with the weights of the estimate. Comparisons of one shape share a null.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from jevbias.analysis.noise import FEWEST_DEGREES, Noise
from jevbias.analysis.paired import Estimates, PooledScores
from jevbias.analysis.pairs import Pairs
from jevbias.stats.noise_null import Draws, NoiseNulls
from jevbias.stats.student import t_quantile, two_sided_p

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

PoolKey = tuple[int, tuple[int, ...]]
"""A scenario and the questions of a score, as positions."""
Shape = tuple[tuple[tuple[PoolKey, float], int], ...]
"""What a null draws: ((pool, coefficient), count), in order."""
Untested = Literal["no pair", "exact", "few repeats", "no spread"]
"""Why a comparison has no p: nothing to compare; the model does not vary; a pool has fewer than 8 degrees of
freedom; or its repeats agree to the last digit although the model varies elsewhere."""


@dataclass(frozen=True, eq=False)
class NoiseClaim:
    """Columns over comparisons: `p`, `standard_error` (the SD of the null), `half_width` of the 95% interval
    and `degrees_of_freedom`, NaN where `untested` gives a reason.
    """

    p: FloatArray
    standard_error: FloatArray
    half_width: FloatArray
    degrees_of_freedom: FloatArray
    untested: list[Untested | None]


def claim_pooled(scores: PooledScores, noise: Noise) -> NoiseClaim:
    """Test every pooled comparison."""
    delta = scores.estimates.delta
    groups: dict[Shape, list[int]] = {}
    for comparison in np.flatnonzero(~np.isnan(delta)).tolist():
        groups.setdefault(_pooled_shape(scores, comparison), []).append(comparison)
    return _claim(delta, [(shape, np.array(rows)) for shape, rows in groups.items()], noise)


def claim_question(pairs: Pairs, estimates: Estimates, place: tuple[int, int], noise: Noise) -> NoiseClaim:
    """Test every comparison on one question, given as the positions of its scenario and itself."""
    scenario, question = place
    swap_asks = pairs.swap_asks[:, :, scenario, question]
    anchor_asks = pairs.anchor_asks[:, :, scenario, question]
    paired = ~np.isnan(pairs.difference[:, :, scenario, question])
    most = int(anchor_asks.max(initial=0)) + 1
    codes = np.sort(np.where(paired, swap_asks * most + anchor_asks, 0), axis=1)
    tested = np.flatnonzero(paired.any(axis=1))
    shapes, group = np.unique(codes[tested], axis=0, return_inverse=True)
    order = np.argsort(group.ravel(), kind="stable")
    borders = np.searchsorted(group.ravel()[order], np.arange(1, len(shapes)))
    groups = []
    for codes_of_shape, rows in zip(shapes, np.split(tested[order], borders), strict=False):
        asks = [divmod(int(code), most) for code in codes_of_shape if code]
        pool = (scenario, (question,))
        groups.append((_shape((pool, 1.0 / len(asks), swap, anchor) for swap, anchor in asks), rows))
    return _claim(estimates.delta, groups, noise)


def _pooled_shape(scores: PooledScores, comparison: int) -> Shape:
    weight = scores.estimates.weight[comparison]
    draws = []
    for base, scenario in np.argwhere(weight > 0).tolist():
        questions = tuple(np.flatnonzero(scores.usable[comparison, base, scenario]).tolist())
        swap, anchor = (
            scores.swap_asks[comparison, base, scenario],
            scores.anchor_asks[comparison, base, scenario],
        )
        draws.append(((scenario, questions), float(weight[base, scenario]), int(swap), int(anchor)))
    return _shape(draws)


def _shape(pairs: Iterable[tuple[PoolKey, float, int, int]]) -> Shape:
    """The draws of pairs of a pool, a weight, k answers of the swap and r of the anchor."""
    draws: Counter[tuple[PoolKey, float]] = Counter()
    for pool, weight, swap, anchor in pairs:
        draws[pool, weight / swap] += swap
        draws[pool, -weight / anchor] += anchor
    return tuple(sorted(draws.items()))


def _claim(delta: FloatArray, groups: Sequence[tuple[Shape, IntArray]], noise: Noise) -> NoiseClaim:
    p, error, half, degrees = (np.full(delta.shape, np.nan) for _ in range(4))
    nulls = NoiseNulls()
    untested: list[Untested | None] = ["no pair"] * delta.size
    for shape, rows in groups:
        draws = [Draws(noise.score_pool(*pool), coefficient, n) for (pool, coefficient), n in shape]
        null = None if noise.exact or _too_few(draws) else nulls.null(draws)
        reason: Untested | None = None
        if null is None:
            reason = "exact" if noise.exact else "few repeats" if _too_few(draws) else "no spread"
        else:
            freedom = _degrees_of_freedom(shape, noise)
            size = np.abs(delta[rows])
            p[rows] = np.maximum(null.two_sided_p(size), two_sided_p(size / null.sd, freedom))
            half[rows] = max(null.absolute_quantile(0.95), t_quantile(0.975, freedom) * null.sd)
            error[rows], degrees[rows] = null.sd, freedom
        for row in rows.tolist():
            untested[row] = reason
    return NoiseClaim(p, error, half, degrees, untested)


def _too_few(draws: Sequence[Draws]) -> bool:
    return any(draw.pool.degrees_of_freedom < FEWEST_DEGREES for draw in draws)


def _degrees_of_freedom(shape: Shape, noise: Noise) -> int:
    """The sum over scenarios; pools of one scenario share their repeats, so the smallest counts once.

    Pools without spread add nothing to the null and so say nothing of how well its SD is known.
    """
    fewest: dict[int, int] = {}
    for (pool, _), _ in shape:
        drawn = noise.score_pool(*pool)
        if drawn.variance > 0:
            freedom = drawn.degrees_of_freedom
            fewest[pool[0]] = min(freedom, fewest.get(pool[0], freedom))
    return sum(fewest.values())
