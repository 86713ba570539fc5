"""What the terminal's sections are set with: headings, indented sentences, ASCII signs, two colours."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from jevbias.publish import figures

INDENT = 2
COLOURS = {"worse": "dark_orange3", "better": "dodger_blue2"}
_ASCII = str.maketrans({figures.MINUS: "-", "–": "-", "“": '"', "”": '"'})


def ascii_signs(text: str) -> str:
    """Minus signs, dashes and quotation marks in ASCII, so that the output can be searched and parsed."""
    return text.translate(_ASCII)


def heading(text: str) -> list[RenderableType]:
    """A section's heading, with an empty line above it."""
    return [Text(""), Indented(Text(text, style="bold"), by=0)]


def indented(sentence: str, style: str = "") -> Indented:
    """A sentence of a section; it goes through `Text`, so nothing of a report is read as markup."""
    return Indented(Text(ascii_signs(sentence), style=style))


@dataclass(frozen=True)
class Indented:
    """Anything set `by` columns to the right, without the spaces that would fill its lines to full width."""

    inner: RenderableType
    by: int = INDENT

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Segment]:
        """Every line of it, cut behind its last sign."""
        room = options.update(width=max(options.max_width - self.by, 1), height=None)
        for line in console.render_lines(self.inner, room, pad=False):
            if kept := _cut(line):
                yield Segment(" " * self.by)
                yield from kept
            yield Segment.line()


def _cut(line: list[Segment]) -> list[Segment]:
    """A line without the spaces at its end."""
    kept = list(line)
    while kept and not kept[-1].text.rstrip(" "):
        kept.pop()
    if kept:
        text, style, control = kept.pop()
        kept.append(Segment(text.rstrip(" "), style, control))
    return kept
