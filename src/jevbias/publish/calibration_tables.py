"""Calibration as tables of the page: controls against their expectation, and the ranges of placebos."""

from __future__ import annotations

from dataclasses import dataclass

from jevbias.publish import figures
from jevbias.publish.false_positives import limit_name
from jevbias.publish.plain_text import printable
from jevbias.report.calibration import CalibrationCounts
from jevbias.report.placebos import PlaceboRange
from jevbias.report.run_report import RunReport


@dataclass(frozen=True)
class ControlRow:
    """One line of the false-positive table."""

    family: str
    seen: str
    counts: CalibrationCounts
    significant_expected: str
    raw_expected: str
    uniformity: str
    share_of_discoveries: str


@dataclass(frozen=True)
class PlaceboRow:
    """One line of the placebos' table."""

    about: str
    row: PlaceboRange
    limit_name: str


def control_rows(report: RunReport) -> tuple[ControlRow, ...]:
    """Two lines per family; none where nothing was tested."""
    rows: list[ControlRow] = []
    families = (("Pooled", report.calibration.pooled), ("Per question", report.calibration.per_question))
    if not any(family.visible.tests + family.controls.tests for _, family in families):
        return ()
    for name, family in families:
        for seen, counts in (("could see", family.visible), ("could not see (controls)", family.controls)):
            is_control = counts is family.controls
            chance = f"{0.05 * counts.tests:.1f} by chance" if is_control else ""
            rows.append(
                ControlRow(
                    family=name,
                    seen=seen,
                    counts=counts,
                    significant_expected=_span(counts.expected_significant),
                    raw_expected=_span(counts.expected_raw_below_05) or chance,
                    uniformity=figures.p_value(counts.uniformity_p)
                    if counts.uniformity_p is not None
                    else "",
                    share_of_discoveries=(
                        figures.share(family.controls_share_of_discoveries) if is_control else ""
                    ),
                )
            )
    return tuple(rows)


def placebo_rows(report: RunReport) -> tuple[PlaceboRow, ...]:
    """A line per condition over the pooled questions, then per question."""
    ranges = report.placebos.ranges if report.placebos else []
    return tuple(
        PlaceboRow(
            about="all pooled questions" if row.question is None else printable(row.question),
            row=row,
            limit_name=limit_name(row),
        )
        for row in sorted(ranges, key=lambda row: row.question is not None)
    )


def _span(expected: tuple[int, int] | None) -> str:
    return "" if expected is None else f"{figures.count(expected[0])} to {figures.count(expected[1])}"
