"""The figures of one comparison beyond those that a table's columns show, claim by claim.

`static/script/row_figures.js` writes the same for the rows that the page builds in the browser.
"""

from __future__ import annotations

from typing import NamedTuple

from jevbias.publish import figures
from jevbias.publish.decisions import decision_text
from jevbias.publish.plain_text import printable
from jevbias.report.comparison import Comparison


class FigureLine(NamedTuple):
    """A line of figures, and what they are about."""

    about: str
    text: str


def row_figures(row: Comparison) -> tuple[FigureLine, ...]:
    """What else the report says of a comparison; nothing that it could not estimate."""
    lines = [
        FigureLine("missing", printable(row.missing_claim or "")),
        FigureLine("(a) noise", _noise(row)),
        FigureLine("(b) people", _people(row)),
        FigureLine("(c) cases", _cases(row)),
        FigureLine("evidence", _evidence(row)),
        FigureLine("decisions", decision_text(row.decisions, row.pairs) if row.decisions else ""),
        FigureLine("placebos", placebo_text(row)),
    ]
    return tuple(line for line in lines if line.text)


def placebo_text(row: Comparison) -> str:
    """Whether an edit that should not matter moves answers as far; empty without placebos."""
    if row.within_placebo_range is None:
        return ""
    return "within placebo range" if row.within_placebo_range else "beyond placebo range"


def _noise(row: Comparison) -> str:
    parts = [f"95% {figures.interval(row.ci_noise)}"] if row.ci_noise else []
    if row.p_noise is not None:
        parts.append(f"p {figures.p_value(row.p_noise)}")
    return "; ".join([*parts, *_smallest(row.mde_noise, row.mde_noise_adjusted)])


def _people(row: Comparison) -> str:
    parts = [f"95% {figures.interval(row.ci_people)}"] if row.ci_people else []
    if row.ci_people_90:
        parts.append(f"90% {figures.interval(row.ci_people_90)}")
    if row.p_people is not None:
        floor = f" (smallest possible {figures.p_value(row.p_people_floor)})" if row.p_people_floor else ""
        parts.append(f"p {figures.p_value(row.p_people)}{floor}")
    if row.p_max_t is not None:
        parts.append(f"max-T p {figures.p_value(row.p_max_t)}")
    return "; ".join([*parts, *_smallest(row.mde_people, row.mde_people_adjusted)])


def _cases(row: Comparison) -> str:
    if row.ci_general is None:
        return ""
    sure = f"; 99% {figures.interval(row.ci_general_99)}" if row.ci_general_99 else ""
    p = f"; p {figures.p_value(row.p_general)}, q {figures.p_value(row.q_general)}"
    return f"95% {figures.interval(row.ci_general)}{sure}{p}"


def _smallest(single: float | None, adjusted: float | None) -> list[str]:
    if single is None:
        return []
    alone = "none" if adjusted is None else figures.spread(adjusted)
    return [f"smallest effect {figures.spread(single)} (corrected {alone})"]


def _evidence(row: Comparison) -> str:
    parts = [
        figures.counted(row.pairs, "pair"),
        f"effective n {figures.short(row.effective_n)}",
        f"bases down / up {row.bases_down} / {row.bases_up}",
    ]
    if row.question is None:
        parts.append(f"scenarios down / up {row.scenarios_down} / {row.scenarios_up}")
    if row.cohens_d is not None:
        parts.append(f"Cohen's d {figures.delta(row.cohens_d, 2)}")
    if row.delta_all_questions is not None:
        parts.append(f"over all questions, untested, {figures.delta(row.delta_all_questions)}")
    return "; ".join(parts)
