"""What a part of the test bench's report is shown as: sentences, tables and pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from jevbias.publish import figures
from jevbias.report.base import Interval


@dataclass(frozen=True)
class TableView:
    """A table; `numbers` are the places of columns with figures, from 0."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: frozenset[int]


@dataclass(frozen=True)
class Strip:
    """One row of a picture: a point on a line from `low` to `high`."""

    label: str
    low: float
    at: float
    high: float
    text: str


@dataclass(frozen=True)
class Picture:
    """Points with lines on one scale."""

    title: str
    says: str
    strips: tuple[Strip, ...]
    from_zero: bool = True


@dataclass(frozen=True)
class PartView:
    """One part: its sentences, then its pictures and tables."""

    anchor: str
    title: str
    opening: str
    lines: tuple[str, ...] = ()
    pictures: tuple[Picture, ...] = ()
    tables: tuple[TableView, ...] = ()


def table(
    caption: str, columns: str, rows: Sequence[tuple[str, ...]], *, words: tuple[int, ...] = (0,)
) -> TableView:
    """A table, its columns named in one text with bars between; all but those of `words` are figures."""
    names = tuple(name.strip() for name in columns.split("|"))
    return TableView(caption, names, tuple(rows), frozenset(range(len(names))) - frozenset(words))


def counts(failures: dict[str, int]) -> str:
    """`http_500 3, timeout 1`; `none` without any."""
    return ", ".join(f"{kind} {figures.count(number)}" for kind, number in failures.items()) or "none"


def between(bounds: Interval | None) -> str:
    """An interval of figures on [0, 1]."""
    return figures.NOT_AVAILABLE if bounds is None else f"{bounds[0]:.4f} to {bounds[1]:.4f}"
