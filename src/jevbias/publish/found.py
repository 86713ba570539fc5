"""Section 3, what was found: every pooled comparison, with what makes it a finding said beside it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import quote

from jevbias.publish import figures
from jevbias.publish.findings import Outcome, Reading, Tally
from jevbias.publish.interval_glyph import Glyph, GlyphScale
from jevbias.publish.plain_text import printable
from jevbias.report.comparison import Comparison


@dataclass(frozen=True)
class FoundRow:
    """One line of the findings table, every figure written out."""

    anchor: str
    attribute: str
    level: str
    phrase: str
    reference: str
    condition: str
    protected: bool
    control: bool
    outcome: Outcome
    outcome_text: str
    verdict: str
    delta: str
    glyph: Glyph | None
    interval: str
    p: str
    q: str
    pairs: str
    effective_n: str
    bases: str
    scenarios: str
    all_questions: str


@dataclass(frozen=True)
class GroupRow:
    """One line of the summary: a kind of swap under one condition."""

    name: str
    condition: str
    tally: Tally
    is_control: bool


@dataclass(frozen=True)
class Found:
    """What the template of this section shows."""

    sentence: str
    rule: str
    caution: str
    not_applicable: str | None
    groups: tuple[GroupRow, ...]
    rows: tuple[FoundRow, ...]
    has_verdicts: bool
    has_all_questions: bool
    """Whether some question stays out of the pooled scores, so that a mean over all of them says more."""
    sorted_by_q: bool


def found(reading: Reading) -> Found:
    """The findings table in reading order."""
    scale = GlyphScale(reading.pooled, reading.report.run.margin)
    return Found(
        sentence=reading.sentence,
        rule=reading.rule,
        caution=reading.caution,
        not_applicable=_not_applicable(reading),
        groups=tuple(_groups(reading)),
        rows=tuple(_row(reading, scale, row) for row in reading.pooled),
        has_verdicts=reading.has_verdicts,
        has_all_questions=not all(row.pooled for row in reading.report.validity),
        sorted_by_q=reading.criterion == "noise",
    )


def anchor(identifier: str) -> str:
    """A report's id as the id of an element and, after `#`, as a link to it."""
    return quote(identifier, safe="/=.-_~")


def _row(reading: Reading, scale: GlyphScale, row: Comparison) -> FoundRow:
    return FoundRow(
        anchor=anchor(row.id),
        attribute=printable(row.attribute_label),
        level=printable(row.level),
        phrase=printable(row.level_phrase or ""),
        reference=printable(row.reference),
        condition=printable(row.condition),
        protected=row.protected,
        control=not row.visible,
        outcome=reading.outcome(row),
        outcome_text=reading.outcome_text(row),
        verdict=row.verdict or "",
        delta=figures.delta(row.delta),
        glyph=scale.glyph(row),
        interval=figures.interval(row.ci_noise),
        p=figures.p_value(row.p_noise),
        q=figures.p_value(row.q),
        pairs=figures.count(row.pairs),
        effective_n=figures.effective(row.effective_n),
        bases=f"{row.bases_down} / {row.bases_up}",
        scenarios=f"{row.scenarios_down} / {row.scenarios_up}",
        all_questions=figures.delta(row.delta_all_questions),
    )


def _groups(reading: Reading) -> list[GroupRow]:
    """Protected and other swaps per condition, from the richest condition down, then the controls."""
    kinds: tuple[tuple[str, bool, Callable[[Comparison], bool]], ...] = (
        ("Protected attributes", False, lambda row: row.visible and row.protected),
        ("Other attributes", False, lambda row: row.visible and not row.protected),
        ("Controls: the model could not see the swap", True, lambda row: not row.visible),
    )
    groups = []
    for name, is_control, belongs in kinds:
        for condition in conditions_richest_first(reading):
            rows = [row for row in reading.pooled if row.condition == condition and belongs(row)]
            if rows:
                groups.append(GroupRow(name, printable(condition), reading.tally(rows), is_control))
    return groups


def conditions_richest_first(reading: Reading) -> list[str]:
    """The conditions that have comparisons, from the one that shows most of the person down."""
    known = ["full", "name_only", "blind"]
    present = {row.condition for row in reading.report.comparisons}
    return [name for name in known if name in present] + sorted(present.difference(known))


def _not_applicable(reading: Reading) -> str | None:
    if not reading.pooled or reading.criterion == "margin":
        return None
    if reading.criterion == "none":
        return (
            "p and q read n/a because the run has too few repeated requests to tell a difference from noise."
        )
    if any(row.q is None for row in reading.pooled):
        return (
            "Where p and q read n/a, the noise behind that comparison could not be estimated; see the notes."
        )
    return None
