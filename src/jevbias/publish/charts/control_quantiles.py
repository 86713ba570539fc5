"""The controls' p-values against uniform ones: sorted, each beside the quantile that it should have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from jevbias.publish import figures
from jevbias.publish.charts.axes import Axis, Tick, path
from jevbias.publish.findings import Reading
from jevbias.report.calibration import CalibrationCounts

SIZE = 280
ACROSS = Axis(0, 1, 34, SIZE - 10)
UPWARDS = Axis(0, 1, SIZE - 34, 22)
KOLMOGOROV_95 = 1.358
"""How far independent p-values stray, times the root of their number: the 95% point of Kolmogorov's
distribution.
"""
MOST_POINTS = 150
FEWEST = 8
"""Fewer controls than this make no picture."""


@dataclass(frozen=True)
class Quantiles:
    """One family; `dots` is a path of points, `band` the region of independent uniform p-values."""

    family: str
    band: str
    dots: str
    caption: str
    described: str


@dataclass(frozen=True)
class ControlQuantiles:
    """What the template draws."""

    across: tuple[Tick, ...]
    upwards: tuple[Tick, ...]
    families: tuple[Quantiles, ...]


def control_quantiles(reading: Reading) -> ControlQuantiles | None:
    """The pictures of both families; None where no control was tested."""
    calibration = reading.report.calibration
    families = (
        ("Pooled", reading.pooled, calibration.pooled.controls),
        ("On single questions", reading.per_question, calibration.per_question.controls),
    )
    drawn = []
    for name, rows, counts in families:
        found = sorted(row.p_noise for row in rows if not row.visible and row.p_noise is not None)
        if len(found) >= FEWEST:
            drawn.append(_quantiles(name, found, counts))
    if not drawn:
        return None
    return ControlQuantiles(ACROSS.ticks(5), UPWARDS.ticks(5), tuple(drawn))


def _quantiles(name: str, found: Sequence[float], counts: CalibrationCounts) -> Quantiles:
    number = len(found)
    reach = KOLMOGOROV_95 / sqrt(number)
    farthest = max(
        max((place + 1) / number - value, value - place / number) for place, value in enumerate(found)
    )
    simulated = counts.uniformity_p
    uniform = "" if simulated is None else f" p of uniformity, simulated: {figures.p_value(simulated)}."
    said = (
        f"{figures.counted(number, 'control')}; farthest from the line {figures.ratio(farthest)}, where 95% "
        f"of independent samples stay within {figures.ratio(reach)}.{uniform}"
    )
    return Quantiles(
        family=name,
        band=_band(reach),
        dots="".join(
            f"M{ACROSS.at((place + 0.5) / number)} {UPWARDS.at(found[place])}h0" for place in _places(number)
        ),
        caption=said,
        described=f"{name}: sorted p-values of controls against uniform ones. {said}",
    )


def _band(reach: float) -> str:
    above = [(0.0, reach), (1 - reach, 1.0), (1.0, 1.0)]
    below = [(1.0, 1 - reach), (reach, 0.0), (0.0, 0.0)]
    return path([(ACROSS.at(x), UPWARDS.at(y)) for x, y in above + below]) + "Z"


def _places(number: int) -> list[int]:
    """Which of many points are drawn: evenly spread, both ends among them."""
    if number <= MOST_POINTS:
        return list(range(number))
    return sorted({round(place * (number - 1) / (MOST_POINTS - 1)) for place in range(MOST_POINTS)})
