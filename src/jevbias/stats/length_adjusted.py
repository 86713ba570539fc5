"""How much of an effect is left once the change in length is taken out.

Each difference is regressed on the changes in length of its pair (in words, in characters), every family with
the same weight. The height at no change is the mean that is left; in the standard deviations of the
differences themselves it compares with the unadjusted effect. Correlation only: a feature that never comes
without length cannot be told from length, and the interval then says so by its width.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from jevbias.stats.arrays import FloatArray, IntArray
from jevbias.stats.effect_size import effect_size, family_moments, jackknife_error
from jevbias.stats.student import t_quantile

FEWEST_FAMILIES_FOR_LINE = 5
_NOTHING = float("nan")
_DUST = 1e-9


@dataclass(frozen=True)
class LengthAdjusted:
    """`d` at no change in length, with its delete-one-family jackknife interval (NaN bounds where it fails
    without one of the families); `r_squared` is the share of the differences' variance that length goes with.
    """

    d: float
    low: float
    high: float
    r_squared: float


def length_adjusted(
    differences: FloatArray, changes: FloatArray, family: IntArray, negligible: float = 0.0
) -> LengthAdjusted | None:
    """The adjusted effect of one axis, from at least 5 families; `changes` is (pairs, measures of length).

    None where there are fewer, or where the differences (by `negligible` or less) or all changes in length do
    not vary: then there is no line. Measures that say the same share what they explain. `family` numbers each
    difference's family from 0, none left out.
    """
    counts = np.bincount(family).astype(np.float64)
    if len(counts) < FEWEST_FAMILIES_FOR_LINE:
        return None
    middle = changes.mean(axis=0)
    spread = np.abs(changes - middle).max(axis=0)
    varied = spread > _DUST
    if not varied.any():
        return None
    # About their means and to one scale: squares of numbers far from zero lose the digits that matter.
    x = (changes - middle)[:, varied] / spread[varied]
    no_change = -middle[varied] / spread[varied]
    y = differences - differences.mean()
    columns = np.column_stack([np.ones_like(y), x, y])
    products = columns[:, :, None] * columns[:, None, :]
    moments = np.zeros((len(counts), *products.shape[1:]))
    np.add.at(moments, family, products / counts[family][:, None, None])
    sd = float(effect_size(family_moments(differences, family), negligible).sd)
    if sd <= negligible:
        return None
    d, r_squared = _at(moments, no_change, float(differences.mean()), sd)
    without = []
    for place in range(len(counts)):
        others = family != place
        left = effect_size(family_moments(differences[others], family[others] - (family[others] > place)))
        height = _at(np.delete(moments, place, axis=0), no_change, float(differences.mean()), float(left.sd))
        without.append(height[0] if left.sd > negligible else _NOTHING)
    half = t_quantile(0.975, len(counts) - 1) * float(jackknife_error(np.array(without)))
    return LengthAdjusted(d, d - half, d + half, r_squared)


def _at(moments: FloatArray, no_change: FloatArray, middle: float, sd: float) -> tuple[float, float]:
    """The height of the fitted plane at no change over `sd`, and the share of variance that it explains; from
    each family's mean products of (1, lengths, difference).
    """
    mean = moments.mean(axis=0)
    fitted = np.linalg.lstsq(mean[:-1, :-1], mean[:-1, -1], rcond=_DUST)[0]
    height = middle + fitted[0] + float(fitted[1:] @ no_change)
    total = float(mean[-1, -1] - mean[0, -1] ** 2)
    explained = float(fitted @ mean[:-1, -1] - mean[0, -1] ** 2)
    r_squared = min(max(explained / total, 0.0), 1.0) if total > 0 else 0.0
    return (height / sd if sd > 0 else _NOTHING), r_squared
