"""How a trace's sentences write figures: with the report's digits, so that they can be found in it."""

from __future__ import annotations


def figure(value: float | None) -> str:
    """A number with 6 significant digits; `n/a` where there is none."""
    return "n/a" if value is None else f"{value:.6g}"


def signed(value: float | None) -> str:
    """The same with its sign; zero has none."""
    return figure(value) if not value else f"{value:+.6g}"


def counted(number: int, noun: str) -> str:
    """`1 pair`, `1,200 pairs`, `2 people`."""
    several = "people" if noun == "person" else f"{noun}s"
    return f"{number:,} {noun if number == 1 else several}"
