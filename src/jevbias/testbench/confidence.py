"""Which formula a server computes a number of an answer by."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

import numpy as np

from jevbias.report.testbench_answers import FormulaFit, FormulaSearch
from jevbias.stats.arrays import FloatArray

FEWEST_DECIMALS, MOST_DECIMALS = 2, 8
"""Nobody rounds to fewer; numbers on a coarser grid are there by chance, or never vary."""
NEXT_TO_A_GRID = 1e-3
"""Of a step: so near to a grid do numbers lie that were rounded to it, also in single precision."""
MOST_CORNERS = 6
DUST = 1e-7
"""What single precision may add to a residual."""

Formula: TypeAlias = Callable[[FloatArray], float]
"""From the probabilities (n,), in order, to the number."""


def _entropy(p: FloatArray) -> float:
    held = p[p > 0]
    return float(-(held * np.log(held)).sum())


def _mean(p: FloatArray) -> float:
    return float(np.arange(p.size) @ p)


def _sd(p: FloatArray) -> float:
    levels = np.arange(p.size)
    return math.sqrt(max(0.0, float(np.square(levels) @ p) - float(levels @ p) ** 2))


def _margin(p: FloatArray) -> float:
    first, second = np.sort(p)[::-1][:2]
    return float(first - second)


def _mean_deviation(p: FloatArray) -> float:
    return float(np.abs(np.arange(p.size) - _mean(p)) @ p)


def _uniform_sd(n: int) -> float:
    return math.sqrt((n * n - 1) / 12)


_OF_ANY: Mapping[str, Formula] = {
    "highest probability": lambda p: float(p.max()),
    "highest probability, rescaled so that equal ones give 0": lambda p: (
        (p.size * float(p.max()) - 1) / (p.size - 1)
    ),
    "highest less second": _margin,
    "1 less second over highest": lambda p: _margin(p) / float(p.max()) if p.max() > 0 else 0.0,
    "1 less normalised entropy": lambda p: 1 - _entropy(p) / math.log(p.size),
    "1 over perplexity": lambda p: math.exp(-_entropy(p)),
    "sum of squares": lambda p: float(p @ p),
    "sum of squares, rescaled so that equal ones give 0": lambda p: (
        (p.size * float(p @ p) - 1) / (p.size - 1)
    ),
    "always 1": lambda _p: 1.0,
}
_OF_LEVELS: Mapping[str, Formula] = {
    "1 less SD of the level over its largest": lambda p: 1 - 2 * _sd(p) / (p.size - 1),
    "1 less SD of the level over that of equal ones": lambda p: 1 - _sd(p) / _uniform_sd(p.size),
    "1 less variance of the level over its largest": lambda p: 1 - 4 * _sd(p) ** 2 / (p.size - 1) ** 2,
    "1 less SD of the level over the range": lambda p: 1 - _sd(p) / (p.size - 1),
    "1 less mean deviation of the level over its largest": lambda p: (
        1 - 2 * _mean_deviation(p) / (p.size - 1)
    ),
    "probability of the level nearest to the mean": lambda p: float(p[round(_mean(p))]),
}
CHOICE_CONFIDENCE: Mapping[str, Formula] = _OF_ANY
SCORE_CONFIDENCE: Mapping[str, Formula] = {**_OF_ANY, **_OF_LEVELS}
SCORE: Mapping[str, Formula] = {
    "expectation of the level": _mean,
    "most probable level": lambda p: float(np.argmax(p)),
    "median level": lambda p: float(np.searchsorted(np.cumsum(p), 0.5)),
    "expectation of the level over the highest": lambda p: _mean(p) / (p.size - 1),
}


@dataclass(frozen=True)
class Sample:
    """One number with the probabilities of its answer."""

    value: float
    probabilities: tuple[float, ...]


def search_formula(
    of: str, samples: Sequence[Sample], candidates: Mapping[str, Formula]
) -> FormulaSearch | None:
    """Hold candidate formulas against what a server returned; None without samples.

    A formula fits where no residual is larger than the rounding of the number and of the probabilities can
    make it; probabilities that do not add up to 1 even so are rescaled first. Several may fit where the
    answers cannot tell them apart.
    """
    if not samples:
        return None
    value_step = _half_a_step([sample.value for sample in samples])
    step = _half_a_step([p for sample in samples for p in sample.probabilities])
    shown = [_adding_up(np.array(sample.probabilities), step) for sample in samples]
    values = {sample.value for sample in samples}
    if len(values) == 1 and values != {1.0}:
        always = values.pop()
        candidates = {**candidates, f"always {always:g}": lambda _p: always}
    fits = []
    for name, formula in candidates.items():
        away = np.array([abs(s.value - formula(p)) for s, p in zip(samples, shown, strict=True)])
        beyond = away - value_step - DUST
        fits.append(
            FormulaFit(
                formula=name,
                largest=float(away.max()),
                rms=float(np.sqrt(np.square(away).mean())),
                fits=all(
                    excess <= _moved_by_rounding(p, formula, step)
                    for p, excess in zip(shown, beyond, strict=True)
                    if excess > 0
                ),
            )
        )
    fits.sort(key=lambda fit: (not fit.fits, fit.rms))
    return FormulaSearch.model_validate(
        {
            "of": of,
            "answers": len(samples),
            "named": [fit.formula for fit in fits if fit.fits],
            "candidates": fits,
        }
    )


def decimals_of(values: Sequence[float]) -> int | None:
    """To how many decimals numbers were rounded, up to 8; None where they were not, or to more."""
    given = np.array(values, dtype=np.float64)
    for decimals in range(MOST_DECIMALS + 1):
        scaled = given * 10.0**decimals
        if np.all(np.abs(scaled - np.round(scaled)) < NEXT_TO_A_GRID):
            return decimals
    return None


def _half_a_step(values: Sequence[float]) -> float:
    decimals = decimals_of(values)
    return 0.0 if decimals is None else 0.5 * 10.0 ** -max(decimals, FEWEST_DECIMALS)


def _adding_up(p: FloatArray, step: float) -> FloatArray:
    """Probabilities, rescaled where they do not add up to 1 even with all rounding on one side."""
    total = float(p.sum())
    return p / total if total > 0 and abs(total - 1) > p.size * step + DUST else p


def _moved_by_rounding(p: FloatArray, formula: Formula, step: float) -> float:
    """How far rounding the probabilities alone could put a formula."""
    computed = formula(p)
    moved = max(abs(formula(near) - computed) for near in _nearby(p, step))
    return max(moved, sum(_moved_by_each(p, formula, computed, step))) if p.size > MOST_CORNERS else moved


def _moved_by_each(p: FloatArray, formula: Formula, computed: float, step: float) -> Iterator[float]:
    """How far the rounding of each probability alone could put a formula; all together, about as far as the
    sum of these.
    """
    for moved in step * np.eye(p.size):
        yield max(abs(formula(np.maximum(near, 0.0)) - computed) for near in (p - moved, p + moved))


def _nearby(p: FloatArray, step: float) -> Iterator[FloatArray]:
    """Probabilities that rounding may have made into these, at the extremes: all moved by a step, each up or
    down; of many probabilities only one at a time and all of them.
    """
    signs: Iterable[Sequence[int]] = product((-1, 1), repeat=p.size)
    if p.size > MOST_CORNERS:
        ones = np.eye(p.size, dtype=np.int64)
        signs = [*ones.tolist(), *(-ones).tolist(), [1] * p.size, [-1] * p.size]
    for moved in signs:
        yield np.maximum(p + step * np.array(moved), 0.0)
