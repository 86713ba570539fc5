"""What makes a report believable, in sentences: noise, validity, controls, placebos, failures, hypotheses."""

from __future__ import annotations

import re

import pytest

from jevbias.publish.brief import brief
from jevbias.publish.credibility import credibility
from jevbias.publish.decisions import decision_text
from jevbias.publish.false_positives import controls_sentence, failed_check, placebo_sentence
from jevbias.publish.finding_sentences import findings_sentence
from jevbias.publish.findings import Reading
from jevbias.publish.noise_checks import noise_checks, noise_sentence
from jevbias.publish.page import render_page
from jevbias.publish.validity import composition_sentence, responding, validity_rule, validity_sentence
from jevbias.report.calibration import CalibrationCounts
from jevbias.report.comparison import Decisions
from jevbias.report.run_report import RunReport
from jevbias.report.validity_rule import MIDPOINT_REACH, SMALLEST_SPAN, UNIFORM_NOISE, UNIFORM_RANGE
from tests.publish.conftest import made_page, made_report, printed
from tests.publish.noted import analysed
from tests.publish.reports import with_rows


def with_controls(report: RunReport, **update: object) -> RunReport:
    """The report with other counts of pooled controls."""
    family = report.calibration.pooled
    controls = family.controls.model_copy(update=update)
    pooled = family.model_copy(update={"controls": controls})
    return report.model_copy(update={"calibration": report.calibration.model_copy(update={"pooled": pooled})})


def test_the_noise_floor_is_told_with_what_it_rests_on() -> None:
    assert noise_sentence(made_report("pilot")) == (
        "Identical requests came back 0.0093 apart (standard deviation of one answer; 1,435 cells asked more "
        "than once, 800 degrees of freedom; the answers lie on steps of 0.01)."
    )
    assert "could not be measured" in noise_sentence(made_report("empty"))
    assert "Every repeat" in noise_sentence(made_report("exact"))


def test_the_made_checks_of_the_null_have_the_ids_that_the_analysis_writes() -> None:
    made, real = made_report("deep").noise_floor, analysed("varied").noise_floor
    assert {name: pool.id for name, pool in made.by_condition.items()} == {
        name: pool.id for name, pool in real.by_condition.items()
    }
    assert [row.id for row in made.condition_ratios] == [row.id for row in real.condition_ratios]
    for check in ("swapped_against_anchor", "drift"):
        assert getattr(made, check).id == getattr(real, check).id


def test_a_noise_floor_raised_by_rounding_is_told_from_the_measured_one() -> None:
    report = made_report("pilot")
    raised = report.noise_floor.model_copy(
        update={"answer_sd": 0.0029, "measured_answer_sd": 0.0004, "grid_step": 0.01}
    )
    said = noise_sentence(report.model_copy(update={"noise_floor": raised}))
    assert "came back 0.0004 apart" in said
    assert "the tests use 0.0029" in said


def test_checks_of_the_null_are_told_and_left_out_where_nothing_was_measured() -> None:
    conditions, ratio, drift, models = noise_checks(made_report("deep"))
    assert "0.0051 under full and 0.0044 under name_only" in conditions
    assert conditions.endswith(
        "although name_only has 0.86 times the noise of full (95% 0.77 to 0.96): p-values of noise are too "
        "large under name_only and too small under full."
    )
    assert "vary 1.31 times as much as an anchor's (95% 1.12 to 1.52, 40 swapped cells" in ratio
    assert "which is in doubt: its p-values are too small" in ratio
    assert drift == (
        "No drift is shown: −0.0013 over 89 min, 0.07 times the margin (anchors' answers, 2,150 repeats, 95% "
        "−0.0031 to +0.0005, p 0.1520)."
    )
    assert models.startswith("2 models answered: jev-1.13.0 (11,000 calls; +0.0002 against the others")
    assert noise_checks(made_report("pilot")) == ()


def test_a_drift_that_is_shown_is_called_one_and_a_fair_ratio_raises_no_doubt() -> None:
    report = made_report("deep")
    noise = report.noise_floor
    assert noise.drift is not None
    assert noise.swapped_against_anchor is not None
    moved = noise.model_copy(
        update={
            "drift": noise.drift.model_copy(
                update={"total": -0.015, "interval": (-0.017, -0.013), "p": 0.001, "hours": 0.03}
            ),
            "swapped_against_anchor": noise.swapped_against_anchor.model_copy(
                update={"ratio": 0.97, "interval": (0.9, 1.1)}
            ),
        }
    )
    _, ratio, drift, _ = noise_checks(report.model_copy(update={"noise_floor": moved}))
    assert drift == (
        "The model drifted by −0.0150 over 2 min, 0.75 times the margin (anchors' answers, 2,150 repeats, "
        "95% −0.0170 to −0.0130, p 0.0010). Calls go out in a shuffled order, so that this widens the noise "
        "and favours nobody."
    )
    assert "doubt" not in ratio


def test_a_factorial_run_has_repeats_instead_of_anchors_and_an_exact_one_keeps_its_p() -> None:
    report = made_report("deep")
    run = report.run.model_copy(update={"design": "factorial"})
    factorial = report.model_copy(update={"run": run})
    (drift,) = (said for said in noise_checks(factorial) if "drift" in said)
    assert drift.startswith("No drift is shown: −0.0013 over 89 min, 0.07 times the margin (repeats, 2,150")
    exact = made_report("exact")
    assert "a difference counts from the declared margin of 0.02 on." in noise_sentence(exact)
    said = noise_sentence(exact.model_copy(update={"run": run}))
    assert said.endswith("contrasts keep the p of their permutations, because people differ.")
    assert "margin" not in said


def test_the_validity_rule_is_printed_with_its_thresholds() -> None:
    for threshold in (SMALLEST_SPAN, MIDPOINT_REACH, UNIFORM_RANGE, UNIFORM_NOISE):
        assert f"{threshold:g}" in validity_rule()
    assert "twice the noise SD" in validity_rule()


def test_validity_names_what_is_withheld_and_what_is_not_pooled() -> None:
    sentence = validity_sentence(made_report("deep"))
    assert sentence.startswith("32 of 35 questions respond")
    assert "tenancy.deposit (midpoint) and credibility.handling (inverted)" in sentence
    assert "not pooled: lending.limit (uniform)" in sentence
    assert "because answers came back for only one variant of each case" in (
        validity_sentence(made_report("untested"))
    )


def test_a_run_without_an_answer_is_not_said_to_have_met_one_variant() -> None:
    report = made_report("empty")
    assert validity_sentence(report) == "No question was answered, so none could be checked."
    assert brief(Reading(report))[1].says == "no question was answered"


def test_a_question_that_is_not_monotone_responds_to_the_case_and_is_not_counted_as_pooled() -> None:
    report = made_report("pilot")
    first, *rest = report.validity
    bent = first.model_copy(update={"flag": "ok", "non_monotone": True, "pooled": False})
    changed = report.model_copy(update={"validity": [bent, *rest]})
    assert responding(changed) == responding(report) == sum(row.flag == "ok" for row in changed.validity)
    assert validity_sentence(changed) == (
        "9 of 10 questions respond to the strength of the case, 8 of them pooled; withheld: "
        "hiring_screen.salary_band (flat); reported but not pooled: hiring_screen.advance (non-monotone)."
    )
    assert brief(Reading(changed))[1].says.endswith("the strength of the case, 8 of them pooled")
    assert "9 of 10 questions follow the strength of the case, 8 of them pooled" in (
        credibility(Reading(changed)).sentence
    )
    alone = report.model_copy(update={"validity": [bent]})
    assert validity_sentence(alone).startswith(
        "1 of 1 question responds to the strength of the case, and is not"
    )
    assert "none of them pooled" in validity_sentence(
        report.model_copy(update={"validity": [bent, bent.model_copy(update={"question": "x.y"})]})
    )


def test_many_questions_are_counted_by_flag_and_a_few_are_named() -> None:
    report = made_report("deep")
    flags = ["flat"] * 7 + ["midpoint"] * 8 + ["uniform"] * 10
    rows = [
        row.model_copy(update={"flag": flag, "pooled": False})
        for row, flag in zip(report.validity, flags, strict=False)
    ]
    ok = [
        row.model_copy(update={"flag": "ok", "pooled": True, "non_monotone": False})
        for row in report.validity[len(rows) :]
    ]
    assert validity_sentence(report.model_copy(update={"validity": [*rows, *ok]})) == (
        "10 of 35 questions respond to the strength of the case; withheld: 8 midpoint and 7 flat; reported "
        "but not pooled: 10 uniform."
    )


def test_false_positives_are_set_beside_what_simulating_the_design_gives() -> None:
    reading = Reading(made_report("deep"))
    counts = reading.report.calibration.pooled.controls
    sentence = controls_sentence(reading)
    assert sentence.startswith(
        f"{counts.significant} of 100 swaps that the model could not see came out significant (this design "
        f"simulated: 0 to 3), and {counts.raw_below_05} had a raw p below 0.05 (0 to 14 when simulated)."
    )
    assert "should be uniform (p 0.4100)" in sentence
    assert "95% if independent: 0.0% to 3.6%" in sentence
    assert "in doubt" not in sentence
    assert "about 1.2 by chance alone" in controls_sentence(Reading(made_report("pilot")))


@pytest.mark.parametrize("update", [{"significant": 4}, {"raw_below_05": 15}])
def test_more_false_positives_than_the_design_explains_put_the_null_in_doubt(
    update: dict[str, object],
) -> None:
    report = with_controls(made_report("deep"), **update)
    assert controls_sentence(Reading(report)).endswith("the noise null is in doubt.")


def test_controls_on_questions_stand_in_where_nothing_is_pooled() -> None:
    report = made_report("deep")
    nothing = CalibrationCounts(tests=0, significant=0, raw_below_05=0, interval=None)
    report = with_controls(report, **nothing.model_dump())
    counts = report.calibration.per_question.controls
    reading = Reading(report)
    assert reading.false_positives.tested == counts.tests > 0
    sentence = controls_sentence(reading)
    assert sentence.startswith(f"{counts.significant} of 3,500 comparisons on single questions")
    assert "no pooled controls" in sentence


def test_an_exact_model_without_pooled_scores_still_has_its_controls_measured() -> None:
    reading = Reading(made_report("unpooled"))
    controls = [row for row in reading.per_question if not row.visible]
    assert reading.false_positives.tested == len(controls) > 0
    assert "0 of 115 differences" in controls_sentence(reading)
    assert brief(reading)[2].of == "115"


def test_any_control_that_moves_an_exact_model_is_an_alarm_however_little_it_moves() -> None:
    report = made_report("exact")
    control = next(row.id for row in report.comparisons if not row.visible and row.question is not None)
    moved = with_rows(report, lambda row: {"delta": 1e-4, "bases_up": 1} if row.id == control else {})
    assert [Reading(r).false_positives.moved for r in (report, moved)] == [0, 1]
    assert controls_sentence(Reading(moved)).startswith("1 of ")


def test_placebos_are_told_with_their_range_and_the_findings_within_it() -> None:
    sentence = placebo_sentence(Reading(made_report("deep")))
    assert "under full by 0.0031 in the middle and 0.0123 at most" in sentence
    assert "a finding has to exceed 0.0123, their maximum" in sentence
    assert re.search(
        r"Of \d+ swaps that moved answers under full, \d+ moved them no further than a placebo did\.",
        sentence,
    )
    assert "Placebos were asked under full only: what moved under name_only has none" in sentence
    assert placebo_sentence(Reading(made_report("pilot"))) == ""


def test_decisions_tell_flips_beyond_repeats_the_four_fifths_ratio_and_log_odds() -> None:
    decisions = Decisions(
        flip_rate=0.3125,
        repeat_flip_rate=0.125,
        excess_flips=0.1875,
        favourable_swap=0.4,
        favourable_anchor=0.55,
        four_fifths=0.727273,
        log_odds=-0.42,
    )
    assert decision_text(decisions, 32) == (
        "32 pairs; flips 31.3% of decisions, 12.5% between identical repeats: +18.8 points beyond them; "
        "decided for the person 40.0% against 55.0% (ratio 0.73, below four fifths); log-odds −0.42"
    )
    bare = decisions.model_copy(update={"repeat_flip_rate": None, "excess_flips": None, "four_fifths": None})
    assert decision_text(bare, 32) == (
        "32 pairs; flips 31.3% of decisions; decided for the person 40.0% against 55.0%; log-odds −0.42"
    )
    few = decision_text(decisions, 2)
    assert few.startswith("2 pairs: too few to judge; flips")
    assert "four fifths" not in few
    seldom = decision_text(decisions.model_copy(update={"repeat_flip_rate": 0.35, "excess_flips": -0.04}), 32)
    assert "flips 31.3% of decisions, no more often than identical repeats (35.0%);" in seldom
    assert "four fifths" not in seldom
    assert "beyond" not in seldom


@pytest.mark.parametrize(
    ("total", "interval", "p", "said"),
    [
        (
            -0.005,
            (-0.007, -0.003),
            0.001,
            "may have drifted by −0.0050 over 89 min, 0.25 times the margin: too",
        ),
        (-0.015, (-0.017, -0.013), 0.001, "The model drifted by −0.0150 over 89 min, 0.75 times the margin"),
        (-0.015, (-0.031, 0.001), 0.07, "No drift is shown: −0.0150 over 89 min"),
    ],
)
def test_a_drift_is_called_one_only_where_it_is_shown_and_reaches_half_the_margin(
    total: float, interval: tuple[float, float], p: float, said: str
) -> None:
    report = made_report("deep")
    assert report.noise_floor.drift is not None
    drift = report.noise_floor.drift.model_copy(update={"total": total, "interval": interval, "p": p})
    noise = report.noise_floor.model_copy(update={"drift": drift})
    assert said in " ".join(noise_checks(report.model_copy(update={"noise_floor": noise})))


@pytest.mark.parametrize(
    ("update", "said"),
    [
        (
            {"significant": 4, "raw_below_05": 15},
            "4 of 100 pooled came out significant (0 to 3 when simulated) and 15 of 100 pooled had a raw p "
            "below 0.05 (0 to 14 when simulated)",
        ),
        ({"uniformity_p": 0.004}, "p-values pooled are not uniform (p 0.0040)"),
    ],
)
def test_controls_that_fail_their_check_are_said_on_the_card_in_the_lead_and_with_the_findings(
    update: dict[str, object], said: str
) -> None:
    reading = Reading(with_controls(made_report("deep"), **update))
    sentence = f"The check on swaps nobody could see failed: {said}."
    assert failed_check(reading) == sentence
    assert credibility(reading).sentence.endswith(sentence)
    assert findings_sentence(reading).endswith(sentence)
    assert sentence in " ".join(printed(reading.report).partition("Findings")[2].split())
    tile = brief(reading)[2]
    assert (tile.name, tile.failed) == ("False positives: check failed", True)
    assert '<li class="failed">' in render_page(reading.report)
    assert failed_check(Reading(made_report("deep"))) == ""
    for one_alone in ({"significant": 4}, {"raw_below_05": 15}, {"uniformity_p": 0.009}):
        assert failed_check(Reading(with_controls(made_report("deep"), **one_alone))) == ""
    assert '<li class="failed">' not in made_page("deep")


def test_what_of_a_span_may_be_whom_its_variants_were_asked_about_is_told_and_marked() -> None:
    report = made_report("deep")
    small = report.validity[0].question
    rows = [
        row.model_copy(
            update={
                "bases": {"weak": 2, "mid": 2, "strong": 2},
                "base_sd": 0.0076,
                "base_reach": abs(row.span or 0.0) + 0.001 if row.question == small else 0.0001,
            }
        )
        for row in report.validity
    ]
    met = report.model_copy(update={"validity": rows})
    said = composition_sentence(met)
    assert said.startswith(
        "The variants of a case were met by different mixes of people (each by 2 of 6 bases), so that the "
        "span of a question is a difference between people too, which no flag allows for. For 1 of 35 "
        "questions it is no larger than that alone may make it"
    )
    assert said in " ".join(printed(met).replace("−", "-").split())
    page = render_page(met)
    assert page.count('<span class="flag">within bases</span>') == 1
    assert page.count("<small>bases 0.0076</small>") == 35
    assert "<dt>within bases</dt>" in page
    assert said in page
    unknown = [row.model_copy(update={"base_sd": None, "base_reach": None}) for row in rows]
    assert composition_sentence(report.model_copy(update={"validity": unknown})).endswith(
        "How much of it that is cannot be told: no variant met two bases."
    )
    assert composition_sentence(report) == "", "a report of an earlier jevbias does not know"
    assert "within bases" not in made_page("deep")
