"""A report as one self-contained page: no build step, no network, readable without JavaScript."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from jevbias.publish import figures
from jevbias.publish.brief import brief
from jevbias.publish.conditions import conditions
from jevbias.publish.contrasts import contrasts
from jevbias.publish.credibility import credibility
from jevbias.publish.findings import Reading
from jevbias.publish.found import element_id, found
from jevbias.publish.hypotheses import hypotheses_section
from jevbias.publish.interval_glyph import HEIGHT, WIDTH
from jevbias.publish.limits import limits
from jevbias.publish.matrix import matrix
from jevbias.publish.measured import answering_model, measured
from jevbias.publish.nav import nav_links
from jevbias.publish.page_data import page_data, script_json
from jevbias.publish.plain_text import printable
from jevbias.report.run_report import RunReport

STYLES = ("page.css", "tables.css", "matrix.css", "small_screens.css", "print.css")
SCRIPTS = (
    "figures.js",
    "rows.js",
    "row_figures.js",
    "csv.js",
    "comparison_table.js",
    "question_rows.js",
    "fit_figures.js",
    "links.js",
    "matrix.js",
    "start.js",
)
"""In this order they are one script: each uses what stands before it."""


def render_page(report: RunReport, *, title: str | None = None, nav: Sequence[tuple[str, str]] = ()) -> str:
    """The page of a run, drawn from its report alone; the same report gives the same bytes.

    `title` replaces the page's question as its heading; `nav` holds (label, address) pairs for links to other
    pages, relative or https. Raises UsageError for any other address.
    """
    links = nav_links(nav)
    reading = Reading(report)
    style, script = _style(), _script()
    return (
        _environment()
        .get_template("page.html.j2")
        .render(
            title=printable(title).strip() if title and printable(title).strip() else _question(report),
            run=report.run,
            nav=links,
            brief=brief(reading),
            measured=measured(report),
            credibility=credibility(reading),
            hypotheses=hypotheses_section(report.hypotheses),
            contrasts=contrasts(report.factorial),
            found=found(reading),
            matrix=matrix(reading),
            conditions=conditions(report),
            limits=limits(report),
            data=script_json(page_data(reading)),
            style=style,
            script=script,
            policy=_policy(style, script),
        )
    )


def breakable(text: str) -> Markup:
    """Escaped text whose long keys and names may break after an underscore, a slash or a colon."""
    return Markup("<wbr>").join(
        escape(part) for part in re.split(r"(?<=_)|(?<=\w[/:])(?=\w)", printable(text))
    )


def _question(report: RunReport) -> str:
    return f"Does {answering_model(report.run)} decide differently when only the person changes?"


def _policy(style: str, script: str) -> str:
    """A Content-Security-Policy under which nothing runs or loads but what the page itself holds."""
    return "; ".join(
        (
            "default-src 'none'",
            f"style-src '{_digest(style)}'",
            f"script-src '{_digest(script)}'",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )


def _digest(text: str) -> str:
    return "sha256-" + b64encode(sha256(text.encode()).digest()).decode()


@cache
def _style() -> Markup:
    return _joined("style", STYLES)


@cache
def _script() -> Markup:
    body = _joined("script", SCRIPTS)
    return Markup('(() => {\n"use strict";\n') + body + Markup("})();\n")


def _joined(folder: str, names: Sequence[str]) -> Markup:
    """Style sheets or scripts of this package one after the other: ours, so they go in as they are."""
    static = files("jevbias.publish").joinpath("static", folder)
    text = "\n".join(static.joinpath(name).read_text(encoding="utf-8") for name in names)
    return Markup(text)  # noqa: S704 - files of this package, never text of a report


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("jevbias.publish", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(
        element_id=element_id,
        breakable=breakable,
        printable=printable,
        level=figures.level,
        signed=figures.delta,
        spread=figures.spread,
        count=figures.count,
        moment=figures.moment,
        shares=figures.shares,
        interval=figures.interval,
        p=figures.p_value,
    )
    environment.globals.update(glyph_width=WIDTH, glyph_height=HEIGHT)
    return environment
