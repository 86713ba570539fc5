"""Columns of numbers as the report prints them: 6 significant digits, None for what is not known."""

from __future__ import annotations

from jevbias.report.base import Interval
from jevbias.stats.arrays import FloatArray
from jevbias.stats.significant import round_to_digits


def figures(values: FloatArray) -> list[float | None]:
    """A column of figures; NaN becomes None."""
    rounded = round_to_digits(values).tolist()
    return [None if value != value else value for value in rounded]  # noqa: PLR0124 - only NaN differs from itself


def intervals(centre: FloatArray, half_width: FloatArray) -> list[Interval | None]:
    """A column of intervals; None where either end is not known."""
    lower, upper = figures(centre - half_width), figures(centre + half_width)
    return [
        None if low is None or high is None else (low, high) for low, high in zip(lower, upper, strict=True)
    ]
