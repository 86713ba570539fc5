"""Two batteries side by side in the terminal."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from jevbias.publish import figures
from jevbias.publish.battery_words import interval_text
from jevbias.publish.plain_text import printable
from jevbias.publish.terminal import ascii_signs, heading, indented
from jevbias.report.batteries_compared import ComparedBatteries

WIDEST = 20
"""Characters of a bar of the largest effect."""


def compared_text(compared: ComparedBatteries) -> RenderableType:
    """Both effects of every axis as bars of signs and as figures, and what they have in common."""
    parts: list[RenderableType] = [
        *heading(f"{printable(compared.second.name)} beside {printable(compared.first.name)}"),
        *(indented(sentence) for sentence in said(compared)),
    ]
    if compared.axes:
        parts += [Text(""), _axes(compared)]
    if compared.notes:
        parts += heading("To keep in mind")
        parts += [indented(f"- {printable(note)}") for note in compared.notes]
    return Group(*parts)


def said(compared: ComparedBatteries) -> list[str]:
    """What the two have in common and where they part, in sentences."""
    sentences = [
        f"First: {printable(compared.first.model)} ({printable(compared.first.name)}). "
        f"Second: {printable(compared.second.model)} ({printable(compared.second.name)})."
    ]
    if compared.opposite:
        listed = figures.listed([printable(axis) for axis in compared.opposite])
        sentences.append(f"Opposite signs on {listed}: what one pays for the other charges for.")
    if compared.shared:
        listed = figures.listed([printable(axis) for axis in compared.shared])
        sentences.append(f"Shared leanings on {listed}: {compared.shared_says}.")
    if not compared.axes:
        sentences.append("The two have no axis in common, so there is nothing to compare.")
    elif not compared.opposite and not compared.shared:
        sentences.append("No axis is shown to lean on both: neither the same way nor opposite ways.")
    sentences.append(f"{compared.trust}: {compared.trust_says}.")
    return sentences


def _axes(compared: ComparedBatteries) -> RenderableType:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for name, right in (
        ("axis", False),
        ("", False),
        ("d", True),
        ("95% interval", False),
        ("", False),
        ("", False),
    ):
        table.add_column(name, justify="right" if right else "left", overflow="fold")
    largest = max(
        (abs(side.d or 0.0) for row in compared.axes for side in (row.first, row.second)), default=0.0
    )
    for row in compared.axes:
        differs = ""
        if row.difference is not None:
            bounds = interval_text(row.difference_interval)
            differs = f"; second less first {figures.delta(row.difference, 2)} ({bounds})"
        for name, side, bar, words in (
            (printable(row.axis), row.first, "#", f"{row.says}{differs}"),
            ("", row.second, "=", ""),
        ):
            cells = (
                "first" if bar == "#" else "second",
                figures.delta(side.d, 2),
                interval_text(side.d_interval),
                _bar(side.d, largest, bar),
                words,
            )
            table.add_row(Text(name), *(Text(ascii_signs(cell)) for cell in cells))
    return Padding(table, (0, 0, 0, 2))


def _bar(d: float | None, largest: float, sign: str) -> str:
    """A bar to the left or the right of a middle."""
    half = WIDEST // 2
    length = 0 if d is None or largest <= 0 else round(half * abs(d) / largest)
    left = sign * length if d is not None and d < 0 else ""
    right = sign * length if d is not None and d > 0 else ""
    return f"{left:>{half}}|{right:<{half}}"
