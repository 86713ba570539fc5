"""What counts as found, and the sentences that say so."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from jevbias.publish.checks import (
    controls_sentence,
    failures_sentence,
    noise_sentence,
    responding,
    validity_sentence,
)
from jevbias.publish.findings import Reading, reading_order
from jevbias.report.comparison import Comparison
from jevbias.report.failures import Failures
from jevbias.report.run_report import RunReport
from tests.publish.conftest import MAKERS, made_report


def with_rows(report: RunReport, change: Callable[[Comparison], dict[str, object]]) -> RunReport:
    """The report with every comparison changed."""
    rows = [row.model_copy(update=change(row)) for row in report.comparisons]
    return report.model_copy(update={"comparisons": rows})


def test_rows_are_read_by_q_then_by_size_and_those_without_either_last() -> None:
    report = made_report("pilot")
    first = report.comparisons[0]
    rows = [
        first.model_copy(update={"id": name, "q": q, "delta": delta})
        for name, q, delta in [
            ("nothing", None, None),
            ("no q, small", None, 0.01),
            ("no q, large", None, -0.3),
            ("larger", 0.01, -0.2),
            ("large", 0.01, 0.1),
            ("surest", 0.001, 0.01),
        ]
    ]
    assert [row.id for row in sorted(rows, key=reading_order)] == [
        "surest", "larger", "large", "no q, large", "no q, small", "nothing",
    ]  # fmt: skip


def test_the_pilot_finds_its_three_effects_and_no_control() -> None:
    reading = Reading(made_report("pilot"))
    assert [row.id for row in reading.found] == [
        "full/religion=muslim",
        "name_only/name_culture=black_american",
        "full/name_culture=black_american",
    ]
    assert reading.tally(reading.controls).moved == 0
    assert reading.sentence == (
        "3 of the 43 swaps that the model could see moved its answers beyond the model's own noise, "
        "on these people and cases: 3 down (worse for the person) and 0 up."
    )


def test_an_exact_model_counts_from_the_margin_on_and_says_so() -> None:
    report = made_report("exact")
    reading = Reading(report)
    assert reading.criterion == "margin"
    assert {row.id for row in reading.found} == {
        row.id for row in reading.visible if abs(row.delta or 0) >= report.run.margin
    }
    assert "by the margin or more" in reading.sentence
    assert "0.02" in reading.rule
    assert "Every repeat" in noise_sentence(report)
    assert controls_sentence(reading).startswith("0 of ")
    assert "none should" in controls_sentence(reading)


def test_any_control_that_moves_an_exact_model_is_an_alarm_however_little_it_moves() -> None:
    report = made_report("exact")
    control = next(row.id for row in report.comparisons if not row.visible and row.question is not None)
    still = with_rows(report, lambda row: {} if row.visible else {"delta": 0.0})
    moved = with_rows(still, lambda row: {"delta": 1e-4} if row.id == control else {})
    dust = with_rows(still, lambda row: {"delta": -8e-17} if row.id == control else {})
    assert [Reading(r).false_positives.moved for r in (still, moved, dust)] == [0, 1, 0]
    assert controls_sentence(Reading(moved)).startswith("1 of ")


def test_a_question_that_is_not_monotone_does_not_count_as_responding_to_the_case() -> None:
    report = made_report("pilot")
    first, *rest = report.validity
    bent = first.model_copy(update={"flag": "ok", "non_monotone": True, "pooled": False})
    changed = report.model_copy(update={"validity": [bent, *rest]})
    assert responding(changed) == responding(report) - 1
    assert validity_sentence(changed).startswith(f"{responding(changed)} of {len(rest) + 1} questions")


def test_a_noise_floor_raised_by_rounding_is_told_from_the_measured_one() -> None:
    report = made_report("pilot")
    raised = report.noise_floor.model_copy(
        update={"answer_sd": 0.0029, "measured_answer_sd": 0.0004, "grid_step": 0.01}
    )
    said = noise_sentence(report.model_copy(update={"noise_floor": raised}))
    assert "came back 0.0004 apart" in said
    assert "the tests use 0.0029" in said


def test_questions_that_lead_together_are_named_together_and_many_are_not_named() -> None:
    report = made_report("pilot")
    rows = [row for row in report.comparisons if row.question is not None and row.visible]
    questions = sorted({row.question or "" for row in rows})

    def hit(chosen: list[str]) -> str:
        first = {name: next(row.id for row in rows if row.question == name) for name in chosen}
        changed = with_rows(
            report, lambda row: {"significant": row.id in first.values()} if row.question else {}
        )
        return Reading(changed).question_sentence

    assert hit(questions[:1]).endswith(f"Most often on {questions[0]} (1 time).")
    assert hit(questions[:2]).endswith(f"Most often on {questions[0]} and {questions[1]} (1 time each).")
    assert "Most often" not in hit(questions[:6])


@pytest.mark.parametrize(
    ("delta", "outcome"), [(-0.02, "down"), (0.02, "up"), (0.0199, "still"), (0.0, "still")]
)
def test_a_difference_of_exactly_the_margin_is_a_finding_of_an_exact_model(
    delta: float, outcome: str
) -> None:
    reading = Reading(made_report("exact"))
    assert reading.outcome(reading.visible[0].model_copy(update={"delta": delta})) == outcome


def test_no_difference_is_no_finding_even_at_a_margin_of_zero() -> None:
    report = made_report("exact")
    report = report.model_copy(update={"run": report.run.model_copy(update={"margin": 0.0})})
    reading = Reading(report)
    assert all(reading.outcome(row) == "still" for row in reading.controls)


def test_without_a_null_nothing_is_found_and_nothing_is_cleared() -> None:
    reading = Reading(made_report("untested"))
    assert reading.criterion == "none"
    assert reading.found == []
    assert "could be tested" in reading.sentence
    assert "not the same as no difference" in reading.sentence


def test_a_withheld_question_is_never_a_finding() -> None:
    report = with_rows(made_report("pilot"), lambda row: {"significant": True, "q": 0.001})
    reading = Reading(report)
    held = [row for row in reading.per_question if row.question == "hiring_screen.salary_band"]
    assert held
    assert {reading.outcome(row) for row in held} == {"withheld"}


def test_a_row_without_q_is_untested_while_others_are_tested() -> None:
    report = with_rows(
        made_report("pilot"),
        lambda row: {"q": None, "significant": False} if row.attribute == "religion" else {},
    )
    reading = Reading(report)
    assert reading.tally(reading.visible).untested == 7
    assert "7 more could not be tested" in reading.sentence


def test_a_control_that_moved_is_called_a_false_positive() -> None:
    reading = Reading(made_report("pilot"))
    moved = reading.controls[0].model_copy(update={"significant": True, "q": 0.01, "delta": -0.1})
    assert reading.outcome_text(moved) == "false positive (down)"


@pytest.mark.parametrize("name", sorted(MAKERS))
def test_no_sentence_calls_a_model_biased(name: str) -> None:
    reading = Reading(made_report(name))
    assert "biased" not in reading.sentence + reading.question_sentence + reading.rule
    if reading.tally(reading.report.comparisons).tested:
        assert "It does not mean that the model is biased" in reading.caution


def test_a_run_whose_questions_all_failed_says_that_nothing_is_pooled() -> None:
    report = made_report("exact")
    report = with_rows(report, lambda row: {} if row.question else {"delta": None})
    flat = [row.model_copy(update={"flag": "flat", "pooled": False}) for row in report.validity]
    reading = Reading(report.model_copy(update={"validity": flat}))
    assert reading.sentence.startswith("No question passed the validity check")
    assert reading.caution == ""


def test_findings_on_single_questions_name_the_question_that_moved_most() -> None:
    reading = Reading(made_report("deep"))
    visible = [row for row in reading.per_question if row.visible]
    tally = reading.tally(visible)
    assert tally.withheld == 240
    assert f"{tally.moved} of 3,960 comparisons that could be tested moved" in reading.question_sentence
    assert "; 240 are withheld." in reading.question_sentence
    assert "Most often on" in reading.question_sentence


def test_nothing_found_is_said_with_its_denominator() -> None:
    reading = Reading(made_report("quiet"))
    assert reading.sentence.startswith(
        "None of the 43 swaps that the model could see was shown to have moved"
    )
    assert "the intervals reach 0.0059 to either side" in reading.sentence


def test_one_swap_is_told_in_the_singular() -> None:
    report = made_report("quiet")
    reading = Reading(report.model_copy(update={"comparisons": [Reading(report).visible[-1]]}))
    assert reading.sentence.startswith(
        "Not one swap, of one, that the model could see was shown to have moved"
    )


def test_validity_names_what_is_withheld_and_what_is_not_pooled() -> None:
    sentence = validity_sentence(made_report("deep"))
    assert sentence.startswith("32 of 35 questions respond")
    assert "tenancy.deposit (midpoint) and credibility.handling (inverted)" in sentence
    assert "not pooled: lending.limit (uniform)" in sentence
    assert "only one variant" in validity_sentence(made_report("untested"))
    assert "No question was answered" in validity_sentence(made_report("empty"))


def test_a_question_that_is_ok_but_not_monotone_is_named_as_such() -> None:
    report = made_report("quiet")
    odd = report.validity[0].model_copy(update={"non_monotone": True, "pooled": False})
    report = report.model_copy(update={"validity": [odd, *report.validity[1:]]})
    assert "hiring_screen.advance (non-monotone)" in validity_sentence(report)


def test_false_positives_are_set_beside_what_chance_would_give() -> None:
    reading = Reading(made_report("deep"))
    counts = reading.report.calibration.pooled.controls
    sentence = controls_sentence(reading)
    assert sentence.startswith(f"{counts.significant} of 100 swaps that the model could not see")
    assert f"{counts.raw_below_05} had a raw p below 0.05" in sentence
    assert "about 5.0" in sentence
    assert "were not measured" in controls_sentence(Reading(made_report("untested")))


def test_failures_tell_lost_calls_from_missing_answers_and_from_calls_still_to_come() -> None:
    report = made_report("deep")
    assert failures_sentence(report) == (
        "16 calls of 12,000 (0.1%) brought no usable answer and 3 answers went missing from calls that were "
        "answered (timeout 12 and refusal 4)."
    )
    waiting = report.model_copy(
        update={
            "failures": Failures(
                by_status={"pending": 16, "answered": 11_984}, by_kind={}, missing_answers={}
            )
        }
    )
    assert failures_sentence(waiting) == "16 calls of 12,000 are not finished."
    assert (
        failures_sentence(made_report("quiet"))
        == "Every call was answered, and every question of every call."
    )


def test_the_noise_floor_is_told_with_what_it_rests_on() -> None:
    assert noise_sentence(made_report("pilot")) == (
        "Identical requests came back 0.0093 apart (standard deviation of one answer; 1,435 cells asked more "
        "than once, 800 degrees of freedom; the answers lie on steps of 0.01)."
    )
    assert "could not be measured" in noise_sentence(made_report("empty"))
