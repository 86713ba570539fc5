"""The differences of one axis: score with the feature less score without it, pair by pair."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from jevbias.battery.pairs import SIDES, Pair
from jevbias.battery.scores import Scores
from jevbias.stats.arrays import FloatArray

DUST = 2**-50
"""What is no difference, in parts of the largest score: the dust of floating-point arithmetic."""


@dataclass(frozen=True)
class AxisScores:
    """What is known of one axis before anything is estimated: the usable pairs, in order, with their mean
    scores on both sides and how often each was scored. `negligible` is the dust of adding such scores up.
    """

    axis: str
    pairs: tuple[Pair, ...]
    lost: int
    differences: FloatArray
    repeats: FloatArray
    negligible: float


def axis_scores(scores: Scores, axis: str) -> AxisScores:
    """The differences of one axis; pairs without a score on either side are left out."""
    own = scores.pairs.by_axis[axis]
    usable = tuple(pair for pair in own if all((pair.id, side) in scores.values for side in SIDES))
    sides = [[scores.values[pair.id, side] for side in SIDES] for pair in usable]
    means = np.array([[math.fsum(values) / len(values) for values in pair] for pair in sides]).reshape(-1, 2)
    negligible = DUST * float(np.abs(means).max(initial=0.0))
    differences = means[:, 1] - means[:, 0]
    return AxisScores(
        axis=axis,
        pairs=usable,
        lost=len(own) - len(usable),
        differences=np.where(np.abs(differences) <= negligible, 0.0, differences),
        repeats=np.array([[len(values) for values in pair] for pair in sides], dtype=float).reshape(-1, 2),
        negligible=negligible,
    )
