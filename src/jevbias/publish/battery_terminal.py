"""A battery in the terminal."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from jevbias.publish import figures
from jevbias.publish.battery_words import (
    MOST_LOST,
    MOST_NEAR,
    adjusted_text,
    interval_text,
    measured_sentence,
    near_sentence,
    noise_sentence,
    score_text,
    steadiness_sentence,
    strongest_sentence,
    trust_sentence,
)
from jevbias.publish.plain_text import printable
from jevbias.publish.terminal import ascii_signs, heading, indented
from jevbias.report.battery import AxisEffect, BatteryReport


def battery_text(report: BatteryReport) -> RenderableType:
    """Axes in a table, then controls, what else changed, and what could not be said."""
    parts: list[RenderableType] = [
        *heading(f"Battery {printable(report.run.name)}"),
        indented(measured_sentence(report)),
        indented(strongest_sentence(report)),
        indented(trust_sentence(report)),
        *heading("Per axis: score with the feature less score without it"),
        _effects(report),
        indented(ascii_signs(steadiness_sentence(report))),
    ]
    if report.controls:
        parts += heading("Controls")
        parts += [indented(printable(outcome.says)) for outcome in report.controls]
    parts += [*heading("What else changed between the sides"), _confounds(report)]
    parts += heading("To keep in mind")
    parts += [indented(f"- {printable(note)}") for note in _notes(report)]
    return Group(*parts)


def _effects(report: BatteryReport) -> RenderableType:
    table = _table(
        ("axis", False),
        ("d", True),
        ("95% interval", False),
        ("q", True),
        ("mean", True),
        ("SD", True),
        ("pairs", True),
        ("eff. n", True),
        ("reading", False),
    )
    for axis in report.per_axis.values():
        control = f" ({axis.control} control)" if axis.control else ""
        cells = (
            figures.delta(axis.d, 2),
            interval_text(axis.d_interval),
            figures.p_value(axis.q),
            score_text(axis.mean, signed=True),
            score_text(axis.sd),
            figures.count(axis.pairs),
            figures.short(axis.effective_n),
            f"{axis.reading}{control}",
        )
        table.add_row(Text(printable(axis.axis)), *(Text(ascii_signs(cell)) for cell in cells))
    return Padding(table, (0, 0, 0, 2))


def _confounds(report: BatteryReport) -> RenderableType:
    table = _table(
        ("axis", False),
        ("words", True),
        ("characters", True),
        ("R²", True),
        ("d at no change in length", False),
        ("95% interval", False),
    )
    for axis in report.per_axis.values():
        table.add_row(Text(printable(axis.axis)), *(Text(ascii_signs(cell)) for cell in _confound(axis)))
    return Padding(table, (0, 0, 0, 2))


def _confound(axis: AxisEffect) -> tuple[str, ...]:
    length = axis.length
    if length is None:
        return (figures.NOT_AVAILABLE,) * 5
    return (
        figures.delta(length.words, 1),
        figures.delta(length.characters, 1),
        figures.ratio(length.r_squared),
        adjusted_text(axis),
        interval_text(length.d_interval),
    )


def _notes(report: BatteryReport) -> list[str]:
    notes = [noise_sentence(report), *report.notes]
    notes += [f"{axis.axis}: {note}" for axis in report.per_axis.values() for note in axis.notes]
    notes += [near_sentence(near) for near in report.near_duplicates[:MOST_NEAR]]
    if (more := len(report.near_duplicates) - MOST_NEAR) > 0:
        listed = (
            "--json lists them"
            if not report.near_duplicates_left
            else f"--json lists the {len(report.near_duplicates)} most alike"
        )
        notes.append(f"{more + report.near_duplicates_left:,} more families repeat others ({listed})")
    notes += [f"{lost.pair}, side {lost.side}: {lost.reason}" for lost in report.lost[:MOST_LOST]]
    if len(report.lost) > MOST_LOST:
        notes.append(f"{len(report.lost) - MOST_LOST:,} more replies have no score (--json lists them)")
    return notes


def _table(*columns: tuple[str, bool]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for name, right in columns:
        table.add_column(name, justify="right" if right else "left", overflow="fold")
    return table
