"""The contrasts of a factorial run as a section of the page: people who differ in everything at once."""

from __future__ import annotations

from dataclasses import dataclass

from jevbias.publish import figures
from jevbias.publish.found import element_id
from jevbias.publish.intersections import CellTable, cell_tables
from jevbias.publish.plain_text import printable
from jevbias.report.factorial import Contrast, ContrastCounts, Factorial, Interaction

MOST_ON_QUESTIONS = 40
MOST_EMPTY = 12
MOST_IN_CASE = 6
SCOPE = (
    "The contrasts of a factorial run speak for people drawn at random and for these cases, and get no "
    "verdict."
)


@dataclass(frozen=True)
class ContrastRow:
    """One line of a table of contrasts, every figure written out."""

    element_id: str
    attribute: str
    level: str
    reference: str
    protected: bool
    question: str
    condition: str
    css: str
    people: str
    delta: str
    interval: str
    p: str
    q: str
    d: str
    adjusted: str
    adjusted_q: str


@dataclass(frozen=True)
class InteractionRow:
    """Two levels that together do more or less than the sum of what each does."""

    element_id: str
    levels: str
    condition: str
    people: str
    contrast: str
    interval: str
    p: str
    q: str


@dataclass(frozen=True)
class Contrasts:
    """What the template of this section shows."""

    sentence: str
    scope: str
    rule: str
    controls: str
    in_case: str
    pooled: tuple[ContrastRow, ...]
    on_questions: tuple[ContrastRow, ...]
    cells: tuple[CellTable, ...]
    empty: str
    interactions_sentence: str
    interactions: tuple[InteractionRow, ...]


def contrasts(factorial: Factorial | None) -> Contrasts | None:
    """Pooled contrasts that the model could see, then those on single questions that came out.

    Everything stays in the report's own order: by q, then by size.
    """
    if factorial is None:
        return None
    rows = factorial.contrasts
    visible = [row for row in rows if row.visible]
    found = [row for row in visible if row.question is not None and row.significant and not row.withheld]
    interactions = [row for row in factorial.interactions if row.significant]
    return Contrasts(
        sentence=_sentence(factorial, visible),
        scope=SCOPE,
        rule=(
            f"Each level is set against its reference: the difference of people's means, adjusted for the "
            f"variant of the case, with a p from {figures.count(factorial.permutations)} permutations "
            f"({figures.count(factorial.most_permutations)} for the smallest) and a 95% interval from "
            f"{figures.count(factorial.bootstrap)} bootstrap samples; q is p after "
            "Benjamini-Hochberg over the family. “Adjusted” is the same level in a linear model of all "
            f"attributes at once ({figures.count(factorial.parameters)} parameters, "
            f"{figures.counted(factorial.degrees_of_freedom, 'degree')} of freedom left)."
        ),
        controls=_controls(factorial),
        in_case=_in_case(factorial),
        pooled=tuple(_row(row) for row in visible if row.question is None),
        on_questions=tuple(_row(row) for row in found[:MOST_ON_QUESTIONS]),
        cells=cell_tables(factorial.cells),
        empty=_empty(factorial.empty_cells),
        interactions_sentence=_interactions(factorial, len(interactions)),
        interactions=tuple(_interaction(row) for row in interactions),
    )


def _sentence(factorial: Factorial, visible: list[Contrast]) -> str:
    pooled = [row for row in visible if row.question is None]
    found = [row for row in pooled if row.significant]
    down = sum((row.delta or 0.0) < 0 for row in found)
    return (
        f"Over {figures.counted(factorial.people, 'person', 'people')}, {figures.count(len(found))} of "
        f"{figures.counted(len(pooled), 'pooled contrast')} that the model could see came out: "
        f"{figures.count(down)} lower and {figures.count(len(found) - down)} higher than their reference."
    )


def _controls(factorial: Factorial) -> str:
    hidden, adjusted = factorial.hidden, factorial.adjusted_hidden
    if not hidden.tests:
        return "The model could see every attribute of every call, so there is no control."
    model = f"; in the linear model {_came_out(adjusted)}" if adjusted.tests else ""
    return (
        f"Of {figures.counted(hidden.tests, 'pooled contrast')} that the model could not see (nobody was "
        f"shown, or not that attribute), {_came_out(hidden)}, where chance alone gives about "
        f"{0.05 * hidden.tests:.1f}{model}."
    )


def _in_case(factorial: Factorial) -> str:
    """Contrasts that are no control, although the condition hides their level: the case tells it."""
    rows = [row for row in factorial.contrasts if row.in_case and row.question is None]
    if not rows:
        return ""
    named = [
        f"{printable(row.attribute)}={printable(row.level)} under {printable(row.condition)} "
        f"({figures.delta(row.delta)}, q {figures.p_value(row.q)})"
        for row in rows[:MOST_IN_CASE]
    ]
    more = f" and {figures.count(len(rows) - MOST_IN_CASE)} more" if len(rows) > MOST_IN_CASE else ""
    return (
        "Counted as neither seen nor control, because the facts of the case tell the level although the "
        f"model was not shown it (a career that a person's age caps): {figures.listed(named)}{more}."
    )


def _came_out(counts: ContrastCounts) -> str:
    return (
        f"{figures.count(counts.significant)} came out and {figures.count(counts.raw_below_05)} had a raw p "
        "below 0.05"
    )


def _interactions(factorial: Factorial, found: int) -> str:
    tested = sum(row.p is not None for row in factorial.interactions)
    untested = (
        f" {figures.counted(factorial.interactions_untested, 'pair')} of levels could not be tested, because "
        "one of their four cells is empty."
        if factorial.interactions_untested
        else ""
    )
    return (
        f"{figures.count(found)} of {figures.counted(tested, 'pair')} of levels do more or less together "
        f"than the sum of what each does.{untested}"
    )


def _empty(cells: list[str]) -> str:
    if not cells:
        return ""
    named = figures.listed([printable(cell) for cell in cells[:MOST_EMPTY]])
    more = f" and {figures.count(len(cells) - MOST_EMPTY)} more" if len(cells) > MOST_EMPTY else ""
    return f"Nobody has these two levels at once: {named}{more}."


def _row(row: Contrast) -> ContrastRow:
    way = "worse" if (row.delta or 0.0) < 0 else "better"
    return ContrastRow(
        element_id=element_id(row.id),
        attribute=printable(row.attribute_label),
        level=printable(row.level),
        reference=printable(row.reference),
        protected=row.protected,
        question=printable(row.question or ""),
        condition=printable(row.condition),
        css=way if row.significant else "still",
        people=f"{figures.count(row.people)} / {figures.count(row.reference_people)}",
        delta=figures.delta(row.delta),
        interval=figures.interval(row.interval),
        p=figures.p_value(row.p),
        q=figures.p_value(row.q),
        d=figures.delta(row.cohens_d, 2),
        adjusted=figures.delta(row.adjusted),
        adjusted_q=figures.p_value(row.adjusted_q),
    )


def _interaction(row: Interaction) -> InteractionRow:
    return InteractionRow(
        element_id=element_id(row.id),
        levels=_levels(row.levels),
        condition=printable(row.condition),
        people=f"{figures.count(row.people)} ({figures.count(row.fewest)})",
        contrast=figures.delta(row.contrast),
        interval=figures.interval(row.interval),
        p=figures.p_value(row.p),
        q=figures.p_value(row.q),
    )


def _levels(levels: dict[str, str]) -> str:
    return " and ".join(f"{printable(name)}={printable(level)}" for name, level in levels.items())
