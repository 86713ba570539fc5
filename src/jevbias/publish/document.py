"""What every page is made of: one file that holds its styles and scripts, under a policy of its own."""

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
from jevbias.publish.found import element_id
from jevbias.publish.interval_glyph import HEIGHT, WIDTH
from jevbias.publish.plain_text import printable
from jevbias.publish.tracing import trace_command


def policy(style: str, script: str | None = None) -> str:
    """A Content-Security-Policy under which nothing runs or loads but what the page itself holds; without
    `script` nothing runs at all.
    """
    return "; ".join(
        (
            "default-src 'none'",
            f"style-src '{_digest(style)}'",
            *((f"script-src '{_digest(script)}'",) if script is not None else ()),
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )


@cache
def styles(names: tuple[str, ...]) -> Markup:
    """Style sheets of `static/style`, one after the other."""
    return _joined("style", names)


@cache
def scripts(names: tuple[str, ...]) -> Markup:
    """Scripts of `static/script` as one: each uses what stands before it."""
    return Markup('(() => {\n"use strict";\n') + _joined("script", names) + Markup("})();\n")


@cache
def environment() -> Environment:
    """The templates, escaping everything, with the filters that write figures and texts of others."""
    made = Environment(
        loader=PackageLoader("jevbias.publish", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters.update(
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
        trace=trace_command,
    )
    made.globals.update(glyph_width=WIDTH, glyph_height=HEIGHT)
    return made


def breakable(text: str) -> Markup:
    """Escaped text whose long keys and names may break after an underscore, a slash or a colon."""
    return Markup("<wbr>").join(
        escape(part) for part in re.split(r"(?<=_)|(?<=\w[/:])(?=\w)", printable(text))
    )


def _digest(text: str) -> str:
    return "sha256-" + b64encode(sha256(text.encode()).digest()).decode()


def _joined(folder: str, names: Sequence[str]) -> Markup:
    """Style sheets or scripts of this package one after the other: ours, so they go in as they are."""
    static = files("jevbias.publish").joinpath("static", folder)
    text = "\n".join(static.joinpath(name).read_text(encoding="utf-8") for name in names)
    return Markup(text)  # noqa: S704 - files of this package, never text of a report
