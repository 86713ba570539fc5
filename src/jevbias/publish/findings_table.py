"""The table of findings in the terminal: a line of figures per comparison, and under it its claims.

It fits 80 columns. Every text goes through `Text`, so nothing of a report is read as markup.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from jevbias.publish import figures
from jevbias.publish.findings import Reading
from jevbias.publish.plain_text import printable
from jevbias.publish.row_figures import placebo_text
from jevbias.publish.terminal import COLOURS, ascii_signs
from jevbias.report.comparison import Comparison

WIDEST_SWAP = 32
_BETWEEN_CLAIMS = re.compile(r" and (?=other cases: |a size that matters: )")


def findings_table(reading: Reading, rows: Sequence[Comparison]) -> RenderableType:
    """Verdict, swap, delta, half of the 95% noise interval, claims shown; then each claim's figures."""
    widths = (11, min(max(cell_len(_swap(row)) for row in rows), WIDEST_SWAP), 9, 7, 6, 6)
    head = [Text(name, style="bold") for name in ("verdict", "swap", "condition", "delta", "+/-", "claims")]
    lines: list[RenderableType] = [_line(head, widths)]
    missing = _missing(rows)
    for row, lacks in zip(rows, missing.by_row, strict=True):
        state = reading.state(row)
        cells = [
            Text(state.text, style=COLOURS.get(state.text, "")),
            Text(ascii_signs(_swap(row))),
            Text(ascii_signs(printable(row.condition))),
            Text(ascii_signs(figures.delta(row.delta))),
            Text(figures.half_width(row.ci_noise) if row.ci_noise else ""),
            Text(ascii_signs(reading.claims(row).marks)),
        ]
        lines.append(_line(cells, widths))
        lines.extend(
            Padding(Text(ascii_signs(line), style="dim"), (0, 0, 0, 4))
            for line in _details(reading, row, lacks)
        )
    if missing.everywhere:
        lines.append(
            Text(ascii_signs(f"Missing in each of “these cases”: {missing.everywhere}."), style="dim")
        )
    return Group(*lines)


class _Missing(NamedTuple):
    """What each row lacks, and what all that lack anything lack, which is said once."""

    by_row: tuple[str, ...]
    everywhere: str


def _missing(rows: Sequence[Comparison]) -> _Missing:
    texts = [printable(row.missing_claim or "") for row in rows]
    parts = [_BETWEEN_CLAIMS.split(text) for text in texts if text]
    shared = [part for part in parts[0] if all(part in other for other in parts)] if len(parts) > 1 else []
    own = [" and ".join(part for part in _BETWEEN_CLAIMS.split(text) if part not in shared) for text in texts]
    by_row = [
        "as above" if text and place and text == own[place - 1] else text for place, text in enumerate(own)
    ]
    return _Missing(tuple(by_row), " and ".join(shared))


def _line(cells: Sequence[Text], widths: Sequence[int]) -> Table:
    line = Table.grid(padding=(0, 1, 0, 0))
    for place, width in enumerate(widths):
        right = place in {3, 4}
        line.add_column(width=width, justify="right" if right else "left", no_wrap=right, overflow="fold")
    line.add_row(*cells)
    return line


def _swap(row: Comparison) -> str:
    return f"{printable(row.attribute)}={printable(row.level)}"


def _details(reading: Reading, row: Comparison, lacks: str) -> list[str]:
    noise = f"(a) q {figures.p_value(row.q)}"
    if reading.exact:
        noise = f"(a) margin {figures.plain(reading.report.run.margin)}"
    claims = [
        noise,
        f"(b) p {figures.p_value(row.p_people)} q {figures.p_value(row.q_people)} "
        f"bases {row.bases_down}/{row.bases_up}",
    ]
    if row.question is None:
        claims.append(f"(c) q {figures.p_value(row.q_general)}")
    lines = ["  ".join(claims)]
    if row.question is not None:
        lines.append(f"on {printable(row.question)}")
    last = [f"missing: {lacks}"] if lacks else []
    if row.within_placebo_range:
        last.append(placebo_text(row))
    if last:
        lines.append("; ".join(last))
    return lines
