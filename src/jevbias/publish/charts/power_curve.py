"""Power against effect size: how large an effect had to be for this run to show it."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist, median

from jevbias.publish import figures
from jevbias.publish.charts.axes import Axis, Tick, path
from jevbias.publish.findings import Reading
from jevbias.report.comparison import Comparison

WIDTH, HEIGHT = 420, 260
TOP, LEFT, RIGHT, BOTTOM = 26, 40, 12, 58
POWER = 0.8
"""What the report's smallest effects are seen with."""
STEPS = 100
NOISE, PEOPLE = "(a) noise", "(b) people"


@dataclass(frozen=True)
class Curve:
    """One claim at one level: a line through the report's 80% point."""

    css: str
    name: str
    line: str
    smallest: str
    at: str


@dataclass(frozen=True)
class PowerCurve:
    """What the template draws; `seen` is a path of ticks, one per difference that was measured."""

    across: tuple[Tick, ...]
    upwards: tuple[Tick, ...]
    curves: tuple[Curve, ...]
    level: str
    margin: str
    margin_text: str
    seen: str
    described: str


def power_curve(reading: Reading) -> PowerCurve | None:
    """The curves of the middle pooled comparison; None where the report knows no smallest effect."""
    rows = [row for row in reading.visible if row.delta is not None]
    alpha = reading.report.run.alpha
    known = _smallest(rows)
    if not known or reading.criterion == "none":
        return None
    margin = reading.report.run.margin
    high = max(2.2 * max(effect for *_, effect in known), 1.2 * margin)
    across = Axis(0.0, high, LEFT, WIDTH - RIGHT)
    upwards = Axis(0.0, 1.0, HEIGHT - BOTTOM, TOP)
    plain = {claim: effect for claim, corrected, effect in known if not corrected}
    curves = tuple(
        Curve(
            css=f"{'noise' if claim == NOISE else 'people'}{' corrected' if corrected else ''}",
            name=f"{claim}{', corrected' if corrected else ''}",
            line=_line(effect, plain[claim], alpha, across, upwards),
            smallest=figures.spread(effect),
            at=across.at(effect),
        )
        for claim, corrected, effect in known
        if claim in plain
    )
    if not curves:
        return None
    smallest = [f"{curve.name}: {curve.smallest}" for curve in curves]
    beyond = sum(abs(row.delta or 0.0) > high for row in rows)
    off = f" {figures.counted(beyond, 'difference')} beyond the picture." if beyond else ""
    return PowerCurve(
        across=across.ticks(6),
        upwards=upwards.ticks(5),
        curves=curves,
        level=upwards.at(POWER),
        margin=across.at(margin),
        margin_text=figures.plain(margin),
        seen="".join(
            f"M{across.at(abs(row.delta or 0.0))} {HEIGHT - BOTTOM + 22}v9"
            for row in rows
            if abs(row.delta or 0.0) <= high
        ),
        described=f"Effects seen four times in five. {'; '.join(smallest)}.{off}",
    )


def _smallest(rows: list[Comparison]) -> list[tuple[str, bool, float]]:
    """(claim, corrected, the middle of the comparisons' smallest effects), those that are known and not 0."""
    columns = (
        (NOISE, False, [row.mde_noise for row in rows]),
        (NOISE, True, [row.mde_noise_adjusted for row in rows]),
        (PEOPLE, False, [row.mde_people for row in rows]),
        (PEOPLE, True, [row.mde_people_adjusted for row in rows]),
    )
    middles = [(claim, corrected, _middle(values)) for claim, corrected, values in columns]
    return [(claim, corrected, effect) for claim, corrected, effect in middles if effect]


def _middle(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return median(known) if known else None


def _line(effect: float, plain: float, alpha: float, across: Axis, upwards: Axis) -> str:
    """A normal test with the standard error that the uncorrected effect implies, through its 80% point."""
    normal = NormalDist()
    error = plain / (normal.inv_cdf(1 - alpha / 2) + normal.inv_cdf(POWER))
    needed = effect / error - normal.inv_cdf(POWER)
    sizes = [across.high * step / STEPS for step in range(STEPS + 1)]
    powers = [normal.cdf(size / error - needed) + normal.cdf(-size / error - needed) for size in sizes]
    return path([(across.at(size), upwards.at(power)) for size, power in zip(sizes, powers, strict=True)])
