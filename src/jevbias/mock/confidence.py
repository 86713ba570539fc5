"""Formulas by which a server might compute how sure it is of an answer."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from jevbias.mock.properties import ConfidenceFormula


def confidence_of(formula: ConfidenceFormula, probabilities: Sequence[float]) -> float:
    """The confidence of a choice or a score, on [0, 1], from its probabilities in order."""
    if len(probabilities) == 1:
        return 1.0
    return _FORMULAS[formula](probabilities)


def _rescaled_top(p: Sequence[float]) -> float:
    return (len(p) * max(p) - 1) / (len(p) - 1)


def _margin(p: Sequence[float]) -> float:
    first, second = sorted(p, reverse=True)[:2]
    return first - second


def _entropy(p: Sequence[float]) -> float:
    return 1 + sum(part * math.log(part) for part in p if part > 0) / math.log(len(p))


def _spread(p: Sequence[float]) -> float:
    mean = sum(level * part for level, part in enumerate(p))
    variance = sum((level - mean) ** 2 * part for level, part in enumerate(p))
    return 1 - 2 * math.sqrt(variance) / (len(p) - 1)


def _arbitrary(p: Sequence[float]) -> float:
    return 0.5 + 0.5 * math.sin(37 * max(p))


_FORMULAS: Mapping[ConfidenceFormula, Callable[[Sequence[float]], float]] = {
    "top": max,
    "rescaled_top": _rescaled_top,
    "margin": _margin,
    "entropy": _entropy,
    "spread": _spread,
    "arbitrary": _arbitrary,
}
