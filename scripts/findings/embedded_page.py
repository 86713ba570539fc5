"""FINDINGS-sparrow.md as a static page, beside the reports that it is about."""

from __future__ import annotations

from jinja2 import ChoiceLoader, FileSystemLoader
from site_nav import nav_of

from findings.embedded_text import PAGE, TITLE, embedded_text
from findings.sections import sections_of, text_styles
from findings.shipped import Shipped
from findings.writing import TEMPLATES
from jevbias import __version__
from jevbias.publish.document import environment, policy, styles
from jevbias.publish.nav import nav_links

STYLES = ("page.css", "tables.css", "small_screens.css", "print.css")


def embedded_page(shipped: Shipped) -> str:
    """The page; the same reports give the same bytes."""
    opening, sections = sections_of(embedded_text(shipped, on_page=True))
    style = styles(STYLES) + text_styles("text.css")
    base = environment()
    made = base.overlay(loader=ChoiceLoader([FileSystemLoader(TEMPLATES), *filter(None, [base.loader])]))
    return made.get_template("sparrow.html.j2").render(
        title=TITLE,
        version=__version__,
        nav=nav_links(nav_of(PAGE)),
        opening=opening,
        sections=sections,
        style=style,
        policy=policy(style),
    )
