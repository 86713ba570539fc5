"""What a page says: the words, sections and warnings that each kind of report needs."""

from __future__ import annotations

import re

from jevbias.publish import figures
from jevbias.publish.conditions import conditions
from jevbias.publish.findings import Reading
from jevbias.publish.found import element_id
from jevbias.publish.measured import measured
from jevbias.publish.page import render_page
from tests.publish.conftest import MAKERS, made_page, made_report, parsed_page, printed


def test_more_than_one_model_is_warned_about() -> None:
    report = made_report("pilot")
    run = report.run.model_copy(update={"models_answered": ["jev-1.13.0", "jev-1.14.0"]})
    page = render_page(report.model_copy(update={"run": run}))
    assert "2 models answered under one name" in page
    assert "2 models answered" not in made_page("pilot")


def test_a_report_without_verdicts_still_has_its_tables() -> None:
    table = parsed_page("old").tables["pooled-table"]
    place = table[0].index("Verdict")
    assert {re.match("no verdict|control", cells[place])[0] for cells in table[1:]} == {  # type: ignore[index]
        "no verdict",
        "control",
    }


def test_where_nothing_is_pooled_no_pooled_table_stands_before_the_findings_on_questions() -> None:
    page = parsed_page("unpooled")
    assert "pooled-table" not in page.tables
    rows = page.tables["on-questions-table"][1:]
    found = Reading(made_report("unpooled")).found_on_questions
    assert [cells[1] for cells in rows] == [row.question for row in found]
    text = " ".join("".join(page.text).split())
    assert "Of 215 comparisons on single questions that the model could see, 86 are withheld" in text


def test_everything_that_moved_on_a_question_is_readable_without_a_script() -> None:
    reading = Reading(made_report("deep"))
    moved = [row for row in reading.per_question if row.significant or reading.state(row).moved]
    head, *rows = parsed_page("deep").tables["on-questions-table"]
    assert head[-3:] == ["Flips beyondrepeats, points", "Four-fifthsratio", "Log-odds"]
    assert len(rows) == len(moved) > 600
    assert any(not row.visible for row in moved)
    for cells, row in zip(rows, moved, strict=True):
        decisions = row.decisions
        assert cells == [
            f"{row.attribute}={row.level}",
            row.question,
            row.condition,
            reading.state(row).text,
            figures.delta(row.delta),
            figures.half_width(row.ci_noise),
            figures.p_value(row.q),
            figures.half_width(row.ci_people),
            figures.p_value(row.p_people),
            figures.p_value(row.q_people),
            figures.pairs(row.pairs, row.effective_n),
            figures.spread(row.mde_noise),
            figures.spread(row.mde_people),
            figures.points(decisions.excess_flips).removesuffix(" points") if decisions else "",
            figures.ratio(decisions.four_fifths) if decisions else "",
            figures.delta(decisions.log_odds, 2) if decisions else "",
        ]


def test_calibration_placebos_and_failures_by_level_are_on_the_page() -> None:
    text = " ".join("".join(parsed_page("deep").text).split())
    for said in (
        "Expected,simulated",
        "95% interval,if independent",
        "p ofuniformity",
        "Placebos: edits that should not matter",
        "vary 1.31 times as much as an anchor's",
        "No drift is shown",
        "1 of 120 swaps went without a usable answer at another rate",
        "a span of at least 0.03 and at least twice the noise SD is ok",
    ):
        assert said in text, said
    for row in made_report("deep").failures.by_level:
        assert f'id="{element_id(row.id)}"' in made_page("deep")
    assert "Placebos" not in made_page("pilot")


def test_the_hypotheses_of_a_confirmatory_run_have_a_section_with_outcome_and_reason() -> None:
    text = " ".join("".join(parsed_page("confirm").text).split())
    assert "What was to be confirmed" in text
    assert "4 hypotheses from run jev-latest-deep" in text
    assert "not confirmed: equivalent" in text
    assert "Holm-adjusted p is below alpha and the general interval excludes zero." in text
    assert "What was to be confirmed" not in made_page("pilot")
    report = made_report("confirm")
    assert report.hypotheses is not None
    broken = report.hypotheses.model_copy(update={"intact": False})
    page = render_page(report.model_copy(update={"hypotheses": broken}))
    assert "nothing here confirms anything" in page
    assert "Each hypothesis was frozen before the first call" not in page


def test_a_factorial_page_shows_contrasts_cells_and_interactions() -> None:
    page = parsed_page("factorial")
    text = " ".join("".join(page.text).split())
    assert "People were drawn who differ in everything at once" in text
    assert "Over 160 people, 1 of 43 pooled contrasts that the model could see came out" in text
    assert "54 pooled contrasts that the model could not see" in text
    assert "name_culture and gender together, full" in text
    assert "gender=woman and religion=muslim" in text
    assert "Nobody has these two levels at once: gender=nonbinary and name_culture=jewish." in text
    assert "nobody" in "".join(text.partition("together, full")[2])
    contrasts = made_report("factorial").factorial
    assert contrasts is not None
    top = next(row for row in contrasts.contrasts if row.id == "full/religion=muslim")
    assert figures.interval(top.interval) in text
    assert f'id="{top.id}"' in made_page("factorial")


def test_words_that_a_newcomer_cannot_know_are_replaced() -> None:
    for name in MAKERS:
        assert "noul" not in "".join(parsed_page(name).text)


def test_conditions_are_told_in_one_sentence_and_one_row_per_question() -> None:
    report = made_report("pilot")
    text = "".join(parsed_page("pilot").text)
    (shift,) = (row for row in report.conditions if row.question is None and row.baseline)
    assert (
        f"moves the mean favourability by {figures.delta(shift.shift)}, to {figures.level(shift.mean)}"
        in text
    )
    for row in report.conditions:
        assert f'id="{row.id}"' in made_page("pilot")


def test_the_means_over_several_questions_say_over_which() -> None:
    assert conditions(made_report("exact")).lines[0].question == "All questions"
    assert "over everyone and all questions" in conditions(made_report("exact")).sentence.lower()
    report = made_report("deep")
    first = report.validity[0].question.partition(".")[0]
    out = [
        row.model_copy(update={"pooled": False}) if row.question.startswith(first) else row
        for row in report.validity
    ]
    shown = conditions(report.model_copy(update={"validity": out}))
    pooled = sum(row.pooled for row in out)
    assert shown.lines[0].question == f"Pooled questions ({pooled} of 35, 7 of 8 scenarios)"
    assert shown.sentence.startswith(
        f"Over everyone and the {pooled} pooled questions (of 35, in 7 of 8 scenarios), showing full"
    )
    alone = [row.model_copy(update={"pooled": row is out[-1]}) for row in out]
    one = conditions(report.model_copy(update={"validity": alone}))
    assert one.lines[0].question == "Pooled question (1 of 35, 1 of 8 scenarios)"
    assert "the 1 pooled question (of 35" in one.sentence


def test_declared_figures_include_the_threshold_and_the_caveat_stands_once() -> None:
    text = " ".join(" ".join(parsed_page("deep").text).split())
    assert "margin 0.02, alpha 0.05, threshold 0.5" in text
    assert text.count("It does not mean that the model is biased") == 1


def test_a_factorial_page_leaves_out_what_only_swaps_have() -> None:
    text = " ".join(" ".join(parsed_page("factorial").text).split())
    assert "Attributes swapped" not in text
    assert "Equal noise" not in text
    assert "Four limits hold" in text
    assert "speak for people drawn at random and for these cases, and get no verdict" in text
    assert "and get no verdict" in " ".join(printed(made_report("factorial")).split())


def test_a_model_that_does_not_name_itself_is_not_said_to_have_answered_by_the_name_it_was_asked_by() -> None:
    report = made_report("pilot")
    run = report.run.model_copy(update={"models_answered": []})
    assert measured(report.model_copy(update={"run": run})).facts[0].value == "it did not name itself"
