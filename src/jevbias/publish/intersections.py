"""Mean favourability of the people who have two levels at once, as tables of two attributes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from jevbias.publish import figures
from jevbias.publish.plain_text import printable
from jevbias.report.factorial import CellMean


@dataclass(frozen=True)
class Intersection:
    """One cell of a table: `text` with both ends of its interval, `short` with half of it."""

    text: str
    short: str


NOBODY = Intersection("nobody", "nobody")


@dataclass(frozen=True)
class CellTable:
    """Mean favourability of the people who have two levels at once, under one condition."""

    condition: str
    rows_of: str
    columns_of: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Intersection, ...]], ...]


def cell_tables(cells: Sequence[CellMean]) -> tuple[CellTable, ...]:
    """One table per condition and pair of attributes; the attribute with more levels runs down."""
    groups: dict[tuple[str, tuple[str, ...]], list[CellMean]] = {}
    for cell in cells:
        if len(cell.levels) == 2:
            groups.setdefault((cell.condition, tuple(cell.levels)), []).append(cell)
    return tuple(
        _table(condition, attributes, members) for (condition, attributes), members in groups.items()
    )


def _table(condition: str, attributes: Sequence[str], members: Sequence[CellMean]) -> CellTable:
    across, down = sorted(attributes, key=lambda name: len({cell.levels[name] for cell in members}))
    places = {(cell.levels[down], cell.levels[across]): cell for cell in members}
    columns = list(dict.fromkeys(cell.levels[across] for cell in members))
    lines = list(dict.fromkeys(cell.levels[down] for cell in members))
    return CellTable(
        condition=printable(condition),
        rows_of=printable(down),
        columns_of=printable(across),
        columns=tuple(printable(level) for level in columns),
        rows=tuple(
            (printable(line), tuple(_intersection(places.get((line, level))) for level in columns))
            for line in lines
        ),
    )


def _intersection(cell: CellMean | None) -> Intersection:
    if cell is None or cell.mean is None:
        return NOBODY
    mean, people = figures.level(cell.mean), figures.count(cell.people)
    if cell.interval is None:
        return Intersection(f"{mean} ({people})", f"{mean} ({people})")
    low, high = cell.interval
    return Intersection(
        text=f"{mean} ({people}, {figures.level(low)} to {figures.level(high)})",
        short=f"{mean} +/-{figures.level((high - low) / 2)} ({people})",
    )
