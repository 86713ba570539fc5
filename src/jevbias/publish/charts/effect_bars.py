"""Effects in standard deviations as bars: one bar an axis for each model, with its interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from jevbias.publish import figures
from jevbias.publish.charts.axes import Axis, Tick
from jevbias.publish.plain_text import printable
from jevbias.report.base import Interval

REACH = 3.0
"""How many times the largest effect the picture reaches; a longer interval is cut at its edge."""
ROOM, THICK = 18, 8
"""Height that a bar takes and has, in pixels."""


@dataclass(frozen=True)
class Effect:
    """What one bar shows; nothing is drawn where `d` is None."""

    d: float | None
    interval: Interval | None


@dataclass(frozen=True)
class Bar:
    """A bar and its interval in per cent of the width; heights in pixels. `figure` is what it shows."""

    css: str
    figure: str
    y: int
    start: str | None
    width: str | None
    low: str | None
    reach: str | None
    middle: str


@dataclass(frozen=True)
class BarRow:
    """One axis with a bar for every model."""

    name: str
    about: str
    height: int
    bars: tuple[Bar, ...]


@dataclass(frozen=True)
class EffectBars:
    """What the template draws."""

    description: str
    keys: tuple[tuple[str, str], ...]
    ticks: tuple[Tick, ...]
    zero: str
    rows: tuple[BarRow, ...]


def effect_bars(
    rows: Sequence[tuple[str, str, Sequence[Effect]]], models: Sequence[str]
) -> EffectBars | None:
    """The picture of (axis, what is said of it, effect of each model); None where nothing can be drawn."""
    effects = [effect for _, _, own in rows for effect in own if effect.d is not None]
    if not effects:
        return None
    axis = _axis(effects)
    return EffectBars(
        description=_description(rows, models),
        keys=tuple((_CSS[place], printable(model)) for place, model in enumerate(models)),
        ticks=axis.ticks(6, signed=True),
        zero=axis.at(0.0),
        rows=tuple(_row(axis, *row) for row in rows),
    )


_CSS = ("first", "second")


def _axis(effects: Sequence[Effect]) -> Axis:
    near = max(0.2, *(abs(effect.d or 0.0) for effect in effects))
    ends = [bound for effect in effects for bound in effect.interval or (effect.d or 0.0,)]
    low = max(min([-0.2, *ends]) * 1.04, -REACH * near)
    high = min(max([0.2, *ends]) * 1.04, REACH * near)
    return Axis(low, high, 1.0, 99.0)


def _row(axis: Axis, name: str, about: str, effects: Sequence[Effect]) -> BarRow:
    bars = tuple(_bar(axis, place, effect) for place, effect in enumerate(effects))
    return BarRow(printable(name), printable(about), ROOM * len(effects) + 4, bars)


def _bar(axis: Axis, place: int, effect: Effect) -> Bar:
    top = 2 + ROOM * place + (ROOM - THICK) // 2
    d, bounds = effect.d, effect.interval
    return Bar(
        css=_CSS[place],
        figure=figures.delta(d, 2),
        y=top,
        start=None if d is None else axis.at(min(d, 0.0)),
        width=None if d is None else axis.width(min(d, 0.0), max(d, 0.0)),
        low=None if bounds is None else axis.at(bounds[0]),
        reach=None if bounds is None else axis.width(*bounds),
        middle=str(top + THICK // 2 - 1),
    )


def _description(rows: Sequence[tuple[str, str, Sequence[Effect]]], models: Sequence[str]) -> str:
    parts = []
    for name, _, effects in rows:
        said = [
            f"{printable(model)} {figures.delta(effect.d, 2)}"
            if len(models) > 1
            else figures.delta(effect.d, 2)
            for model, effect in zip(models, effects, strict=True)
        ]
        parts.append(f"{printable(name)} {', '.join(said)}")
    return f"Effects in standard deviations. {'; '.join(parts)}."
