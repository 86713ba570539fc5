"""The rows of a report that have an id."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jevbias.report.base import ReportModel


def rows_of(part: object) -> Iterator[Any]:
    """Every row of a report that has an id."""
    if isinstance(part, ReportModel):
        if "id" in type(part).model_fields:
            yield part
        part = [getattr(part, name) for name in type(part).model_fields]
    for value in part.values() if isinstance(part, dict) else part if isinstance(part, list) else []:
        yield from rows_of(value)
