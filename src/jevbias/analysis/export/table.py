"""What is exported: named columns, and rows that are made as they are asked for."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

Value = str | int | float | bool | None
"""A cell. Numbers are finite."""
Row = tuple[Value, ...]


@dataclass(frozen=True)
class Table:
    """`rows` has a value for every one of the `columns`, and can be gone through once."""

    columns: Sequence[str]
    rows: Iterator[Row]


def finite(value: float | None) -> float | None:
    """A number as a cell may hold it: None for NaN and infinities."""
    return value if value is None or math.isfinite(value) else None


def moment(seconds: float | None) -> str | None:
    """A time in seconds since the epoch as ISO 8601, UTC, to the millisecond."""
    if seconds is None:
        return None
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
