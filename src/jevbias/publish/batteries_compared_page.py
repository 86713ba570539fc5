"""Two batteries side by side as one self-contained page that runs no script."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from jevbias.publish import figures
from jevbias.publish.batteries_compared_terminal import said
from jevbias.publish.battery_page import STYLES
from jevbias.publish.battery_words import interval_text
from jevbias.publish.charts.effect_bars import Effect, effect_bars
from jevbias.publish.document import environment, policy, styles
from jevbias.publish.nav import nav_links
from jevbias.publish.plain_text import printable
from jevbias.report.batteries_compared import AxisSide, ComparedAxis, ComparedBatteries


@dataclass(frozen=True)
class ComparedView:
    """One axis of both runs as the page writes it."""

    name: str
    control: str
    sides: tuple[tuple[str, str, str], ...]
    """Per run: d, its interval, q."""
    says: str
    difference: str
    difference_interval: str


def render_compared_batteries(
    compared: ComparedBatteries, *, title: str | None = None, nav: Sequence[tuple[str, str]] = ()
) -> str:
    """The page of two batteries, drawn from their comparison alone.

    Raises UsageError for an address of `nav` that is neither relative nor https.
    """
    style = styles(STYLES)
    shown = printable(title).strip() if title else ""
    labels = _labels(compared)
    bars = effect_bars([(row.axis, row.agreement, _effects(row)) for row in compared.axes], labels)
    return (
        environment()
        .get_template("batteries_compared.html.j2")
        .render(
            title=shown or f"{labels[0]} beside {labels[1]}: what scores quietly pay for",
            version=compared.second.jevbias_version,
            nav=nav_links(nav),
            labels=labels,
            sentences=tuple(said(compared)),
            bars=bars,
            axes=tuple(_view(row) for row in compared.axes),
            facts=tuple(
                tuple((name, printable(text)) for name, text in side)
                for side in (_facts(compared, second=False), _facts(compared, second=True))
            ),
            notes=tuple(printable(note) for note in compared.notes),
            style=style,
            policy=policy(style),
        )
    )


def _labels(compared: ComparedBatteries) -> tuple[str, str]:
    """The models where they differ, else the runs."""
    one, other = compared.first, compared.second
    if one.model != other.model:
        return printable(one.model), printable(other.model)
    return printable(one.name), printable(other.name)


def _effects(row: ComparedAxis) -> list[Effect]:
    return [Effect(side.d, side.d_interval) for side in (row.first, row.second)]


def _view(row: ComparedAxis) -> ComparedView:
    return ComparedView(
        name=printable(row.axis),
        control=row.control or "",
        sides=tuple(_side(side) for side in (row.first, row.second)),
        says=printable(row.says),
        difference=figures.delta(row.difference, 2),
        difference_interval=interval_text(row.difference_interval),
    )


def _side(side: AxisSide) -> tuple[str, str, str]:
    return figures.delta(side.d, 2), interval_text(side.d_interval), figures.p_value(side.q)


def _of(row: ComparedAxis, *, second: bool) -> AxisSide:
    return row.second if second else row.first


def _range(values: Sequence[float | None]) -> str:
    """The least and the largest over the axes."""
    known = [value for value in values if value is not None]
    if not known:
        return figures.NOT_AVAILABLE
    texts = [f"{value:.3g}" for value in (min(known), max(known))]
    return texts[0] if texts[0] == texts[1] else " to ".join(texts)


def _facts(compared: ComparedBatteries, *, second: bool) -> list[tuple[str, str]]:
    side = compared.second if second else compared.first
    return [
        ("Run", side.name),
        ("Model", side.model),
        ("Asked through", side.driver),
        ("Scorer", side.scorer),
        ("Pairs", side.pairs_hash[:12]),
        ("Scores a reply", _range([_of(row, second=second).repeats for row in compared.axes])),
        ("Noise in a difference, SD", _range([_of(row, second=second).noise_sd for row in compared.axes])),
    ]
