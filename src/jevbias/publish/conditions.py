"""What attaching a person does: mean favourability per condition, and how far it shifts."""

from __future__ import annotations

from dataclasses import dataclass

from jevbias.publish import figures
from jevbias.publish.found import element_id
from jevbias.publish.plain_text import printable
from jevbias.report.run_report import ConditionRow, RunReport


@dataclass(frozen=True)
class ConditionColumn:
    """A condition, and the one its shift is measured from (None: it has no shift)."""

    name: str
    baseline: str | None


@dataclass(frozen=True)
class ConditionCell:
    """One condition on one question; `element_id` is empty where the report has no such figure."""

    element_id: str
    mean: str
    shift: str
    bases: str


@dataclass(frozen=True)
class ConditionLine:
    """One question, or those that are pooled together, with a cell per column."""

    question: str
    is_overall: bool
    cells: tuple[ConditionCell, ...]


@dataclass(frozen=True)
class Conditions:
    """What the template of this section shows."""

    sentence: str
    columns: tuple[ConditionColumn, ...]
    lines: tuple[ConditionLine, ...]


def conditions(report: RunReport) -> Conditions:
    """A line for the pooled questions together, then one per question; a column per condition."""
    rows = {(row.question, row.condition): row for row in report.conditions}
    baselines: dict[str, str | None] = {}
    for row in report.conditions:
        baselines[row.condition] = baselines.get(row.condition) or row.baseline
    questions = sorted(
        dict.fromkeys(question for question, _ in rows), key=lambda question: question is not None
    )
    return Conditions(
        sentence=_sentence(report),
        columns=tuple(
            ConditionColumn(printable(name), printable(baseline) if baseline else None)
            for name, baseline in baselines.items()
        ),
        lines=tuple(
            ConditionLine(
                question=_together(report) if question is None else printable(question),
                is_overall=question is None,
                cells=tuple(_cell(rows.get((question, condition))) for condition in baselines),
            )
            for question in questions
        ),
    )


def _cell(row: ConditionRow | None) -> ConditionCell:
    if row is None:
        return ConditionCell("", figures.NOT_AVAILABLE, figures.NOT_AVAILABLE, figures.NOT_AVAILABLE)
    down = sum(shift < 0 for shift in row.by_base.values())
    up = sum(shift > 0 for shift in row.by_base.values())
    return ConditionCell(
        element_id=element_id(row.id),
        mean=figures.level(row.mean),
        shift=figures.delta(row.shift),
        bases=f"{down} / {up}" if row.by_base else figures.NOT_AVAILABLE,
    )


def _together(report: RunReport) -> str:
    """What a row over several questions is over; without marks of validity, over all that were asked."""
    pooled, every = _pooled(report)
    if len(pooled) == len(every):
        return "All questions"
    return (
        f"Pooled {'question' if len(pooled) == 1 else 'questions'} ({figures.count(len(pooled))} of "
        f"{figures.count(len(every))}, {figures.count(_scenarios(pooled))} of "
        f"{figures.counted(_scenarios(every), 'scenario')})"
    )


def _over(report: RunReport) -> str:
    pooled, every = _pooled(report)
    if len(pooled) == len(every):
        return "over everyone and all questions"
    return (
        f"over everyone and the {figures.counted(len(pooled), 'pooled question')} (of "
        f"{figures.count(len(every))}, in {figures.count(_scenarios(pooled))} of "
        f"{figures.counted(_scenarios(every), 'scenario')})"
    )


def _pooled(report: RunReport) -> tuple[list[str], list[str]]:
    """The questions that enter pooled scores, and every question."""
    return (
        [row.question for row in report.validity if row.pooled],
        [row.question for row in report.validity],
    )


def _scenarios(questions: list[str]) -> int:
    return len({question.partition(".")[0] for question in questions})


def _sentence(report: RunReport) -> str:
    overall = [row for row in report.conditions if row.question is None]
    shifts = [row for row in overall if row.baseline is not None and row.shift is not None]
    if shifts:
        said = [
            f"showing {printable(row.condition)} in place of {printable(row.baseline or '')} moves the mean "
            f"favourability by {figures.delta(row.shift)}, to {figures.level(row.mean)}"
            for row in shifts
        ]
        over = _over(report)
        return f"{over[0].upper()}{over[1:]}, {figures.listed(said)}."
    if overall:
        said = [f"{figures.level(row.mean)} under {printable(row.condition)}" for row in overall]
        return (
            f"The mean favourability {_over(report)} is {figures.listed(said)}; there is no condition to "
            "compare it with."
        )
    if report.conditions:
        return "The mean favourability is reported question by question."
    return "This report holds no means per condition."
