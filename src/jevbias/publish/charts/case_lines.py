"""Does a question follow the case: its mean favourability from weak to strong, in a small picture each."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

from jevbias.publish import figures
from jevbias.publish.charts.axes import Axis, path
from jevbias.publish.found import element_id
from jevbias.publish.plain_text import printable
from jevbias.publish.validity import aside_for
from jevbias.report.run_report import RunReport, ValidityRow
from jevbias.report.validity_rule import WITHHELD

VARIANTS = ("weak", "mid", "strong")
WIDTH, HEIGHT = 120, 64
ACROSS = Axis(0, 2, 14, WIDTH - 14)
UPWARDS = Axis(0, 1, HEIGHT - 6, 6)


@dataclass(frozen=True)
class CaseLine:
    """One question; `points` are the variants that were answered, from weak to strong."""

    element_id: str
    name: str
    flag: str
    held: bool
    line: str
    points: tuple[tuple[str, str], ...]
    described: str


@dataclass(frozen=True)
class ScenarioLines:
    """The questions of one scenario."""

    scenario: str
    lines: tuple[CaseLine, ...]


def case_lines(report: RunReport) -> tuple[ScenarioLines, ...]:
    """The pictures, scenario by scenario; none of a question that met fewer than two variants."""
    rows = [row for row in report.validity if len(_means(row)) > 1]
    scenarios = groupby(rows, key=lambda row: row.question.partition(".")[0])
    return tuple(ScenarioLines(printable(name), tuple(map(_line, members))) for name, members in scenarios)


def _means(row: ValidityRow) -> dict[str, float]:
    return {variant: row.means[variant] for variant in VARIANTS if variant in row.means}


def _line(row: ValidityRow) -> CaseLine:
    means = _means(row)
    points = [(ACROSS.at(VARIANTS.index(variant)), UPWARDS.at(mean)) for variant, mean in means.items()]
    said = figures.listed([f"{variant} {figures.level(mean)}" for variant, mean in means.items()])
    flag = row.flag if row.pooled or row.flag in WITHHELD else aside_for(row)
    return CaseLine(
        element_id=element_id(row.id),
        name=printable(row.question.partition(".")[2] or row.question),
        flag=flag,
        held=not row.pooled,
        line=path(points),
        points=tuple(points),
        described=f"{printable(row.question)}: {said}; {flag}",
    )
