"""What is found on single questions, beside what is pooled."""

from __future__ import annotations

import pytest

from jevbias.publish.brief import brief
from jevbias.publish.cautions import caution
from jevbias.publish.finding_sentences import (
    findings_sentence,
    needed,
    question_sentence,
)
from jevbias.publish.findings import Reading
from jevbias.publish.gate import Limits, judge_run
from jevbias.publish.swaps_on_questions import moved_sentence, swaps_sentence, swaps_worse
from jevbias.publish.verdicts import MEANINGS, tally
from jevbias.report.comparison import Comparison, comparison_id
from jevbias.report.run_report import RunReport
from tests.publish.conftest import made_report, printed
from tests.publish.reports import with_rows


def test_questions_are_counted_whole_and_by_part() -> None:
    reading = Reading(made_report("deep"))
    counts = tally(reading.visible_on_questions)
    assert counts.of("withheld") == 240
    sentence = question_sentence(reading)
    assert sentence.startswith(
        "Of 4,200 comparisons on single questions that the model could see, 240 are withheld, because their "
        "question failed the validity check. Of the other 3,960: 0 worse, 0 better, "
        f"{counts.of('these cases')} these cases"
    )
    assert counts.judged == 3_960


def test_a_finding_on_one_question_says_that_it_is_on_this_question() -> None:
    reading = Reading(made_report("confirm"))
    texts = {reading.outcome_text(row) for row in reading.found_on_questions}
    assert "worse on this question" in texts
    assert "worse" not in texts


def test_questions_that_lead_together_are_named_together_and_many_are_not_named() -> None:
    report = made_report("quiet")
    rows = [row for row in report.comparisons if row.question is not None and row.visible]
    questions = sorted({row.question or "" for row in rows})

    def hit(chosen: list[str]) -> str:
        first = {next(row.id for row in rows if row.question == name) for name in chosen}
        changed = with_rows(
            report, lambda row: {"verdict": "worse" if row.id in first else "unclear"} if row.visible else {}
        )
        return question_sentence(Reading(changed))

    assert hit(questions[:1]).endswith(f"Answers moved most often on {questions[0]} (1 time).")
    assert hit(questions[:2]).endswith(f"on {questions[0]} and {questions[1]} (1 time each).")
    assert "most often" not in hit(questions[:6])


def moved_on_questions(worse: list[int], better: list[int]) -> RunReport:
    """An exact run in which no pooled score moved, and these swaps, by place, are worse and better on one
    question each.
    """
    report = made_report("exact")
    pooled = [row for row in report.comparisons if row.question is None and row.visible]
    first, second = [row.question for row in report.validity][:2]
    named = {
        comparison_id(row.condition, row.attribute, row.level, question): verdict
        for places, verdict, question in ((worse, "worse", first), (better, "better", second))
        for row in (pooled[place] for place in places)
    }

    def judged(row: Comparison) -> dict[str, object]:
        return {"verdict": named.get(row.id, "unclear")} if row.visible else {}

    return with_rows(report, judged)


def test_what_pooling_hides_is_told_in_the_opening_on_the_card_and_in_the_terminal() -> None:
    report = moved_on_questions([0, 1, 2], [2, 3])
    reading = Reading(report)
    assert tally(reading.visible).found == 0
    said = (
        "On single questions, for other names and case mixes and on these cases only, 3 swaps are worse and "
        "2 better on at least one, 1 of them both."
    )
    assert findings_sentence(reading).endswith(said)
    assert said in " ".join(printed(report).replace("\n", " ").split())
    tile = brief(reading)[3]
    assert (tile.figure, tile.of) == ("0", "43")
    assert "on these cases only, 5 of 430 comparisons are; 3 swaps are worse on at least one question" in (
        tile.says
    )
    assert moved_sentence(reading) == "5 comparisons on single questions moved: 3 worse and 2 better."


@pytest.mark.parametrize(("worse", "better"), [([0, 1, 2], [2]), ([7], []), ([], [4])])
def test_the_page_and_the_gate_count_the_same_swaps_as_worse(worse: list[int], better: list[int]) -> None:
    report = moved_on_questions(worse, better)
    limit = judge_run(report, Limits()).limits[0]
    assert limit.measured == swaps_worse(Reading(report)) == len(worse)


def test_swaps_on_questions_are_spoken_of_in_the_singular_and_where_there_are_none() -> None:
    assert "1 swap is worse and 0 better on at least one." in swaps_sentence(
        Reading(moved_on_questions([3], []))
    )
    assert swaps_sentence(Reading(moved_on_questions([], []))) == (
        "On single questions, no swap is shown to be worse or better."
    )
    for name in ("untested", "empty", "old", "factorial"):
        assert swaps_sentence(Reading(made_report(name))) == moved_sentence(Reading(made_report(name))) == ""


def test_both_cards_count_pooled_swaps_first_and_single_questions_after_them() -> None:
    for name, controls in (("exact", "0 of 230"), ("deep", "14 of 3,500")):
        reading = Reading(made_report(name))
        positives, findings = brief(reading)[2:]
        assert positives.of == str(len(reading.controls))
        assert findings.of == str(len(reading.visible))
        assert f"on single questions {controls} comparisons do" in positives.says
        of = tally(reading.visible_on_questions).judged
        assert f"on single questions, on these cases only, 0 of {of:,} comparisons are" in findings.says


def test_no_difference_is_claimed_for_other_names_on_these_cases_and_no_further() -> None:
    reading = Reading(made_report("deep"))
    assert (
        "“no difference”, shown to be below 0.02, if there is any, for other names and case mixes, on these"
        in (findings_sentence(reading))
    )
    assert "with a 90% interval over bases, on these cases, that lies inside the margin" in needed(reading)
    for verdict in ("small", "no difference"):
        assert "on these cases" in MEANINGS[verdict]


def test_the_caution_speaks_of_the_verdicts_that_the_report_has() -> None:
    on_questions = caution(Reading(moved_on_questions([0], [])))
    assert on_questions.startswith(
        "“worse on this question” is shown for other names and case mixes, and for"
    )
    assert "whether it holds for other cases was not asked" in on_questions
    assert "these cases”" not in on_questions
    both = caution(Reading(moved_on_questions([0], [1])))
    assert both.startswith("“worse on this question” or “better on this question” is shown")
    pooled = caution(Reading(made_report("pilot")))
    assert pooled.startswith("“these cases” means")
    assert "on this question" not in pooled
    single = with_rows(
        made_report("pilot"),
        lambda row: {"verdict": "unclear"} if row.visible and row.question is None else {},
    )
    assert caution(Reading(single)).startswith("“these cases”, here on single questions only, means")
