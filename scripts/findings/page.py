"""The findings as static pages: the words of the text, with pictures and every published row."""

from __future__ import annotations

from dataclasses import dataclass

from jinja2 import ChoiceLoader, FileSystemLoader
from site_nav import nav_of

from findings.pictures import case_lines_of, forest_of, row_css, row_id, scatter_of
from findings.reading import Reading, ReadRow
from findings.sections import sections_of, text_styles
from findings.writing import PAGES, TEMPLATES, TITLES, Findings, text_of
from jevbias import __version__
from jevbias.publish import figures
from jevbias.publish.document import environment, policy, styles
from jevbias.publish.nav import nav_links

STYLES = ("page.css", "tables.css", "charts.css", "small_screens.css", "print.css")


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
    provenance, sections = sections_of(text_of(findings, key, on_page=True))
    style = styles(STYLES) + text_styles("text.css", "findings.css")
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
        provenance=provenance,
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
