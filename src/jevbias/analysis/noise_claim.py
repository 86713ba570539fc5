"""Claim (a): a difference is beyond the model's own noise, on these people and cases.

The null of a comparison draws, for each of its pairs, the swap's k answers and the anchor's r from the pool
of repeats, with the weights of the estimate. Comparisons of one shape share a null.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Literal

import numpy as np

from jevbias.analysis.noise import Noise
from jevbias.analysis.paired import Estimates, PooledScores
from jevbias.analysis.pairs import Pairs
from jevbias.stats.arrays import FloatArray, IntArray
from jevbias.stats.noise_null import Draws, NoiseNulls
from jevbias.stats.pools import FEWEST_DEGREES
from jevbias.stats.student import t_quantile, two_sided_p

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
    return _claim(scores.estimates.delta, _pooled_shapes(scores), noise)


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
        draws = [(pool, 1.0 / len(asks), swap, anchor) for swap, anchor in asks]
        groups.append((_shape(zip(draws, repeat(1), strict=False)), rows))
    return _claim(estimates.delta, groups, noise)


def _pooled_shapes(scores: PooledScores) -> list[tuple[Shape, IntArray]]:
    """Comparisons that draw alike, each group with its shape."""
    weight, usable = scores.estimates.weight, scores.usable
    place = np.nonzero(weight > 0)
    comparison, _, scenario = place
    questions = usable[place] @ (1 << np.arange(usable.shape[-1]))
    weights, weight_code = np.unique(weight[place], return_inverse=True)
    described = (scenario, questions, weight_code.ravel(), scores.swap_asks[place], scores.anchor_asks[place])
    sizes = [int(column.max(initial=0)) + 1 for column in described]
    kinds, kind = np.unique(np.ravel_multi_index(described, sizes), return_inverse=True)
    counts = np.zeros((len(weight), len(kinds)), dtype=np.int64)
    np.add.at(counts, (comparison, kind.ravel()), 1)
    rows = np.unique(comparison)
    alike, group = np.unique(counts[rows], axis=0, return_inverse=True)
    pairs = [
        (
            (s, tuple(q for q in range(usable.shape[-1]) if code >> q & 1)),
            float(weights[w]),
            swap,
            anchor,
        )
        for s, code, w, swap, anchor in np.stack(np.unravel_index(kinds, sizes), axis=1).tolist()
    ]
    return [
        (
            _shape((pairs[number], int(times[number])) for number in np.flatnonzero(times).tolist()),
            rows[group.ravel() == place_of_group],
        )
        for place_of_group, times in enumerate(alike)
    ]


def _shape(pairs: Iterable[tuple[tuple[PoolKey, float, int, int], int]]) -> Shape:
    """The draws of so many pairs each of a pool, a weight, k answers of the swap and r of the anchor."""
    draws: Counter[tuple[PoolKey, float]] = Counter()
    for (pool, weight, swap, anchor), number in pairs:
        draws[pool, weight / swap] += swap * number
        draws[pool, -weight / anchor] += anchor * number
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
