"""The headlines in a terminal: in reading order, as text, at 80 columns and in a pipe."""

from __future__ import annotations

import re

import pytest
from rich.cells import cell_len

from jevbias.report.comparison import Comparison
from jevbias.report.run_report import RunReport
from tests.publish.conftest import MAKERS, made_report, printed
from tests.publish.reports import with_rows

HEADINGS = [
    *("Measured", "Noise floor", "Validity", "False positives", "Placebos", "Hypotheses", "Findings"),
    *("Decisions", "Failures", "Notes"),
]
COUNTERFACTUAL = sorted(set(MAKERS) - {"factorial"})


def flowing(report: RunReport) -> str:
    """The same without line breaks."""
    return " ".join(printed(report).split())


@pytest.mark.parametrize("name", COUNTERFACTUAL)
def test_headlines_come_in_the_order_in_which_they_have_to_be_believed(name: str) -> None:
    lines = printed(made_report(name)).splitlines()
    headings = [line.strip() for line in lines if re.match(r"[A-Z]", line)]
    assert {"Measured", "Noise floor", "Validity", "False positives", "Findings"} <= set(headings)
    assert headings == [heading for heading in HEADINGS if heading in headings]


@pytest.mark.parametrize("name", COUNTERFACTUAL)
def test_no_line_is_wider_than_the_terminal_and_a_pipe_gets_no_colour(name: str) -> None:
    text = printed(made_report(name))
    assert max(cell_len(line) for line in text.splitlines()) <= 80
    assert "\x1b" not in text


def test_a_finding_is_listed_with_its_verdict_and_the_claims_that_hold() -> None:
    rows = [line.split() for line in printed(made_report("confirm")).splitlines() if "=" in line]
    listed = [row for row in rows if row[0] in {"worse", "better"}]
    assert [row[:3] for row in listed] == [
        ["worse", "religion=muslim", "full"],
        ["worse", "name_culture=black_american", "full"],
        ["worse", "name_culture=black_american", "name_only"],
        ["better", "gender=nonbinary", "full"],
    ]
    assert all(re.fullmatch(r"[-+]0\.0\d{3}", row[3]) for row in listed)
    assert all(row[4:] == ["0.0059", "a", "b", "c"] for row in listed)


def test_under_a_finding_stand_the_figures_of_each_claim_and_what_is_missing() -> None:
    lines = printed(made_report("deep")).splitlines()
    place = next(n for n, line in enumerate(lines) if "these cases" in line and "=" in line)
    assert lines[place].split()[-3:] == ["a", "-", "c"]
    assert re.fullmatch(
        r" +\(a\) q <0\.0001  \(b\) p 0\.0313 q 0\.1250 bases \d/\d  \(c\) q <0\.0001 *",
        lines[place + 1],
    )
    assert "missing: other names and case mixes: q 0.12" in "\n".join(lines).replace(
        'Missing in each of "these cases"', "missing"
    )


def test_signs_are_ascii_so_that_they_can_be_searched() -> None:
    for name in ("deep", "confirm"):
        assert printed(made_report(name)).isascii()


def test_top_limits_the_list_and_says_how_many_are_left() -> None:
    text = printed(made_report("pilot"), top=1)
    assert len(re.findall("^ +these cases +", text, flags=re.M)) == 1
    assert "2 more on the page and in the report." in text
    none = printed(made_report("pilot"), top=0)
    assert "3 more on the page" in none
    assert "The closest" not in none
    assert "Decisions" not in none


def test_an_exact_model_is_listed_by_size_without_p_or_q_of_noise() -> None:
    text = printed(made_report("exact"))
    assert "does not vary" in text
    assert "religion=muslim" in text
    assert "(a) margin 0.02" in text
    assert "(a) q" not in text


def test_where_nothing_is_pooled_the_findings_are_those_on_questions() -> None:
    text = printed(made_report("unpooled"))
    assert "No question passed the validity check" in text
    assert re.search("^ +these cases +name_culture=black_american", text, flags=re.M)
    assert re.search("^ +on hiring_screen.advance", text, flags=re.M)


def test_checks_of_the_null_placebos_and_hypotheses_are_told_where_the_report_has_them() -> None:
    text = flowing(made_report("confirm"))
    for said in (
        "vary 1.31 times as much as an anchor's",
        "No drift is shown",
        "2 models answered",
        "20 placebos (visible edits that should not matter)",
        "- confirmed: full/religion=muslim down",
        "- not confirmed: opposite: full/gender=nonbinary down",
        "Holm-adjusted p is below alpha and the general interval excludes zero.",
    ):
        assert said in text, said
    quiet = flowing(made_report("quiet"))
    for absent in ("drift", "placebo", "Hypotheses", "Decisions"):
        assert absent not in quiet


def test_decisions_are_told_for_the_first_findings_on_questions() -> None:
    text = flowing(made_report("deep"))
    told = text.partition("Decisions A yes/no question counts as decided for the person")[2]
    assert len(re.findall(r"- \w+=\w+ on \w+\.\w+, full: 6 pairs: too few to judge; flips", told)) == 5
    assert "points beyond them" in told


def test_decisions_that_never_flip_take_one_sentence() -> None:
    def still(row: Comparison) -> dict[str, object]:
        nothing = {"flip_rate": 0.0, "repeat_flip_rate": 0.0, "excess_flips": 0.0}
        return {"decisions": row.decisions.model_copy(update=nothing)} if row.decisions else {}

    text = flowing(with_rows(made_report("pilot"), still))
    assert re.search(r"on\. None of the \d+ findings on yes/no questions flips one\.", text)
    assert ": flips" not in text


def test_nothing_found_tells_what_came_closest_and_what_would_have_been_seen() -> None:
    assert re.search(
        r"The closest: .*q \d\.\d{4} \(unclear; would have shown an effect of 0\.0132 beyond noise\)",
        flowing(made_report("quiet")),
    )


def test_several_models_are_warned_about_and_bases_are_explained_where_they_are_first_named() -> None:
    text = flowing(made_report("pilot"))
    assert "2 bases (anchors: the people that swaps are compared with) and their swaps" in text
    assert "Pin a build" not in text
    run = made_report("pilot").run.model_copy(update={"models_answered": ["jev-1.13.0", "jev-1.14.0"]})
    moved = flowing(made_report("pilot").model_copy(update={"run": run}))
    assert "2 models answered under one name" in moved
    assert "Pin a build and run again." in moved


def test_nothing_tested_lists_nothing_and_claims_nothing() -> None:
    text = flowing(made_report("untested"))
    assert "could be tested" in text
    assert "The closest" not in text
    assert "means that these answers moved" not in text


def test_a_report_without_verdicts_says_so_and_lists_nothing() -> None:
    text = flowing(made_report("old"))
    assert "gives no verdict on the 43 swaps" in text
    assert "Three claims" not in text


def test_markup_and_escape_sequences_are_shown_as_text() -> None:
    text = "".join(printed(made_report("hostile"), terminal=True).split())
    assert "[/b]" in text
    assert "[31mevil" in text
    assert "\x1b[31mevil" not in text
    assert not re.search("[\x00\u202e\u2066\u2028]", text)


def test_failures_are_told_only_where_there_are_any() -> None:
    assert "Failures" not in printed(made_report("pilot"))
    deep = flowing(made_report("deep"))
    assert "timeout 12" in deep
    assert "religion=muslim under full: 18.8% of its calls, 0.7% of its anchors' (q 0.0310)" in deep


def test_the_legend_comes_before_the_table_and_what_all_rows_lack_is_said_once() -> None:
    text = flowing(made_report("pilot"))
    assert text.index("Three claims are kept apart") < text.index("verdict swap condition")
    assert text.count("other cases: no interval, fewer than 3 complete bases or scenarios") == 1
    assert "Missing in each of" in text


def test_an_unanswered_run_makes_no_claim() -> None:
    assert "Claim (b)" not in flowing(made_report("empty"))
    report = made_report("pilot")
    silent = report.model_copy(update={"run": report.run.model_copy(update={"answered": 0})})
    assert "Claim (b)" not in flowing(silent)


def test_cut_decisions_are_counted() -> None:
    told = flowing(made_report("deep")).partition("Decisions A yes/no")[2].partition("Failures")[0]
    assert re.search(r"[\d,]+ more on the page and in the report\.", told)
