"""Scales and ticks that every picture shares."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from math import ceil, floor, log10

from jevbias.publish import figures


@dataclass(frozen=True)
class Tick:
    """A mark on an axis: where it stands, and what is written at it."""

    at: str
    label: str


@dataclass(frozen=True)
class Axis:
    """Maps values from `low` to `high` to coordinates from `start` to `end`, in SVG units or per cent."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> str:
        """The coordinate of a value, kept within the axis, to a tenth."""
        kept = min(max(value, self.low), self.high)
        share = (kept - self.low) / (self.high - self.low)
        return short(self.start + share * (self.end - self.start))

    def width(self, low: float, high: float) -> str:
        """How far apart two values stand."""
        return short(float(self.at(high)) - float(self.at(low)))

    def ticks(self, most: int, *, signed: bool = False) -> tuple[Tick, ...]:
        """At most `most` round numbers along the axis; `signed` writes a plus before those above zero."""
        step = round_step((self.high - self.low) / most)
        places = len(f"{Decimal(f'{step:.3g}').normalize():f}".partition(".")[2])
        first, last = ceil(self.low / step - 1e-9), floor(self.high / step + 1e-9)
        numbers = (number * step for number in range(first, last + 1))
        return tuple(
            Tick(self.at(number), figures.delta(number, places) if signed else f"{number:.{places}f}")
            for number in numbers
        )


def round_step(least: float) -> float:
    """The smallest of 1, 2, 2.5 and 5 times a power of ten that is at least `least`."""
    power = 10.0 ** floor(log10(least))
    return next(power * step for step in (1, 2, 2.5, 5, 10) if power * step >= least * (1 - 1e-9))


def short(coordinate: float) -> str:
    """A coordinate to a tenth, without a trailing zero."""
    return f"{coordinate:.1f}".removesuffix(".0")


def path(points: list[tuple[str, str]]) -> str:
    """Points joined by straight lines, as the `d` of a path; empty without points."""
    return "M" + "L".join(f"{x} {y}" for x, y in points) if points else ""
