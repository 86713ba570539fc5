"""What was found: every comparison of a swapped person with an anchor, with its verdict and three claims."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import quote

from jevbias.publish import figures
from jevbias.publish.cautions import caution
from jevbias.publish.decisions import decision_rule, has_decisions
from jevbias.publish.finding_sentences import (
    claims,
    findings_sentence,
    needed,
    question_sentence,
    rule,
    smallest_effects,
)
from jevbias.publish.findings import Reading
from jevbias.publish.interval_glyph import Glyph, GlyphScale
from jevbias.publish.moved_on_questions import MOST_ON_QUESTIONS, MovedRow, moved_on_questions
from jevbias.publish.plain_text import printable
from jevbias.publish.reach import beyond, reach_sentences
from jevbias.publish.row_cells import RowCells
from jevbias.publish.row_figures import FigureLine, placebo_text, row_figures
from jevbias.publish.swaps_on_questions import moved_sentence
from jevbias.publish.tracing import trace_command
from jevbias.publish.verdicts import MEANINGS, Tally, tally
from jevbias.report.comparison import Comparison


@dataclass(frozen=True)
class FoundRow:
    """One line of the table of pooled comparisons, every figure written out."""

    element_id: str
    attribute: str
    level: str
    phrase: str
    reference: str
    condition: str
    protected: bool
    control: bool
    css: str
    outcome: str
    placebo: str
    claims: str
    cells: RowCells
    glyph: Glyph | None
    general: str
    figures: tuple[FigureLine, ...]
    trace: str


@dataclass(frozen=True)
class GroupRow:
    """One line of the summary: a kind of swap under one condition."""

    name: str
    condition: str
    tally: Tally
    false: int
    is_control: bool


@dataclass(frozen=True)
class Found:
    """What the template of this section shows."""

    sentence: str
    rule: str
    claims: tuple[str, ...]
    needed: str
    reach: str
    beyond: str
    effects: str
    caution: str
    not_applicable: str | None
    groups: tuple[GroupRow, ...]
    glyph_scale: GlyphScale
    rows: tuple[FoundRow, ...]
    on_questions: tuple[MovedRow, ...]
    more_on_questions: int
    question_sentence: str
    traces: str
    decision_rule: str
    meanings: tuple[tuple[str, str], ...]
    has_decisions: bool
    sorted_by_verdict: bool


def found(reading: Reading) -> Found:
    """The findings tables in reading order; no pooled table where nothing is pooled."""
    scale = GlyphScale(reading.pooled, reading.report.run.margin)
    pooled = [] if reading.nothing_pooled else reading.pooled
    on_questions = moved_on_questions(reading)
    present = {row.verdict for row in reading.report.comparisons}
    decided = has_decisions(reading)
    three = claims(reading)
    return Found(
        sentence=findings_sentence(reading),
        rule="" if three else rule(reading),
        claims=three,
        needed=needed(reading),
        reach=reach_sentences(reading.report),
        beyond=beyond(reading.report),
        effects=smallest_effects(reading),
        caution=caution(reading),
        not_applicable=_not_applicable(reading),
        groups=tuple(_groups(reading, pooled)),
        glyph_scale=scale,
        rows=tuple(_row(reading, row, scale.glyph(row)) for row in pooled),
        on_questions=on_questions[:MOST_ON_QUESTIONS],
        more_on_questions=max(len(on_questions) - MOST_ON_QUESTIONS, 0),
        question_sentence=question_sentence(reading) if reading.nothing_pooled else moved_sentence(reading),
        traces=trace_command("CONDITION/SWAP/QUESTION", reading.report.run.name),
        decision_rule=decision_rule(reading.report.run.threshold) if decided else "",
        meanings=tuple((name, text) for name, text in MEANINGS.items() if name in present),
        has_decisions=decided,
        sorted_by_verdict=reading.has_verdicts,
    )


def element_id(identifier: str) -> str:
    """A report's id as the id of an element and, after `#`, as a link to it."""
    return quote(identifier, safe="/=.-_~")


def _row(reading: Reading, row: Comparison, glyph: Glyph | None = None) -> FoundRow:
    return FoundRow(
        element_id=element_id(row.id),
        attribute=printable(row.attribute_label),
        level=printable(row.level),
        phrase=printable(row.level_phrase or ""),
        reference=printable(row.reference),
        condition=printable(row.condition),
        protected=row.protected,
        control=not row.visible,
        css=reading.state(row).css,
        outcome=reading.outcome_text(row),
        placebo=placebo_text(row) if row.within_placebo_range and reading.state(row).moved else "",
        claims=reading.claims(row).marks,
        cells=RowCells.of(row),
        glyph=glyph,
        general=figures.interval(row.ci_general),
        figures=row_figures(row),
        trace=trace_command(row.id, reading.report.run.name),
    )


def _groups(reading: Reading, pooled: list[Comparison]) -> list[GroupRow]:
    """Protected and other swaps per condition, from the richest condition down, then the controls."""
    kinds: tuple[tuple[str, bool, Callable[[Comparison], bool]], ...] = (
        ("Protected attributes", False, lambda row: row.visible and row.protected),
        ("Other attributes", False, lambda row: row.visible and not row.protected),
        ("Controls: the model could not see the swap", True, lambda row: not row.visible),
    )
    groups = []
    for name, is_control, belongs in kinds:
        for condition in conditions_richest_first(reading):
            rows = [row for row in pooled if row.condition == condition and belongs(row)]
            if rows:
                false = sum(reading.state(row).moved for row in rows) if is_control else 0
                groups.append(GroupRow(name, printable(condition), tally(rows), false, is_control))
    return groups


def conditions_richest_first(reading: Reading) -> list[str]:
    """The conditions that have comparisons, from the one that shows most of the person down."""
    known = ["full", "name_only", "blind"]
    present = {row.condition for row in reading.report.comparisons}
    return [name for name in known if name in present] + sorted(present.difference(known))


def _not_applicable(reading: Reading) -> str | None:
    if reading.criterion == "margin" or not any(row.delta is not None for row in reading.report.comparisons):
        return None
    if reading.criterion == "none":
        return "q reads n/a because the run has too few repeated requests to tell a difference from noise."
    rows = reading.per_question if reading.nothing_pooled else reading.pooled
    if any(row.q is None for row in rows):
        return "Where q reads n/a, the noise behind that comparison could not be estimated; see the notes."
    return None
