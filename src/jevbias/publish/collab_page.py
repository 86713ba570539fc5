"""A collaboration bench as one self-contained page that runs no script at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from jevbias.publish import figures
from jevbias.publish.charts.axes import Axis, Tick
from jevbias.publish.collab import (
    ARMS,
    LIMITS,
    calls_text,
    checks_text,
    efficiency_text,
    ends_text,
    facts,
    illegal_text,
    level_sentence,
    outcomes,
    pair_text,
    rate_text,
    tokens_text,
    what_was_benched,
)
from jevbias.publish.document import environment, policy, styles
from jevbias.publish.nav import nav_links
from jevbias.publish.plain_text import printable
from jevbias.report.collab import ArmRow, CollabReport, PairedRow, UseRow

STYLES = ("page.css", "tables.css", "compared.css", "charts.css", "small_screens.css", "print.css")
ACROSS = Axis(0.0, 1.0, 5, 95)
"""Success rates, over the width of a picture in per cent."""


@dataclass(frozen=True)
class ArmView:
    """One arm on one level: a dot with its interval, and the cells of its table row."""

    arm: str
    about: str
    dot: str | None
    start: str
    width: str
    rate: str
    interval: str
    cells: tuple[str, ...]


@dataclass(frozen=True)
class PairView:
    """Two arms on one level."""

    first: str
    second: str
    about: str
    css: str
    cells: tuple[str, ...]
    says: str


@dataclass(frozen=True)
class LevelView:
    """One level with everything that was played on it."""

    anchor: str
    level: str
    flagged: bool
    sentence: str
    described: str
    arms: tuple[ArmView, ...]
    pairs: tuple[PairView, ...]


def render_collab(
    report: CollabReport, *, title: str | None = None, nav: Sequence[tuple[str, str]] = ()
) -> str:
    """The page of a bench, drawn from its report alone; the same one gives the same bytes.

    `title` replaces the heading; `nav` holds (label, address) pairs. Raises UsageError for an address that is
    neither relative nor https.
    """
    style = styles(STYLES)
    shown = printable(title).strip() if title else ""
    return (
        environment()
        .get_template("collab.html.j2")
        .render(
            title=shown or f"{printable(report.run.task)}: does pairing help?",
            version=report.run.jevbias_version,
            nav=nav_links(nav),
            stand_in=report.run.llm is not None and not report.run.llm_is_real,
            opening=what_was_benched(report),
            facts=facts(report),
            outcomes=outcomes(report),
            arms=[(arm, ARMS.get(arm, "")) for arm in report.run.arms],
            levels=[_level(number, report) for number in range(len(report.levels))],
            ticks=_ticks(),
            use=[_use(row) for row in report.use],
            latency=[
                (
                    printable(row.model),
                    figures.count(row.calls),
                    *(figures.milliseconds(value) for value in (row.mean, row.median, row.p95)),
                )
                for row in report.timing.latency
            ],
            notes=[printable(note) for note in report.notes],
            limits=LIMITS,
            style=style,
            policy=policy(style),
        )
    )


def _level(number: int, report: CollabReport) -> LevelView:
    level = report.levels[number]
    rows = [row for row in report.arms if row.level == level.level]
    name = printable(level.level)
    said = [f"{row.arm} {figures.share(row.rate)}" for row in rows]
    return LevelView(
        anchor=f"level-{number + 1}",
        level=name,
        flagged=level.flag is not None or level.doubt is not None,
        sentence=level_sentence(report, level),
        described=f"Success rates on {name}: {', '.join(said)}",
        arms=tuple(_arm(row) for row in rows),
        pairs=tuple(_pair(row) for row in report.comparisons if row.level == level.level),
    )


def _arm(row: ArmRow) -> ArmView:
    low, high = row.interval or (0.0, 0.0)
    return ArmView(
        arm=printable(row.arm),
        about=printable(row.about),
        dot=None if row.rate is None else ACROSS.at(row.rate),
        start=ACROSS.at(low),
        width=ACROSS.width(low, high),
        rate=figures.share(row.rate),
        interval=figures.shares(row.interval),
        cells=(
            rate_text(row),
            figures.share(row.rate),
            figures.shares(row.interval),
            efficiency_text(row),
            figures.short(row.steps),
            illegal_text(row),
            checks_text(row),
            figures.level(row.confidence),
            ends_text(row),
        ),
    )


def _pair(row: PairedRow) -> PairView:
    return PairView(
        first=printable(row.first),
        second=printable(row.second),
        about=printable(row.about),
        css="differs" if row.significant else "unclear",
        cells=(
            pair_text(row),
            figures.points(row.difference),
            figures.p_value(row.p),
            figures.p_value(row.p_levels),
            figures.p_value(row.p_all),
        ),
        says=printable(row.says),
    )


def _use(row: UseRow) -> tuple[str, ...]:
    return (
        printable(row.arm),
        printable(row.level),
        printable(row.model),
        calls_text(row),
        figures.short(row.calls_per_episode),
        tokens_text(row),
        figures.money(row.cost),
        printable(row.about),
    )


def _ticks() -> tuple[Tick, ...]:
    return tuple(Tick(ACROSS.at(share), f"{share:.0%}") for share in (0.0, 0.25, 0.5, 0.75, 1.0))
