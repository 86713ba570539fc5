"""Runs side by side: every other run against the first (method, section 11)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain

from jevbias.analysis.compare_declared import declared_differences
from jevbias.analysis.compare_differences import Differences, take_differences
from jevbias.analysis.compare_rows import compared_rows, told
from jevbias.analysis.compare_sources import Source
from jevbias.errors import UsageError
from jevbias.report.compared import (
    ComparedPair,
    ComparedQuestion,
    ComparedRow,
    ComparedRun,
    ComparedRuns,
    SignAgreement,
)
from jevbias.report.run_report import RunReport
from jevbias.stats.sign_flips import smallest_p

MOVED = ("worse", "better", "these cases", "small")
"""Verdicts on comparisons that moved a run's answers."""


def compare_runs(sources: Sequence[Source]) -> ComparedRuns:
    """Every other run against the first; a pure function of the runs.

    Raises UsageError where fewer than two runs are given, one is given twice among three or more, their
    designs differ, one has no answers, or two have no comparison in common.
    """
    _check(sources)
    first, *others = sources
    return ComparedRuns(
        runs=[_side(source) for source in sources],
        questions=_questions([source.report for source in sources]),
        pairs=[_pair(first, other) for other in others],
    )


def _check(sources: Sequence[Source]) -> None:
    if len(sources) < 2:
        raise UsageError("compare takes two runs or more: jevbias compare RUN_A RUN_B")
    labels = Counter(source.label for source in sources)
    twice = [label for label, number in labels.items() if number > 1]
    if twice and len(sources) > 2:
        raise UsageError(f"{twice[0]} is named twice; name every run once")
    designs = {source.label: source.report.run.design for source in sources}
    if len(set(designs.values())) > 1:
        named = " and ".join(f"{label} is {design}" for label, design in designs.items())
        raise UsageError(f"runs of different designs have no comparison in common: {named}")
    for source in sources:
        if not source.report.run.answered:
            raise UsageError(f"run {source.label} has no answers yet: nothing of it can be compared")


def _pair(first: Source, second: Source) -> ComparedPair:
    found = take_differences(first, second)
    rows = compared_rows(first, second, found)
    if not rows:
        raise UsageError(f"{first.label} and {second.label} have no comparison in common")
    pooled = [row for row in rows if row.question is None]
    on_questions = [row for row in rows if row.question is not None]
    tests = sum(row.q is not None for row in pooled)
    bases = max((row.bases for row in rows), default=0)
    floor = smallest_p(bases) if bases and found.flipped else None
    differences = [row.difference for row in rows if row.difference is not None]
    shared = {row.id for row in pooled}
    return ComparedPair(
        first=first.label,
        second=second.label,
        same_run=first.is_same_run(second),
        same_plan=first.report.run.plan_hash == second.report.run.plan_hash,
        same_instrument=first.report.run.driver == second.report.run.driver,
        basis=found.basis,
        why_none=found.why_none,
        declared=declared_differences(first.report, second.report),
        questions=list(found.questions),
        only_first=[name for name in _pooled_ids(first.report) if name not in shared],
        only_second=[name for name in _pooled_ids(second.report) if name not in shared],
        margin=min(first.report.run.margin, second.report.run.margin),
        alpha=min(first.report.run.alpha, second.report.run.alpha),
        bases=bases,
        p_floor=floor,
        lone_q=min(floor * tests, 1.0) if floor is not None and tests else None,
        tests=tests,
        question_tests=sum(row.q is not None for row in on_questions),
        signs=_signs(pooled),
        question_signs=_signs(on_questions),
        identical=bool(differences) and not any(differences),
        rows=rows,
        notes=_notes(first, second, found),
    )


def _notes(first: Source, second: Source, found: Differences) -> list[str]:
    notes = []
    for source in (first, second):
        if left := _left(source.report):
            notes.append(
                f"{source.label} is unfinished: {left:,} of {source.report.run.calls:,} calls are still to "
                "be made, and what is missing is not there to be compared."
            )
    if (
        first.report.run.alpha != second.report.run.alpha
        or first.report.run.margin != second.report.run.margin
    ):
        notes.append("The runs declared different margins or levels; the stricter of the two is used here.")
    notes.extend(found.notes)
    return notes


def _pooled_ids(report: RunReport) -> Iterable[str]:
    return (row.id for row in told(report) if row.question is None)


def _signs(rows: Sequence[ComparedRow]) -> SignAgreement:
    told = [row for row in rows if row.visible and row.same_sign is not None]
    moved = [row for row in told if row.first.verdict in MOVED and row.second.verdict in MOVED]
    return SignAgreement(
        agree=sum(row.same_sign is True for row in told),
        of=len(told),
        agree_moved=sum(row.same_sign is True for row in moved),
        of_moved=len(moved),
    )


def _side(source: Source) -> ComparedRun:
    report = source.report
    floor, visible = report.noise_floor, [row for row in report.comparisons if row.visible]
    controls = [row for row in report.comparisons if not row.visible and row.question is None]
    tested = [row for row in controls if (row.delta is not None if floor.exact else row.q is not None)]
    return ComparedRun(
        label=source.label,
        run=report.run,
        exact=floor.exact,
        answer_sd=floor.answer_sd,
        probe_sd=floor.probe_sd,
        noise_degrees_of_freedom=floor.degrees_of_freedom,
        verdicts=Counter(row.verdict for row in visible if row.question is None and row.verdict),
        question_verdicts=Counter(row.verdict for row in visible if row.question is not None and row.verdict),
        controls_moved=sum(row.delta != 0 if floor.exact else row.significant for row in tested),
        controls_tested=len(tested),
        left=_left(report),
    )


def _left(report: RunReport) -> int:
    return sum(report.failures.by_status.get(status, 0) for status in ("pending", "running"))


def _questions(reports: Sequence[RunReport]) -> list[ComparedQuestion]:
    rows = [{row.question: row for row in report.validity} for report in reports]
    asked = dict.fromkeys(chain.from_iterable(rows))
    return [
        ComparedQuestion(
            question=question,
            flags=[here[question].flag if question in here else None for here in rows],
            spans=[here[question].span if question in here else None for here in rows],
            noise=[here[question].noise if question in here else None for here in rows],
            counts=[here[question].pooled if question in here else None for here in rows],
        )
        for question in asked
    ]
