"""What moved on single questions, in lines short enough for all of them to stand on the page."""

from __future__ import annotations

from dataclasses import dataclass

from jevbias.publish import figures
from jevbias.publish.findings import Reading
from jevbias.publish.plain_text import printable
from jevbias.publish.row_cells import RowCells
from jevbias.report.comparison import Comparison

MOST_ON_QUESTIONS = 1000
"""A line adds some 250 bytes; what is beyond these stands in the matrix, with its difference and its mark."""


@dataclass(frozen=True)
class MovedRow:
    """One line; condition, swap and question are the parts of the comparison's id, as they stand in it."""

    css: str
    swap: str
    question: str
    condition: str
    outcome: str
    cells: RowCells
    flips: str
    ratio: str
    log_odds: str


def moved_on_questions(reading: Reading) -> tuple[MovedRow, ...]:
    """The comparisons on single questions that moved, controls and withheld ones too, in reading order."""
    return tuple(
        _row(reading, row) for row in reading.per_question if row.significant or reading.state(row).moved
    )


def _row(reading: Reading, row: Comparison) -> MovedRow:
    decisions = row.decisions
    return MovedRow(
        css=reading.state(row).css,
        swap=f"{printable(row.attribute)}={printable(row.level)}",
        question=printable(row.question or ""),
        condition=printable(row.condition),
        outcome=reading.state(row).text,
        cells=RowCells.of(row),
        flips=figures.points(decisions.excess_flips).removesuffix(" points") if decisions else "",
        ratio=figures.ratio(decisions.four_fifths) if decisions else "",
        log_odds=figures.delta(decisions.log_odds, 2) if decisions else "",
    )
