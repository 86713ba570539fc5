"""The test bench's report in the terminal."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from jevbias.publish.terminal import ascii_signs, heading, indented
from jevbias.publish.testbench import bench_view
from jevbias.publish.testbench_shapes import TableView
from jevbias.report.testbench import TestbenchReport


def testbench_text(report: TestbenchReport) -> RenderableType:
    """Every part with its sentences and tables, then what could not be said."""
    view = bench_view(report)
    parts: list[RenderableType] = [*heading(view.title), indented(view.measured)]
    for part in view.parts:
        parts += heading(part.title)
        parts += [indented(line) for line in (part.opening, *part.lines)]
        for shown in part.tables:
            parts += [Text(""), indented(shown.caption), _table(shown)]
    if view.notes:
        parts += heading("To keep in mind")
        parts += [indented(f"- {note}") for note in view.notes]
    return Group(*parts)


testbench_text.__test__ = False  # type: ignore[attr-defined]


def _table(shown: TableView) -> RenderableType:
    made = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for place, name in enumerate(shown.columns):
        made.add_column(name, justify="right" if place in shown.numbers else "left", overflow="fold")
    for row in shown.rows:
        made.add_row(*(Text(ascii_signs(cell)) for cell in row))
    return Padding(made, (0, 0, 0, 2))
