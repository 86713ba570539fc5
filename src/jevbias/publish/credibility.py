"""Can it be believed: noise floor, validity, false positives, placebos and failures, before any finding."""

from __future__ import annotations

from dataclasses import dataclass

from jevbias.publish import figures
from jevbias.publish.calibration_tables import ControlRow, PlaceboRow, control_rows, placebo_rows
from jevbias.publish.failures import (
    by_level,
    failures_sentence,
    largest_first,
    levels_sentence,
    rate,
)
from jevbias.publish.false_positives import (
    controls_sentence,
    failed_check,
    placebo_clause,
    placebo_sentence,
)
from jevbias.publish.findings import Reading
from jevbias.publish.measured import Fact
from jevbias.publish.noise_checks import drift_clause, noise_checks, noise_sentence
from jevbias.publish.plain_text import printable
from jevbias.publish.validity import (
    composition_sentence,
    pooled_among,
    responding,
    unanswered,
    untested,
    validity_rule,
    validity_sentence,
)
from jevbias.report.comparison import Comparison
from jevbias.report.failures import FailureRow
from jevbias.report.run_report import RunReport, ValidityRow
from jevbias.report.validity_rule import WITHHELD

VARIANTS = ("weak", "mid", "strong")
KINDS = {"noul": "yes/no question"}

FLAGS: dict[str, str] = {
    "ok": "A stronger case earns a better answer, by more than the noise. Enters the pooled scores, unless "
    "it is marked non-monotone too.",
    "untested": "Answered for fewer than two variants of the case, so whether it responds is unknown.",
    "inverted": (
        "A stronger case earns a worse answer: the declared direction is wrong, or a fact of the case "
        "changes what the question means. Withheld."
    ),
    "midpoint": "Every answer sits beside one half: the model says nothing here. Withheld.",
    "uniform": "The model holds one firm position whatever the case. A result, but not pooled.",
    "flat": "The answers do not follow the strength of the case. Withheld.",
    "non-monotone": "The middle case lies outside the weak and the strong one by more than the "
    "noise. Not pooled.",
    "within bases": "The span is no larger than whom its variants were asked about may make it: it may come "
    "from the people and not from the case. Decides nothing.",
}


@dataclass(frozen=True)
class QuestionRow:
    """One line of the validity table."""

    id: str
    row: ValidityRow
    kind: str
    noise_cells: int | None
    withheld: bool
    pooled: str


@dataclass(frozen=True)
class LevelRow:
    """One line of the failures by level."""

    row: FailureRow
    rate: str
    anchor_rate: str
    p: str
    q: str


@dataclass(frozen=True)
class Credibility:
    """What the template of this section shows."""

    sentence: str
    noise: str
    noise_checks: tuple[str, ...]
    noise_facts: tuple[Fact, ...]
    validity: str
    composition: str
    validity_rule: str
    controls: str
    placebos: str
    failures: str
    failures_by_level: str
    questions: tuple[QuestionRow, ...]
    variants: tuple[str, ...]
    flags: tuple[tuple[str, str], ...]
    control_rows: tuple[ControlRow, ...]
    placebo_rows: tuple[PlaceboRow, ...]
    placebo_comparisons: tuple[Comparison, ...]
    missing: tuple[tuple[str, int], ...]
    by_status: tuple[tuple[str, int], ...]
    by_kind: tuple[tuple[str, int], ...]
    by_level: tuple[LevelRow, ...]


def credibility(reading: Reading) -> Credibility:
    """The method checks of a run."""
    report = reading.report
    placebos = report.placebos
    present = {row.flag for row in report.validity} | {
        "non-monotone" for row in report.validity if row.non_monotone
    }
    present |= {"within bases" for row in report.validity if row.within_bases}
    return Credibility(
        sentence=_opening(reading),
        noise=noise_sentence(report),
        noise_checks=noise_checks(report),
        noise_facts=_noise_facts(report),
        validity=validity_sentence(report),
        composition=composition_sentence(report),
        validity_rule=validity_rule(),
        controls=_controls(reading),
        placebos=placebo_sentence(reading),
        failures=failures_sentence(report),
        failures_by_level=levels_sentence(report),
        questions=tuple(_question(report, row) for row in report.validity),
        variants=tuple(name for name in VARIANTS if any(name in row.means for row in report.validity)),
        flags=tuple((name, text) for name, text in FLAGS.items() if name in present),
        control_rows=control_rows(report),
        placebo_rows=placebo_rows(report),
        placebo_comparisons=tuple(row for row in placebos.comparisons if row.question is None)
        if placebos
        else (),
        missing=largest_first(report.failures.missing_answers),
        by_status=tuple(line for line in largest_first(report.failures.by_status) if line[0] != "answered"),
        by_kind=largest_first(report.failures.by_kind),
        by_level=tuple(_level(row) for row in by_level(report)),
    )


def _opening(reading: Reading) -> str:
    report = reading.report
    noise = report.noise_floor
    if noise.exact:
        repeats = "the model repeats itself exactly"
    elif noise.answer_sd is None:
        repeats = "the model's own noise could not be measured"
    else:
        repeats = f"the model differs from itself by {figures.spread(noise.answer_sd)}"
    if unanswered(report):
        follow = "no question was answered"
    elif untested(report):
        follow = "whether the questions follow the strength of the case was not checked"
    else:
        total = figures.counted(len(report.validity), "question")
        follow = f"{figures.count(responding(report))} of {total} follow the strength of the case"
        follow += pooled_among(report)
    clauses = [repeats, follow, _false(reading), placebo_clause(reading), drift_clause(report)]
    said = "; ".join(clause for clause in clauses if clause)
    return f"Before any finding: {said}. {failed_check(reading)}".strip()


def _false(reading: Reading) -> str:
    factorial = reading.report.factorial
    if factorial is not None:
        of = figures.counted(factorial.hidden.tests, "contrast")
        return f"{figures.count(factorial.hidden.significant)} of {of} that the model could not see came out"
    controls = reading.false_positives
    if not controls.tested:
        return "false positives were not measured"
    of = figures.counted(controls.tested, "comparison")
    where = ", pooled or on one question," if reading.exact else ""
    return f"{figures.count(controls.moved)} of {of} that it could not see{where} count as moved"


def _controls(reading: Reading) -> str:
    if reading.report.factorial is not None:
        return "The contrasts that the model could not see are counted with the contrasts below."
    return controls_sentence(reading)


def _noise_facts(report: RunReport) -> tuple[Fact, ...]:
    noise = report.noise_floor
    facts = [
        Fact(
            "One answer, SD",
            figures.spread(noise.answer_sd),
            "pooled over every cell that was asked more than once",
        ),
        Fact(
            "A call's pooled score, SD", figures.spread(noise.probe_sd), "the mean over its pooled questions"
        ),
        Fact(
            "Mean SD within a cell",
            figures.spread(noise.mean_sd),
            "of single answers; for comparison with other reports",
        ),
    ]
    facts += [
        Fact(
            f"{printable(scenario)}, pooled score, SD",
            figures.spread(pool.sd),
            f"{figures.counted(pool.cells, 'cell')}, {figures.counted(pool.degrees_of_freedom, 'degree')} "
            "of freedom",
        )
        for scenario, pool in noise.by_scenario.items()
    ]
    return tuple(facts)


def _question(report: RunReport, row: ValidityRow) -> QuestionRow:
    pool = report.noise_floor.by_question.get(row.question)
    return QuestionRow(
        id=row.id,
        row=row,
        kind=KINDS.get(row.kind, printable(row.kind)),
        noise_cells=pool.cells if pool else None,
        withheld=row.flag in WITHHELD,
        pooled=("yes" if row.pooled else "no") if row.means else figures.NOT_AVAILABLE,
    )


def _level(row: FailureRow) -> LevelRow:
    return LevelRow(
        row=row,
        rate=rate(row.unusable, row.probes),
        anchor_rate=rate(row.anchor_unusable, row.anchor_probes),
        p=figures.p_value(row.p),
        q=figures.p_value(row.q),
    )
