"""The findings as static pages: the words of the text, with pictures and every published row."""

from __future__ import annotations

import re
from dataclasses import dataclass

from jinja2 import ChoiceLoader, FileSystemLoader
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup, escape
from site_nav import nav_of

from findings.pictures import case_lines_of, forest_of, row_css, row_id, scatter_of
from findings.reading import Reading, ReadRow
from findings.writing import PAGES, TEMPLATES, TITLES, Findings, text_of
from jevbias import __version__
from jevbias.publish import figures
from jevbias.publish.document import environment, policy, styles
from jevbias.publish.nav import nav_links

STYLES = ("page.css", "tables.css", "charts.css", "small_screens.css", "print.css")
MARKER = re.compile(r"^<!-- (\w+) -->$", re.MULTILINE)


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


@dataclass(frozen=True)
class Tile:
    """One figure above everything else, and the section that it comes from."""

    figure: str
    of: str
    name: str
    says: str
    section: str


def page_of(findings: Findings, key: str) -> str:
    """The page of one run; the same figures give the same bytes."""
    reading = findings.readings[key]
    head, *bodies = text_of(findings, key, on_page=True).split("\n## ")
    sections = tuple(_section(body) for body in bodies)
    style = styles(STYLES) + Markup((TEMPLATES / "findings.css").read_text(encoding="utf-8"))  # noqa: S704 - ours
    base = environment()
    made = base.overlay(loader=ChoiceLoader([FileSystemLoader(TEMPLATES), *filter(None, [base.loader])]))
    misread = next(section.id for section in sections if section.title.startswith("Two questions"))
    return made.get_template("findings.html.j2").render(
        title=TITLES[key],
        version=__version__,
        publisher=findings.publisher,
        banner=(
            f"Figures that {findings.publisher} published about its run of "
            f"{figures.moment(reading.run.figures.date).partition(',')[0]} on {reading.run.name}."
        ),
        nav=nav_links(nav_of(PAGES[key])),
        provenance=_rendered(head.partition("\n")[2], ""),
        tiles=_tiles(findings, reading),
        sections=sections,
        forest=forest_of(reading),
        case_lines=case_lines_of(findings.misread, misread),
        scatter=scatter_of(findings.side, findings.readings["jev"], findings.readings["claude"]),
        rows=tuple(_row(read) for read in reading.rows),
        file=reading.run.file,
        style=style,
        policy=policy(style),
    )


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
    return Section(_slug(title), title, tuple(pieces))


def _slug(title: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def _tiles(findings: Findings, reading: Reading) -> tuple[Tile, ...]:
    run = reading.run.figures
    found, asked = "what-stands", "what-its-design-could-not-show"
    tiles = [
        Tile(
            figures.count(run.visible_significant),
            figures.count(run.visible),
            "Published as found",
            "visible swaps beyond the noise as the publication took it",
            found,
        ),
        Tile(
            f"{len(reading.standing)}†",
            figures.count(run.visible_significant),
            "Stand",
            f"with the noise stretched {figures.plain(run.understated)} times, on these people and cases",
            found,
        ),
        Tile(
            figures.count(run.control_significant),
            figures.count(run.controls),
            "False alarms",
            "swaps that the model could not see and that came out all the same",
            asked,
        ),
    ]
    if reading.run.key == "jev":
        says = "could be shown to hold for other people: no test over people was published"
        return (*tiles, Tile("0", figures.count(run.visible), "Other people", says, asked))
    side = findings.side
    agree = Tile(
        f"{len(side.both_same)}†",
        f"{len(side.both)}†",
        "Same direction as Jev",
        "swaps that were published as found of both",
        "read-against-jev",
    )
    return (*tiles, agree)


def _row(read: ReadRow) -> dict[str, str]:
    row = read.row
    return {
        "id": row_id(read),
        "css": row_css(read),
        "swap": row.swap,
        "condition": row.condition.replace("_", " "),
        "reference": row.reference.replace("_", " "),
        "protected": "yes" if row.protected else "no",
        "delta": figures.delta(row.delta),
        "interval": figures.interval((read.low, read.high)),
        "q": figures.plain(row.q),
        "outcome": read.outcome,
    }


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
