"""A battery as one self-contained page that runs no script."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from jevbias.publish import figures
from jevbias.publish.battery_words import (
    MOST_LOST,
    MOST_NEAR,
    adjusted_text,
    interval_text,
    length_text,
    measured_sentence,
    near_sentence,
    noise_sentence,
    score_interval,
    score_text,
    steadiness_sentence,
    strongest_sentence,
    trust_sentence,
)
from jevbias.publish.charts.effect_bars import Effect, effect_bars
from jevbias.publish.document import environment, policy, styles
from jevbias.publish.nav import nav_links
from jevbias.publish.plain_text import printable
from jevbias.report.battery import AxisEffect, BatteryReport

STYLES = ("page.css", "tables.css", "charts.css", "battery.css", "small_screens.css", "print.css")


@dataclass(frozen=True)
class AxisView:
    """One axis as the page writes it."""

    name: str
    control: str
    d: str
    interval: str
    p: str
    q: str
    mean: str
    mean_interval: str
    sd: str
    noise_sd: str
    quiet_d: str
    signs: str
    pairs: str
    families: str
    effective: str
    reading: str
    length: str
    explained: str
    adjusted: str
    adjusted_interval: str
    about: str
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Tile:
    """One figure above everything else, with what it says and the section that it comes from."""

    figure: str
    name: str
    says: str
    section: str


def render_battery(
    report: BatteryReport, *, title: str | None = None, nav: Sequence[tuple[str, str]] = ()
) -> str:
    """The page of a battery, drawn from its report alone; the same report gives the same bytes.

    Raises UsageError for an address of `nav` that is neither relative nor https.
    """
    style = styles(STYLES)
    shown = printable(title).strip() if title else ""
    axes = tuple(report.per_axis.values())
    bars = effect_bars(
        [(axis.axis, _about(axis), [Effect(axis.d, axis.d_interval)]) for axis in axes], [report.run.model]
    )
    return (
        environment()
        .get_template("battery.html.j2")
        .render(
            title=shown or f"{printable(report.run.model)}: what its scores quietly pay for",
            version=report.run.jevbias_version,
            nav=nav_links(nav),
            tiles=_tiles(report),
            measured=measured_sentence(report),
            strongest=strongest_sentence(report),
            trust=trust_sentence(report),
            gauge=f"{report.gauge}: {report.gauge_says}",
            noise=noise_sentence(report),
            steadiness=steadiness_sentence(report),
            bars=bars,
            axes=tuple(_view(axis) for axis in axes),
            controls=tuple(printable(outcome.says) for outcome in report.controls),
            facts=_facts(report),
            near=tuple(near_sentence(near) for near in report.near_duplicates[:MOST_NEAR]),
            near_left=max(len(report.near_duplicates) - MOST_NEAR, 0) + report.near_duplicates_left,
            lost=tuple(
                f"{printable(lost.pair)}, side {lost.side}: {printable(lost.reason)}"
                for lost in report.lost[:MOST_LOST]
            ),
            lost_left=max(len(report.lost) - MOST_LOST, 0),
            notes=tuple(printable(note) for note in report.notes),
            style=style,
            policy=policy(style),
        )
    )


def _about(axis: AxisEffect) -> str:
    return f"{axis.control} control; {axis.reading}" if axis.control else axis.reading


def _tiles(report: BatteryReport) -> tuple[Tile, ...]:
    strongest = report.per_axis.get(report.strongest_axis or "")
    first = Tile(
        figures.NOT_AVAILABLE if strongest is None else figures.delta(strongest.d, 2),
        "Strongest axis",
        "no axis has an effect size"
        if strongest is None
        else f"{printable(strongest.axis)}, in SDs of a difference",
        "axes",
    )
    features = [axis for axis in report.per_axis.values() if axis.control is None]
    followed = sum(axis.shown for axis in features)
    tiles = [
        first,
        Tile(
            f"{followed} of {len(features)}",
            "Features that scores follow",
            f"q below {figures.plain(report.run.alpha)}; d's interval leaves zero out, or all move alike",
            "axes",
        ),
    ]
    tiles += [
        Tile(
            figures.delta(report.per_axis[outcome.axis].d, 2),
            f"{outcome.control.capitalize()} control",
            f"{printable(outcome.axis)}: {outcome.outcome}",
            "controls",
        )
        for outcome in report.controls[:2]
    ]
    return tuple(tiles)


def _view(axis: AxisEffect) -> AxisView:
    length = axis.length
    return AxisView(
        name=printable(axis.axis),
        control=axis.control or "",
        d=figures.delta(axis.d, 2),
        interval=interval_text(axis.d_interval),
        p=figures.p_value(axis.p),
        q=figures.p_value(axis.q),
        mean=score_text(axis.mean, signed=True),
        mean_interval=score_interval(axis.mean_interval),
        sd=score_text(axis.sd),
        noise_sd=score_text(axis.noise_sd),
        quiet_d=figures.delta(axis.d_without_noise, 2),
        signs=f"{axis.up} up, {axis.down} down, {axis.ties} tied",
        pairs=figures.count(axis.pairs),
        families=figures.count(axis.families),
        effective=figures.short(axis.effective_n),
        reading=printable(axis.reading),
        length=length_text(axis),
        explained=figures.NOT_AVAILABLE if length is None else figures.share(length.r_squared),
        adjusted=adjusted_text(axis),
        adjusted_interval=interval_text(None if length is None else length.d_interval),
        about=printable(axis.about or ""),
        notes=tuple(printable(note) for note in axis.notes),
    )


def _facts(report: BatteryReport) -> tuple[tuple[str, str], ...]:
    run = report.run
    facts = [
        ("Run", run.name),
        ("Model", ", ".join(run.models_answered) or run.model),
        ("Asked through", run.driver),
        ("Scorer", run.scorer),
        ("Question", run.question or "none: scores of its own"),
        ("Pairs", f"{run.pairs_source}, {run.pairs_hash[:12]}"),
        ("Calls", f"{run.answered:,} of {run.calls:,} answered"),
        ("Cost", figures.money(run.cost)),
        ("Finished", figures.moment(run.finished_at)),
        ("Seed", str(run.seed)),
    ]
    return tuple((name, printable(text)) for name, text in facts)
