"""What was found, by verdict, and the sentences that say so."""

from __future__ import annotations

import re

import pytest

from jevbias.publish.cautions import caution
from jevbias.publish.finding_sentences import (
    claims,
    findings_sentence,
    needed,
    question_sentence,
    rule,
    smallest_effects,
)
from jevbias.publish.findings import Reading, reading_order
from jevbias.publish.reach import beyond, reach_sentences
from jevbias.publish.verdicts import MEANINGS, tally
from jevbias.report.generalisation import FamilyReach
from tests.publish.conftest import MAKERS, made_report, parsed_page, printed
from tests.publish.reports import with_rows


def test_within_a_verdict_rows_are_read_by_q_then_by_size_and_those_without_either_last() -> None:
    first = made_report("pilot").comparisons[0]
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


def test_worse_and_better_come_first_then_these_cases_and_controls_last() -> None:
    verdicts = ["control", "unclear", "small", "these cases", "better", "no difference", "worse", "withheld"]
    row = next(row for row in made_report("pilot").comparisons if row.visible and row.question is None)
    rows = [
        row.model_copy(
            update={
                "id": f"full/x={place}",
                "verdict": verdict,
                "visible": verdict != "control",
                "q": 0.01 * place,
                "missing_claim": None,
            }
        )
        for place, verdict in enumerate(verdicts)
    ]
    reading = Reading(made_report("pilot").model_copy(update={"comparisons": rows}))
    assert [row.verdict for row in reading.pooled] == [
        "better", "worse", "these cases", "small", "no difference", "unclear", "withheld", "control",
    ]  # fmt: skip
    assert [row.verdict for row in reading.found] == ["better", "worse", "these cases", "small"]


def test_findings_are_worse_or_better_with_all_three_claims() -> None:
    reading = Reading(made_report("confirm"))
    assert {row.id for row in reading.found} == {
        "full/religion=muslim",
        "full/name_culture=black_american",
        "name_only/name_culture=black_american",
        "full/gender=nonbinary",
    }
    assert {reading.claims(row).marks for row in reading.found} == {"a b c"}
    assert findings_sentence(reading) == (
        "4 of the 20 swaps that the model could see moved its answers beyond the model's own noise, for "
        "other people and for other cases: 3 worse and 1 better for the person. By verdict, short of that: "
        "16 “no difference”, shown to be below 0.02, if there is any, for other people, on these cases. "
        "On single questions, for other people and on these cases only, 3 swaps are worse and 1 better on at "
        "least one."
    )


def test_these_cases_are_said_to_hold_for_these_cases_and_are_no_finding() -> None:
    reading = Reading(made_report("pilot"))
    assert [row.id for row in reading.found] == [
        "full/religion=muslim",
        "name_only/name_culture=black_american",
        "full/name_culture=black_american",
    ]
    assert {row.verdict for row in reading.found} == {"these cases"}
    sentence = findings_sentence(reading)
    assert sentence.startswith(
        "None of the 43 swaps that the model could see was shown to be treated worse or better over the "
        "pooled questions, beyond these people and cases."
    )
    assert (
        "3 “these cases”, which moved these answers and are not shown to hold beyond these people and cases"
        in sentence
    )
    assert "It does not mean that the model is biased for or against anybody" in caution(reading)


@pytest.mark.parametrize("name", sorted(MAKERS))
def test_no_sentence_calls_a_movement_a_bias(name: str) -> None:
    reading = Reading(made_report(name))
    said = [findings_sentence(reading), question_sentence(reading), rule(reading), *MEANINGS.values()]
    assert not re.search(r"\bbias", " ".join(said))
    moved = tally(reading.report.comparisons).of("these cases")
    assert bool(moved) == ("It does not mean that the model is biased" in caution(reading))


def test_claims_are_shown_one_by_one_and_a_missing_figure_shows_nothing() -> None:
    reading = Reading(made_report("confirm"))
    row = reading.found[0]
    for change, marks in (
        ({"q_people": 0.2}, "a – c"),
        ({"q_people": None}, "a – c"),
        ({"ci_general_99": (-0.1, 0.01)}, "a b –"),
        ({"ci_general_99": (0.01, 0.1)}, "a b –"),
        ({"q_general": 0.2}, "a b –"),
        ({"q_general": None}, "a b –"),
        ({"ci_general_99": None, "q_people": None}, "a – –"),
        ({"question": "hiring_screen.advance"}, "a b"),
        ({"verdict": "unclear", "significant": False, "q_people": None}, "– – c"),
    ):
        assert reading.claims(row.model_copy(update=change)).marks == marks, change


def test_the_rule_states_all_three_claims_and_whom_the_second_is_about() -> None:
    for name, who in (("confirm", "other people"), ("deep", "other names and case mixes")):
        reading = Reading(made_report(name))
        said = rule(reading)
        assert "(a) Beyond the model's own noise, on these people and cases" in said
        assert f"(b) For {who}: q of flipping the signs of whole bases is below 0.05" in said
        assert "(c) For other cases too: the 99% interval" in said
        assert beyond(reading.report) == who
    assert "“other people”" not in rule(Reading(made_report("deep")))


def test_six_bases_are_said_to_allow_no_lone_discovery_and_why() -> None:
    said = reach_sentences(made_report("deep"))
    assert said == (
        "Claim (b) generalises over other names and case mixes, same background. With 6 bases a single one "
        "of the 120 pooled comparisons cannot be worse or better, however large: it takes 13 bases, or 76 "
        "comparisons whose bases all agree. With 6 bases a single one of the 4,200 comparisons on single "
        "questions cannot be worse or better, however large: it takes 18 bases, or 2,626 comparisons whose "
        "bases all agree."
    )


def test_enough_bases_are_not_said_to_bar_a_lone_discovery() -> None:
    report = made_report("confirm")
    assert report.generalisation is not None
    near = FamilyReach(tests=43, lone_q=0.0013, bases_needed=11, discoveries_needed=1)
    reach = report.generalisation.model_copy(update={"pooled": near, "per_question": near})
    assert reach_sentences(report.model_copy(update={"generalisation": reach})) == (
        "Claim (b) generalises over other people: names, case mixes and drawn backgrounds."
    )


def test_even_all_together_may_be_too_few() -> None:
    said = "With 2 bases nothing can be worse or better, however large."
    assert reach_sentences(made_report("pilot")).endswith(said)
    fewer = with_rows(made_report("pilot"), lambda row: {"bases": 1} if row.question is None else {})
    assert "With 1 base none of the 43 pooled comparisons can be worse or better" in reach_sentences(fewer)


def test_the_margin_belongs_to_the_verdicts_and_not_to_claim_b() -> None:
    reading = Reading(made_report("deep"))
    assert "margin" not in claims(reading)[1]
    assert "does not lie inside the margin of 0.02; “small” is (a) with that interval inside it" in (
        needed(reading)
    )


def test_one_swap_is_spoken_of_in_the_singular() -> None:
    report = made_report("quiet")
    row = next(row for row in report.comparisons if row.visible and row.question is None)
    one = report.model_copy(update={"comparisons": [row]})
    assert findings_sentence(Reading(one)).startswith("The only swap that the model could see was not shown")


def test_an_exact_model_counts_from_the_margin_on_and_says_so() -> None:
    report = made_report("exact")
    reading = Reading(report)
    assert reading.criterion == "margin"
    assert {row.id for row in reading.found} == {
        row.id for row in reading.visible if abs(row.delta or 0) >= report.run.margin
    }
    assert "p and q do not apply" in rule(reading)
    assert "by the declared margin or more" in caution(reading)
    assert all(reading.claims(row).noise for row in reading.found)


def test_without_a_null_nothing_is_found_and_nothing_is_cleared() -> None:
    reading = Reading(made_report("untested"))
    assert reading.criterion == "none"
    assert reading.found == []
    assert "could be tested" in findings_sentence(reading)
    assert "not the same as no difference" in findings_sentence(reading)
    assert "Nothing could be tested" in rule(reading)


def test_a_run_without_an_answer_has_no_finding_and_no_rule() -> None:
    reading = Reading(made_report("empty"))
    assert reading.nothing_pooled
    assert findings_sentence(reading) == (
        "None of the 43 swaps that the model could see could be compared with an anchor, so there is no "
        "finding to report."
    )
    assert rule(reading) == caution(reading) == smallest_effects(reading) == ""


def test_a_run_whose_questions_all_failed_is_read_question_by_question() -> None:
    reading = Reading(made_report("unpooled"))
    assert reading.nothing_pooled
    assert findings_sentence(reading).startswith("No question passed the validity check")
    assert reading.found == []
    assert len(reading.found_on_questions) > 0


def test_a_report_without_verdicts_says_so_and_finds_nothing() -> None:
    reading = Reading(made_report("old"))
    assert not reading.has_verdicts
    assert reading.found == []
    assert findings_sentence(reading) == (
        "This report gives no verdict on the 43 swaps that the model could see: an earlier jevbias made it. "
        "Analyse the run again to have them."
    )
    assert rule(reading) == caution(reading) == smallest_effects(reading) == ""
    assert {reading.outcome_text(row) for row in reading.visible} == {"no verdict"}


def test_a_factorial_run_is_pointed_to_its_contrasts() -> None:
    assert "stands in its contrasts" in findings_sentence(Reading(made_report("factorial")))


def test_the_smallest_effects_are_told_with_what_few_bases_cannot_show() -> None:
    assert smallest_effects(Reading(made_report("deep"))) == (
        "The smallest pooled effect that four runs of five would show (median over the swaps; the second "
        "figure as one discovery alone among all): 0.0085 (0.0132) beyond the noise (a) and 0.0167 (none) "
        "for other names and case mixes (b)."
    )
    assert "no effect of any size for other names and case mixes (b), with so few bases" in (
        smallest_effects(Reading(made_report("pilot")))
    )
    assert smallest_effects(Reading(made_report("exact"))) == ""


def test_without_a_test_no_smallest_effect_is_told_even_where_claim_b_has_one() -> None:
    report = with_rows(made_report("untested"), lambda row: {"mde_people": 0.03})
    assert any(row.mde_people is not None for row in Reading(report).visible)
    assert smallest_effects(Reading(report)) == ""


@pytest.mark.parametrize("name", sorted(MAKERS))
def test_other_people_are_spoken_of_only_where_backgrounds_were_drawn(name: str) -> None:
    report = made_report(name)
    drawn = report.generalisation is not None and bool(report.generalisation.drawn)
    assert drawn == (name == "confirm")
    shown = [*parsed_page(name).text, printed(report)]
    assert ("other people" in " ".join(" ".join(shown).split())) == drawn


def test_one_base_reaches_nobody_else() -> None:
    report = made_report("untested")
    assert beyond(report) == ""
    assert reach_sentences(report) == "Claim (b) generalises over nobody else: there is one base."
    tested = with_rows(report, lambda row: {"q": 0.5, "mde_noise": 0.01})
    reading = Reading(tested)
    assert "(b) Beyond these people: one base cannot show that." in rule(reading)
    assert smallest_effects(reading).endswith(
        "and no effect of any size beyond these people (b), with so few bases."
    )


def test_a_control_that_moved_is_a_false_positive_with_its_direction() -> None:
    reading = Reading(made_report("pilot"))
    moved = reading.controls[0].model_copy(update={"significant": True, "q": 0.01, "delta": -0.1})
    assert reading.outcome_text(moved) == "false positive (down)"
    assert reading.outcome_text(moved.model_copy(update={"delta": 0.1})) == "false positive (up)"
    assert reading.outcome_text(moved.model_copy(update={"significant": False})) == "control"
