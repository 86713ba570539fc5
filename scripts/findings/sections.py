"""The Markdown of a text cut at its headings and rendered for a page."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup, escape

MARKER = re.compile(r"^<!-- (\w+) -->$", re.MULTILINE)
"""Where a page has a chart."""


@dataclass(frozen=True)
class Piece:
    """A stretch of a section: rendered text, or the name of a picture."""

    html: Markup | None = None
    chart: str = ""


@dataclass(frozen=True)
class Section:
    """A heading of the text with what stands below it."""

    id: str
    title: str
    pieces: tuple[Piece, ...]


def sections_of(text: str) -> tuple[Markup, tuple[Section, ...]]:
    """What stands between the title and the first heading, and the sections."""
    head, *bodies = text.split("\n## ")
    return _rendered(head.partition("\n")[2], ""), tuple(_section(body) for body in bodies)


def text_styles(*names: str) -> Markup:
    """Style sheets of the findings alone, besides those of all pages."""
    sheets = [(Path(__file__).parent / "templates" / name).read_text(encoding="utf-8") for name in names]
    return Markup("".join(sheets))  # noqa: S704 - our own files


def slug(title: str) -> str:
    """The id of the section with this heading."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def _section(body: str) -> Section:
    title, _, text = body.partition("\n")
    parts = MARKER.split(text)
    pieces = []
    for place, part in enumerate(parts):
        if place % 2:
            pieces.append(Piece(chart=part))
        elif part.strip():
            label = title if place == 0 or len(parts) == 1 else f"{title}, {place // 2 + 1}"
            pieces.append(Piece(html=_rendered(part, label)))
    return Section(slug(title), title, tuple(pieces))


def _rendered(text: str, label: str) -> Markup:
    """Markdown as HTML under the page's policy: no markup of its own, no style attributes; tables with
    headings for rows and columns, in boxes that scroll.
    """
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = parser.parse(text)
    numbers = iter(range(1, len(tokens) + 1))
    rendered: list[str] = []
    table: list[Token] = []
    for token in _accessible(tokens):
        if token.type == "table_open":
            rendered.append(parser.renderer.render(table, parser.options, {}))
            number = next(numbers)
            name = escape(f"{label}, table {number}")
            rendered.append(
                f'<div class="scroll fit" role="region" tabindex="0" aria-label="{name}">\n'
                f'<table class="prose">\n<caption class="aside">{name}</caption>\n'
            )
            table = []
        elif token.type == "table_close":
            rendered.append(parser.renderer.render(table, parser.options, {}) + "</table>\n</div>\n")
            table = []
        else:
            table.append(token)
    rendered.append(parser.renderer.render(table, parser.options, {}))
    return Markup("".join(rendered))  # noqa: S704 - rendered from our own text, whose markup is escaped


def _accessible(tokens: list[Token]) -> list[Token]:
    """The first cell of every row heads it; alignment is a class, as the policy allows no style attribute."""
    first = heads = False
    for token in tokens:
        if token.type == "tr_open":
            first = True
        elif token.type in {"th_open", "td_open"}:
            if token.attrs.pop("style", "") == "text-align:right":
                token.attrs["class"] = "num"
            heads = token.type == "td_open" and first
            if token.type == "th_open":
                token.attrs["scope"] = "col"
            elif heads:
                token.tag, token.attrs["scope"] = "th", "row"
            first = False
        elif token.type == "td_close" and heads:
            token.tag = "th"
    return tokens
