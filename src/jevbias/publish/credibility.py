"""Section 2, can it be believed: noise floor, validity, false positives and failures, before any finding."""

from __future__ import annotations

from dataclasses import dataclass

from jevbias.publish import figures
from jevbias.publish.checks import (
    controls_sentence,
    failures_sentence,
    largest_first,
    noise_sentence,
    responding,
    validity_sentence,
)
from jevbias.publish.findings import WITHHELD_FLAGS, Reading
from jevbias.publish.measured import Fact
from jevbias.publish.plain_text import printable
from jevbias.report.calibration import CalibrationCounts
from jevbias.report.run_report import RunReport, ValidityRow

VARIANTS = ("weak", "mid", "strong")

FLAGS: dict[str, str] = {
    "ok": "A stronger case earns a better answer, by more than the noise. Enters the pooled scores.",
    "untested": "Only one variant of the case was run, so whether the question responds to it is unknown.",
    "inverted": (
        "A stronger case earns a worse answer: the declared direction is wrong, or a fact of the case "
        "changes what the question means. Withheld."
    ),
    "midpoint": "Every answer sits beside one half: the model says nothing here. Withheld.",
    "uniform": "The model holds one firm position whatever the case. A result, but not pooled.",
    "flat": "The answers do not follow the strength of the case. Withheld.",
    "non-monotone": "The middle case lies outside the weak and the strong one by more than the "
    "noise. Not pooled.",
}


@dataclass(frozen=True)
class QuestionRow:
    """One line of the validity table."""

    id: str
    row: ValidityRow
    noise_cells: int | None
    degrees_of_freedom: int | None
    withheld: bool


@dataclass(frozen=True)
class ControlRow:
    """One line of the false-positive table."""

    family: str
    seen: str
    counts: CalibrationCounts
    expected_by_chance: str
    share_of_discoveries: str


@dataclass(frozen=True)
class Credibility:
    """What the template of this section shows."""

    sentence: str
    noise: str
    noise_facts: tuple[Fact, ...]
    validity: str
    controls: str
    failures: str
    questions: tuple[QuestionRow, ...]
    variants: tuple[str, ...]
    flags: tuple[tuple[str, str], ...]
    control_rows: tuple[ControlRow, ...]
    missing: tuple[tuple[str, int], ...]
    by_status: tuple[tuple[str, int], ...]
    by_kind: tuple[tuple[str, int], ...]


def credibility(reading: Reading) -> Credibility:
    """The method checks of a run."""
    report = reading.report
    present = {row.flag for row in report.validity} | {
        "non-monotone" for row in report.validity if row.non_monotone
    }
    return Credibility(
        sentence=_opening(reading),
        noise=noise_sentence(report),
        noise_facts=_noise_facts(report),
        validity=validity_sentence(report),
        controls=controls_sentence(reading),
        failures=failures_sentence(report),
        questions=tuple(_question(report, row) for row in report.validity),
        variants=tuple(name for name in VARIANTS if any(name in row.means for row in report.validity)),
        flags=tuple((name, text) for name, text in FLAGS.items() if name in present),
        control_rows=_control_rows(report),
        missing=largest_first(report.failures.missing_answers),
        by_status=tuple(line for line in largest_first(report.failures.by_status) if line[0] != "answered"),
        by_kind=largest_first(report.failures.by_kind),
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
    total, ok = len(report.validity), responding(report)
    if total and all(row.flag == "untested" for row in report.validity):
        follow = "whether the questions follow the strength of the case was not checked"
    else:
        follow = (
            f"{figures.count(ok)} of {figures.counted(total, 'question')} follow the strength of the case"
        )
    controls = reading.false_positives
    false = (
        f"{figures.count(controls.moved)} of {figures.counted(controls.tested, 'comparison')} that it could "
        "not see count as moved"
        if controls.tested
        else "false positives were not measured"
    )
    return f"Before any finding: {repeats}, {follow}, and {false}."


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
        noise_cells=pool.cells if pool else None,
        degrees_of_freedom=pool.degrees_of_freedom if pool else None,
        withheld=row.flag in WITHHELD_FLAGS,
    )


def _control_rows(report: RunReport) -> tuple[ControlRow, ...]:
    rows: list[ControlRow] = []
    families = (("Pooled", report.calibration.pooled), ("Per question", report.calibration.per_question))
    if not any(family.visible.tests + family.controls.tests for _, family in families):
        return ()
    for name, family in families:
        for seen, counts in (("could see", family.visible), ("could not see (controls)", family.controls)):
            is_control = counts is family.controls
            rows.append(
                ControlRow(
                    family=name,
                    seen=seen,
                    counts=counts,
                    expected_by_chance=f"{0.05 * counts.tests:.1f}" if is_control else "",
                    share_of_discoveries=(
                        figures.share(family.controls_share_of_discoveries) if is_control else ""
                    ),
                )
            )
    return tuple(rows)
