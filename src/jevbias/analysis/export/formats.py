"""Tables as CSV and as JSON lines."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator

from jevbias.analysis.export.table import Row, Table, Value

_BEGIN_A_FORMULA = frozenset("=+-@\t\r\n")


def csv_lines(table: Table) -> Iterator[str]:
    """RFC 4180: a header, then a record for every row, each with its end (CR LF); nothing stands for None.

    A text that a spreadsheet would run as a formula is put behind an apostrophe, as on the page; what
    stands further inside a text stays as it is. Numbers are written in full and stay numbers.
    """
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    for row in _with_header(table):
        writer.writerow([_cell(value) for value in row])
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()


def json_lines(table: Table) -> Iterator[str]:
    """A JSON object for every row, each on a line of its own; never NaN."""
    encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode
    for row in table.rows:
        yield encode(dict(zip(table.columns, row, strict=True))) + "\n"


FORMATS: dict[str, Callable[[Table], Iterator[str]]] = {"csv": csv_lines, "jsonl": json_lines}


def _with_header(table: Table) -> Iterator[Row]:
    yield tuple(table.columns)
    yield from table.rows


def _cell(value: Value) -> Value:
    if isinstance(value, str):
        return f"'{value}" if value and value[0] in _BEGIN_A_FORMULA else value
    if isinstance(value, bool):
        return "true" if value else "false"
    return value
