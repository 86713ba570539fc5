"""Rows of evidence as aligned lines that are never cut or folded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from rich.cells import cell_len
from rich.text import Text

from jevbias.cli.visible_text import visible

_SIGNED = {"difference", "contribution", "shift"}
_MOST_IN_A_CELL = 24


def table_lines(rows: Sequence[Any]) -> list[Text]:
    """A line for the fields' names and one for each row, all rows of one dataclass; columns that nothing
    stands in are left out.
    """
    if not rows:
        return [Text("none")]
    names = [field.name for field in fields(rows[0]) if field.repr]
    names = [name for name in names if any(getattr(row, name) not in (None, "") for row in rows)]
    numeric = [
        all(isinstance(getattr(row, name), int | float | None) for row in rows) and name != "enters"
        for name in names
    ]
    heads = [name.replace("_", " ") for name in names]
    written = [[_written(name, getattr(row, name)) for name in names] for row in rows]
    widths = [max(map(cell_len, column)) for column in zip(heads, *written, strict=True)]
    lines = [Text(_line(heads, widths, numeric), style="bold")]
    return lines + [Text(_line(row, widths, numeric)) for row in written]


def _line(row: Sequence[str], widths: Sequence[int], numeric: Sequence[bool]) -> str:
    padded = []
    for text, width, right in zip(row, widths, numeric, strict=True):
        room = " " * (width - cell_len(text))
        padded.append(room + text if right else text + room)
    return "  ".join(padded).rstrip()


def _written(name: str, value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if name == "weight":
        return f"1/{round(1 / value)}" if value else "0"
    if isinstance(value, float):
        return f"{value:+.6f}" if name in _SIGNED else f"{value:.6f}"
    if isinstance(value, tuple):
        more = f" +{len(value) - _MOST_IN_A_CELL}" if len(value) > _MOST_IN_A_CELL else ""
        return (
            " ".join(
                f"{item:.6g}" if isinstance(item, float) else str(item) for item in value[:_MOST_IN_A_CELL]
            )
            + more
        )
    return visible(str(value))
