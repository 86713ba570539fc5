"""A collaboration bench in the terminal: levels with their arms, pairs of arms, what it took."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from jevbias.publish import figures
from jevbias.publish.collab import (
    calls_text,
    checks_text,
    efficiency_text,
    ends_text,
    facts,
    illegal_text,
    level_sentence,
    outcomes,
    pair_text,
    rate_text,
    tokens_text,
    what_was_benched,
)
from jevbias.publish.plain_text import printable
from jevbias.publish.terminal import INDENT, ascii_signs, heading, indented
from jevbias.report.collab import ArmRow, CollabReport, PairedRow, UseRow


def collab_headlines(report: CollabReport) -> RenderableType:
    """Everything that the report says, level by level; each row says which models it is about."""
    parts: list[RenderableType] = [*heading("Bench"), indented(what_was_benched(report))]
    parts += [indented(f"{name}: {value}") for name, value in facts(report)]
    parts += [*heading("What came out"), *map(_line, outcomes(report))]
    for level in report.levels:
        rows = [row for row in report.arms if row.level == level.level]
        parts += [
            *heading(ascii_signs(f"Level {printable(level.level)}")),
            indented(level_sentence(report, level)),
        ]
        width = max((len(row.arm) for row in rows), default=0)
        parts += [_arm(row, width) for row in rows]
        for pair in report.comparisons:
            if pair.level == level.level:
                parts.append(_pair(pair))
    if report.use:
        parts += [*heading("What it took"), *map(_use, report.use)]
    for row in report.timing.latency:
        parts.append(
            indented(
                f"latency of {printable(row.model)}: {figures.milliseconds(row.mean)} on average, median "
                f"{figures.milliseconds(row.median)}, p95 {figures.milliseconds(row.p95)}, over "
                f"{figures.counted(row.calls, 'call')}"
            )
        )
    if report.notes:
        parts += [*heading("Notes"), *(_line(printable(note)) for note in report.notes)]
    return Group(*parts)


def _arm(row: ArmRow, width: int) -> RenderableType:
    """One arm on one level, its name set in a column of that width."""
    figured = [
        f"{rate_text(row)}, {figures.share(row.rate)} ({figures.shares(row.interval)})",
        f"path {efficiency_text(row)}, {figures.short(row.steps)} steps on average",
        *([f"illegal actions {illegal_text(row)}"] if row.illegal else []),
        *(text for text in (checks_text(row), ends_text(row)) if text != "-"),
    ]
    return _line(f"{printable(row.arm):{width}} {'; '.join(figured)} ({printable(row.about)})")


def _use(row: UseRow) -> RenderableType:
    return _line(
        f"{printable(row.arm)}, {printable(row.level)}, {printable(row.model)}: "
        f"{calls_text(row)}, {figures.short(row.calls_per_episode)} an episode; tokens "
        f"{tokens_text(row)}; cost {figures.money(row.cost)} ({printable(row.about)})"
    )


def _line(text: str, style: str = "") -> RenderableType:
    """A line that stands on its own: what does not fit is set further in."""
    grid = Table.grid(padding=0)
    grid.add_column(width=INDENT)
    grid.add_column(overflow="fold")
    grid.add_row("", Text(ascii_signs(f"- {text}"), style=style))
    return grid


def _pair(row: PairedRow) -> RenderableType:
    line = (
        f"{printable(row.first)} against {printable(row.second)}: {pair_text(row)}; p "
        f"{figures.p_value(row.p)}, over levels {figures.p_value(row.p_levels)}. {printable(row.says)} "
        f"({printable(row.about)})"
    )
    return _line(line, "bold" if row.significant else "")
