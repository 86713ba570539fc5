"""What the terminal's sections are set with: headings, indented sentences, ASCII signs, two colours."""

from __future__ import annotations

from rich.console import RenderableType
from rich.padding import Padding
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
    return [Text(""), Text(text, style="bold")]


def indented(sentence: str, style: str = "") -> Padding:
    """A sentence of a section; it goes through `Text`, so nothing of a report is read as markup."""
    return Padding(Text(ascii_signs(sentence), style=style), (0, 0, 0, INDENT))
