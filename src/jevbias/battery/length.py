"""What else changed between the sides: their length, and the effect without it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from jevbias.battery.pairs import Pair, characters, words
from jevbias.report.battery import LengthConfound
from jevbias.stats.arrays import FloatArray, IntArray
from jevbias.stats.effect_size import family_moments, mostly_still
from jevbias.stats.length_adjusted import length_adjusted

_MEASURES = {"words": words, "characters": characters}


def length_confound(
    pairs: Sequence[Pair], differences: FloatArray, family: IntArray, negligible: float
) -> LengthConfound | None:
    """The confound of one axis; None without a pair."""
    if not pairs:
        return None
    sides = [(pair.without_feature, pair.with_feature) for pair in pairs]
    lengths = np.array(
        [[measure(text) for measure in _MEASURES.values() for text in side] for side in sides],
        dtype=np.float64,
    )
    changes = lengths[:, [1, 3]] - lengths[:, [0, 2]]
    means = _family_means(np.column_stack([changes, lengths[:, :2]]), family)
    fitted = length_adjusted(differences, changes, family, negligible)
    moved = [column for column in changes.T if column.any()]
    still = bool(mostly_still(family_moments(differences, family)))
    has_interval = fitted is not None and not np.isnan(fitted.low) and not still
    return LengthConfound(
        words=means[0],
        characters=means[1],
        words_ratio=means[3] / means[2] if means[2] > 0 else None,
        changes=bool(moved),
        r_squared=None if fitted is None else fitted.r_squared,
        d=None if fitted is None else fitted.d,
        d_interval=(fitted.low, fitted.high) if fitted is not None and has_interval else None,
        extrapolated=_beyond(changes),
    )


def _beyond(changes: FloatArray) -> bool:
    """Whether no change at all lies beyond the data: every pair changes one way in a measure, or no pair lies
    as far from the middle of both measures together (leverage; Cook and Weisberg, 1982, "Residuals and
    influence in regression", on hidden extrapolation).
    """
    moved = changes[:, changes.any(axis=0)]
    if not moved.size:
        return False
    if bool(((moved > 0).all(axis=0) | (moved < 0).all(axis=0)).any()):
        return True
    middle = moved.mean(axis=0)
    about = (moved - middle) / np.abs(moved).max(axis=0)
    origin = -middle / np.abs(moved).max(axis=0)
    inverse = np.linalg.pinv(about.T @ about, rcond=1e-9)
    farthest = float(np.einsum("ij,jk,ik->i", about, inverse, about).max())
    return float(origin @ inverse @ origin) > farthest * (1 + 1e-9)


def _family_means(columns: FloatArray, family: IntArray) -> list[float]:
    counts = np.bincount(family)
    return [float((np.bincount(family, weights=column) / counts).mean()) for column in columns.T]
