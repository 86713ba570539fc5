"""The contrasts of a factorial run in the terminal: control first, then levels, then two levels at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich import box
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from jevbias.publish import figures
from jevbias.publish.contrasts import contrasts
from jevbias.publish.intersections import CellTable
from jevbias.publish.plain_text import printable
from jevbias.publish.terminal import COLOURS, INDENT, ascii_signs, heading, indented
from jevbias.report.factorial import Contrast, ContrastCounts, Factorial, Interaction
from jevbias.report.run_report import RunReport

MOST_ADJUSTED = 5


def factorial_headlines(report: RunReport, top: int) -> RenderableType:
    """Everything a factorial run says beside noise and validity, in at most `top` lines a list.

    The hidden contrasts come first, because they say how far the others can be believed.
    """
    factorial, section = report.factorial, contrasts(report.factorial)
    if factorial is None or section is None:
        return Text("")
    parts: list[RenderableType] = [
        *heading("False positives"),
        indented(section.controls),
        *([indented(section.in_case)] if section.in_case else []),
        *heading("Contrasts"),
        indented(section.sentence),
        indented(section.scope),
        *_listed_contrasts(factorial, report.run.conditions, top),
        *map(indented, _on_questions(factorial)),
        *map(indented, _adjusted(report, factorial, top)),
        indented(section.rule, "dim"),
    ]
    if section.cells:
        parts += [*heading("Intersections"), *_intersections(section.cells, report.run.conditions)]
    if factorial.interactions or factorial.interactions_untested:
        parts += [*heading("Interactions"), indented(section.interactions_sentence)]
        parts += map(indented, _interactions(factorial.interactions, top))
    return Group(*parts)


def _listed_contrasts(factorial: Factorial, conditions: Sequence[str], top: int) -> Iterator[RenderableType]:
    """What came out, condition by condition, those that show most first; else what came closest."""
    pooled = [row for row in factorial.contrasts if row.visible and row.question is None]
    found = [row for row in pooled if row.significant]
    shown = found[:top]
    for condition in reversed(conditions):
        here = [row for row in shown if row.condition == condition]
        if here:
            yield indented(f"Under {printable(condition)}:")
            yield Padding(_table(here), (0, 0, 1, INDENT))
    if len(found) > len(shown):
        yield indented(f"{figures.count(len(found) - len(shown))} more on the page and in the report.")
    tested = [row for row in pooled if row.q is not None]
    if tested and not found:
        row = tested[0]
        yield indented(
            f"The closest: {_level(row)} under {printable(row.condition)}, {figures.delta(row.delta)} "
            f"({figures.interval(row.interval)}), p {figures.p_value(row.p)}, q {figures.p_value(row.q)}, "
            f"adjusted {figures.delta(row.adjusted)}."
        )


def _table(rows: Sequence[Contrast]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=0)
    table.add_column("level", overflow="fold")
    for name in ("delta", "95% interval", "p", "q", "adjusted"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in rows:
        style = COLOURS["worse" if (row.delta or 0.0) < 0 else "better"]
        table.add_row(
            Text(ascii_signs(_level(row))),
            Text(ascii_signs(figures.delta(row.delta)), style=style),
            Text(ascii_signs(figures.interval(row.interval))),
            Text(figures.p_value(row.p)),
            Text(figures.p_value(row.q)),
            Text(ascii_signs(figures.delta(row.adjusted))),
        )
    return table


def _adjusted(report: RunReport, factorial: Factorial, top: int) -> Iterator[str]:
    """What the linear model shows, which is sharper, because it takes the other attributes out."""
    seen, hidden = factorial.adjusted_visible, factorial.adjusted_hidden
    if not seen.tests:
        return
    yield (
        f"With all other attributes held fixed, {figures.count(seen.significant)} of "
        f"{figures.counted(seen.tests, 'contrast')} that the model could see came out{_beside(hidden)}."
    )
    rows = [row for row in factorial.contrasts if row.visible and row.question is None]
    alone = [row for row in rows if not row.significant and _below(row.adjusted_q, report.run.alpha)]
    alone.sort(key=lambda row: (row.adjusted_q or 0.0, -abs(row.adjusted or 0.0), row.id))
    for row in alone[: min(top, MOST_ADJUSTED)]:
        yield (
            f"- {_level(row)} under {printable(row.condition)}: adjusted {figures.delta(row.adjusted)}, "
            f"q {figures.p_value(row.adjusted_q)}; alone {figures.delta(row.delta)}, "
            f"q {figures.p_value(row.q)}"
        )
    if len(alone) > min(top, MOST_ADJUSTED):
        more = figures.count(len(alone) - min(top, MOST_ADJUSTED))
        yield f"{more} more that only this model shows, on the page and in the report."


def _on_questions(factorial: Factorial) -> Iterator[str]:
    counts = factorial.visible_per_question
    if counts.tests:
        yield (
            f"Question by question, {figures.count(counts.significant)} of "
            f"{figures.counted(counts.tests, 'contrast')} that the model could see came out"
            f"{_beside(factorial.hidden_per_question)}."
        )


def _beside(hidden: ContrastCounts) -> str:
    if not hidden.tests:
        return ""
    return f"; {figures.count(hidden.significant)} of {figures.count(hidden.tests)} that it could not see did"


def _below(value: float | None, level: float) -> bool:
    return value is not None and value < level


def _intersections(tables: Sequence[CellTable], conditions: Sequence[str]) -> Iterator[RenderableType]:
    """Mean favourability by two attributes, under the condition that shows most."""
    ran = {table.condition for table in tables}
    richest = next((name for name in map(printable, reversed(conditions)) if name in ran), None)
    for shown in (table for table in tables if table.condition == richest):
        yield indented(
            f"Mean favourability by {shown.rows_of} and {shown.columns_of} under {shown.condition}, "
            "with half the 95% interval and the number of people:"
        )
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1, 0, 0))
        table.add_column(Text(shown.rows_of), overflow="fold")
        for level in shown.columns:
            table.add_column(Text(level), justify="right", overflow="fold")
        for line, cells in shown.rows:
            table.add_row(Text(line), *(Text(cell.short) for cell in cells))
        yield Padding(table, (0, 0, 0, INDENT))


def _interactions(rows: Sequence[Interaction], top: int) -> Iterator[str]:
    found = [row for row in rows if row.significant]
    for row in found[:top]:
        yield f"- {_interaction(row)}."
    if len(found) > top:
        yield f"{figures.count(len(found) - top)} more on the page and in the report."
    tested = [row for row in rows if row.p is not None]
    if tested and not found:
        yield f"The closest: {_interaction(tested[0])}; not shown."


def _interaction(row: Interaction) -> str:
    levels = figures.listed([f"{printable(key)}={printable(level)}" for key, level in row.levels.items()])
    within = f" ({figures.interval(row.interval)})" if row.interval else ""
    return (
        f"{levels} under {printable(row.condition)}: {figures.delta(row.contrast)}{within} beyond the sum of "
        f"both, p {figures.p_value(row.p)}, q {figures.p_value(row.q)}, smallest cell "
        f"{figures.counted(row.fewest, 'person', 'people')}"
    )


def _level(row: Contrast) -> str:
    return f"{printable(row.attribute)}={printable(row.level)}"
