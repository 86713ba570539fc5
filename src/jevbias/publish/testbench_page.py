"""The test bench's report as one self-contained page that runs no script."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from jevbias.publish import figures
from jevbias.publish.charts.axes import Axis, Tick
from jevbias.publish.document import environment, policy, styles
from jevbias.publish.nav import nav_links
from jevbias.publish.plain_text import printable
from jevbias.publish.testbench import LIMITS, bench_view
from jevbias.publish.testbench_shapes import Picture
from jevbias.report.testbench import TestbenchReport

STYLES = ("page.css", "tables.css", "compared.css", "charts.css", "small_screens.css", "print.css")
_TICKS = 5


@dataclass(frozen=True)
class StripView:
    """One row of a picture, in per cent of its width."""

    label: str
    start: str
    width: str
    dot: str
    text: str


@dataclass(frozen=True)
class PictureView:
    """A picture as it is drawn."""

    title: str
    says: str
    strips: tuple[StripView, ...]
    ticks: tuple[Tick, ...]
    described: str


def render_testbench(
    report: TestbenchReport, *, title: str | None = None, nav: Sequence[tuple[str, str]] = ()
) -> str:
    """The page, drawn from the report alone; the same one gives the same bytes. `title` replaces the heading,
    `nav` holds (label, address) pairs. Raises UsageError for an address that is neither relative nor https.
    """
    view, style = bench_view(report), styles(STYLES)
    return (
        environment()
        .get_template("testbench.html.j2")
        .render(
            title=printable(title).strip() if title else view.title,
            version=report.run.jevbias_version,
            nav=nav_links(nav),
            view=view,
            pictures={part.anchor: tuple(map(_drawn, part.pictures)) for part in view.parts},
            limits=LIMITS,
            style=style,
            policy=policy(style),
        )
    )


def _drawn(picture: Picture) -> PictureView:
    values = [value for strip in picture.strips for value in (strip.low, strip.at, strip.high)]
    low, high = min(0.0, *values), max(0.0, *values)
    if high - low <= 0:
        low, high = (0.0, 1.0) if picture.from_zero else (-1.0, 1.0)
    room = 0.03 * (high - low)
    axis = Axis(low if picture.from_zero else low - room, high + room, 0, 100)
    strips = tuple(
        StripView(
            strip.label,
            axis.at(min(strip.low, strip.high)),
            axis.width(min(strip.low, strip.high), max(strip.low, strip.high)),
            axis.at(strip.at),
            strip.text,
        )
        for strip in picture.strips
    )
    ticks = axis.ticks(_TICKS, signed=not picture.from_zero)
    said = figures.listed([f"{strip.label} {strip.text}" for strip in picture.strips])
    return PictureView(picture.title, picture.says, strips, ticks, f"{picture.title}: {said}")
