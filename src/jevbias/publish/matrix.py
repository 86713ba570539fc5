"""Where it lands: every visible swap against every question, as a matrix of differences."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import groupby, pairwise

from jevbias.publish import figures
from jevbias.publish.finding_sentences import question_sentence
from jevbias.publish.findings import Reading
from jevbias.publish.found import conditions_richest_first, element_id
from jevbias.publish.plain_text import printable
from jevbias.publish.validity import aside_for
from jevbias.report.comparison import Comparison, comparison_id
from jevbias.report.validity_rule import WITHHELD

STEPS = (0.5, 1.0, 2.5, 5.0)
"""Where the colour deepens, in margins."""

DEFAULT_UNIT = 0.02
"""Stands in for a margin of zero, which would leave no scale."""


MARKS = {"worse": "*", "better": "*", "these cases": "~", "small": "\u2248"}
"""Behind a difference that moved, by its verdict."""


@dataclass(frozen=True)
class Cell:
    """One difference: its text, the class that colours it, if any, and the mark of its verdict."""

    text: str
    shade: str
    mark: str = ""


@dataclass(frozen=True)
class MatrixRow:
    """A visible swap under one condition; `first_of` is the number of rows its attribute spans, else 0.

    `swap` is the id of its pooled comparison, `element_id` the same where the page has a row of it.
    """

    swap: str
    element_id: str
    attribute: str
    first_of: int
    level: str
    protected: bool
    pooled: Cell
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class MatrixGroup:
    """The rows of one condition."""

    condition: str
    rows: tuple[MatrixRow, ...]


@dataclass(frozen=True)
class QuestionColumn:
    """A column: the question without its scenario, and why it is withheld or not pooled."""

    element_id: str | None
    name: str
    full_name: str
    mark: str
    reason: str


@dataclass(frozen=True)
class ScenarioColumns:
    """The questions of one scenario, side by side."""

    scenario: str
    questions: tuple[QuestionColumn, ...]


@dataclass(frozen=True)
class Matrix:
    """What the template of this section shows."""

    sentence: str
    scenarios: tuple[ScenarioColumns, ...]
    groups: tuple[MatrixGroup, ...]
    legend: tuple[tuple[str, str], ...]
    comparisons: str
    columns: int


def matrix(reading: Reading) -> Matrix:
    """The matrix: richest condition first, attributes in the plan's order, levels from the worst up."""
    questions = question_order(reading)
    unit = reading.report.run.margin or DEFAULT_UNIT
    by_swap = {
        (row.condition, row.attribute, row.level, row.question): row
        for row in reading.report.comparisons
        if row.visible
    }
    scenarios = tuple(
        ScenarioColumns(printable(scenario), tuple(_column(reading, question) for question in members))
        for scenario, members in groupby(questions, key=scenario_of)
    )
    groups = []
    for condition in conditions_richest_first(reading):
        swaps = _swaps(reading, condition)
        sizes = Counter(attribute for attribute, _, _ in swaps)
        rows = []
        seen: set[str] = set()
        for attribute, level, sample in swaps:
            pooled = by_swap.get((condition, attribute, level, None))
            rows.append(
                MatrixRow(
                    swap=element_id(comparison_id(condition, attribute, level)),
                    element_id=element_id(pooled.id) if pooled and not reading.nothing_pooled else "",
                    attribute=printable(sample.attribute_label),
                    first_of=0 if attribute in seen else sizes[attribute],
                    level=printable(level),
                    protected=sample.protected,
                    pooled=_cell(pooled, unit),
                    cells=tuple(
                        _cell(by_swap.get((condition, attribute, level, question)), unit)
                        for question in questions
                    ),
                )
            )
            seen.add(attribute)
        if rows:
            groups.append(MatrixGroup(printable(condition), tuple(rows)))
    return Matrix(
        sentence=question_sentence(reading),
        scenarios=scenarios,
        groups=tuple(groups),
        legend=_legend(unit),
        comparisons=figures.counted(len(reading.per_question), "comparison") if reading.per_question else "",
        columns=len(questions),
    )


def question_order(reading: Reading) -> list[str]:
    """Every question of the report: in the order of the validity table, then any that is not in it."""
    order = list(dict.fromkeys(row.question for row in reading.report.validity))
    others = {row.question for row in reading.per_question if row.question is not None}.difference(order)
    asked = list(dict.fromkeys(scenario_of(question) for question in (*order, *sorted(others))))
    return sorted([*order, *sorted(others)], key=lambda question: asked.index(scenario_of(question)))


def scenario_of(question: str) -> str:
    """The scenario of a `scenario.question`."""
    return question.partition(".")[0]


def _swaps(reading: Reading, condition: str) -> list[tuple[str, str, Comparison]]:
    """The visible swaps of a condition: (attribute, level, one of its comparisons), in the matrix's order."""
    samples: dict[tuple[str, str], Comparison] = {}
    for row in (*reading.pooled, *reading.per_question):
        if row.visible and row.condition == condition:
            samples.setdefault((row.attribute, row.level), row)
    swept = {name: place for place, name in enumerate(reading.report.run.swept)}

    def place(item: tuple[tuple[str, str], Comparison]) -> tuple[int, str, bool, float, str]:
        (attribute, level), sample = item
        delta = sample.delta if sample.question is None else None
        return (swept.get(attribute, len(swept)), attribute, delta is None, delta or 0.0, level)

    return [(attribute, level, sample) for (attribute, level), sample in sorted(samples.items(), key=place)]


def _cell(row: Comparison | None, unit: float) -> Cell:
    if row is None or row.delta is None:
        return Cell("\u00b7", "none")
    text = figures.delta(row.delta, places=3)
    if row.verdict == "withheld":
        return Cell(f"({text})", "held")
    step = sum(abs(row.delta) >= edge * unit for edge in STEPS)
    shade = f"{'w' if row.delta < 0 else 'b'}{step}" if step else ""
    return Cell(text, shade, MARKS.get(row.verdict or "", ""))


def _column(reading: Reading, question: str) -> QuestionColumn:
    validity = next((row for row in reading.report.validity if row.question == question), None)
    mark, reason = "", ""
    if validity is not None and validity.flag in WITHHELD:
        mark, reason = "\u2020", f"withheld: {validity.flag}"
    elif validity is not None and not validity.pooled:
        mark, reason = "\u2021", f"not pooled: {aside_for(validity)}"
    return QuestionColumn(
        element_id=element_id(validity.id) if validity else None,
        name=printable(question.partition(".")[2] or question),
        full_name=printable(question),
        mark=mark,
        reason=reason,
    )


def _legend(unit: float) -> tuple[tuple[str, str], ...]:
    edges = [figures.plain(step * unit) for step in STEPS]
    names = [f"below {edges[0]}"]
    names += [f"{low} to {high}" for low, high in pairwise(edges)]
    return tuple((str(step), name) for step, name in enumerate([*names, f"{edges[-1]} or more"]))
