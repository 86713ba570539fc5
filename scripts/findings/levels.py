"""Whether the levels of an attribute move an answer apart, as a prejudice would, or all the same way."""

from __future__ import annotations

from dataclasses import dataclass

from findings.embedded import EmbeddedRun
from jevbias.report.comparison import Comparison

OPPOSITES = (
    ("caste_signal", "marginalised", "privileged"),
    ("trans_status", "transgender", "cisgender"),
    ("age_band", "late_twenties", "sixties"),
    ("age_band", "late_twenties", "fifties"),
    ("bmi_band", "underweight", "obese"),
    ("bmi_band", "underweight", "overweight"),
    ("height_band", "short", "tall"),
    ("political_affiliation", "left", "right"),
    ("education", "none", "elite_university"),
)
"""An attribute with two levels that lie on either side of its reference."""


@dataclass(frozen=True)
class SameVerdict:
    """Two opposite levels of an attribute with one verdict, `worse` or `better`, on one question."""

    first: Comparison
    second: Comparison


def other_levels(run: EmbeddedRun, row: Comparison) -> tuple[list[Comparison], list[Comparison]]:
    """The comparisons of the attribute's other levels on the row's question, shown as it was: those that move
    the answer the same way, and all.
    """
    place = (row.condition, row.attribute, row.question)
    others = [
        other
        for other in run.told
        if (other.condition, other.attribute, other.question) == place and other.level != row.level
    ]
    return [other for other in others if (other.delta or 0.0) * (row.delta or 0.0) > 0], others


def strongest_with_others(run: EmbeddedRun) -> list[Comparison]:
    """Of each attribute that reaches the margin the strongest comparison, where it has other levels."""
    return [row for row in run.by_attribute(run.moved) if other_levels(run, row)[1]]


def all_alike(run: EmbeddedRun) -> list[Comparison]:
    """Those of them whose other levels all move the answer the same way."""
    return [row for row in strongest_with_others(run) if len(set(map(len, other_levels(run, row)))) == 1]


def opposites_alike(run: EmbeddedRun) -> list[SameVerdict]:
    """Opposite levels that share a verdict on a question: each attribute's first that do, furthest first."""
    found: dict[str, SameVerdict] = {}
    for attribute, *levels in OPPOSITES:
        for row in run.shown:
            if row.attribute == attribute and row.level == levels[0]:
                same = [
                    r for r in other_levels(run, row)[0] if r.level == levels[1] and r.verdict == row.verdict
                ]
                if same:
                    found.setdefault(attribute, SameVerdict(row, same[0]))
    return sorted(found.values(), key=lambda pair: -abs(pair.first.delta or 0.0))
