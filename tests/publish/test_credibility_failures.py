"""Missing answers and confirmed hypotheses, as the page tells them."""

from __future__ import annotations

from collections.abc import Mapping

from jevbias.publish.brief import brief
from jevbias.publish.failures import by_level, failures_sentence, level_line, levels_sentence
from jevbias.publish.findings import Reading
from jevbias.publish.hypotheses import broken_seal, hypotheses_sentence, judged_rows
from jevbias.report.failures import Failures
from tests.publish.conftest import made_report


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


def test_a_group_that_is_refused_more_often_is_a_finding_of_its_own() -> None:
    report = made_report("deep")
    assert levels_sentence(report).startswith("1 of 120 swaps went without a usable answer at another rate")
    first = by_level(report)[0]
    assert level_line(first) == (
        "religion=muslim under full: 18.8% of its calls, 0.7% of its anchors' (q 0.0310)"
    )
    assert levels_sentence(made_report("pilot")) == ""


def failing(*rows: Mapping[str, object]) -> str:
    """What is said of these rows by level."""
    report = made_report("deep")
    first = by_level(report)[0].model_copy(update={"q": 0.25, "significant": False})
    made = [first.model_copy(update=row) for row in rows]
    failures = report.failures.model_copy(update={"by_level": made})
    return levels_sentence(report.model_copy(update={"failures": failures}))


def test_a_test_that_shows_no_difference_is_never_reported_as_equality() -> None:
    said = failing({}, {"id": "even", "level": "sikh", "unusable": 1})
    assert said == (
        "No difference is shown between how often swaps and their anchors went without a usable answer "
        "(exact test, 2 swaps, none with q below 0.05), which does not mean that there is none. The "
        "largest gap is religion=muslim under full: 18.8% of its calls, 0.7% of its anchors' (q 0.2500)."
    )


def test_four_pairs_cannot_show_even_that_a_group_is_always_refused() -> None:
    refused = {"probes": 4, "unusable": 4, "pairs": 4, "only_swap": 4, "p": 0.125, "q": 0.125}
    said = failing(refused)
    assert "religion=muslim under full: 100.0% of its calls" in said
    assert said.endswith(
        "The swaps have too few pairs for any p below 0.05: 4 pairs at most, which cannot give one below "
        "0.1250."
    )
    assert "1 of them has too few pairs" in failing({}, refused)
    assert "too few pairs" not in failing({"pairs": 6})
    assert "5 pairs at most, which cannot give one below 0.0625" in failing({"pairs": 5})


def test_placebos_are_not_counted_among_the_swaps_whose_failures_were_tested() -> None:
    placebo = {"id": "placebo", "attribute": "placebo", "p": 0.0001, "q": None, "unusable": 48}
    said = failing({}, placebo)
    assert "(exact test, 1 swap, none" in said
    assert "placebo" not in said
    assert failing(placebo).endswith("could not be tested.")


def test_hypotheses_are_counted_by_outcome_and_a_broken_seal_is_said() -> None:
    hypotheses = made_report("confirm").hypotheses
    assert hypotheses is not None
    assert hypotheses_sentence(hypotheses) == (
        "4 hypotheses from run jev-latest-deep, frozen 19 September 2026, 08:00 UTC (hash ab12cd34ab12): "
        "1 confirmed, 1 unclear, 1 not confirmed: opposite and 1 not confirmed: equivalent."
    )
    assert broken_seal(hypotheses) == ""


def test_nothing_is_confirmed_where_the_seal_is_broken_and_the_reason_is_given() -> None:
    report = made_report("confirm")
    assert report.hypotheses is not None
    assert brief(Reading(report))[-1].figure == "1"
    broken = report.hypotheses.model_copy(update={"intact": False})
    assert "nothing here confirms anything" in broken_seal(broken)
    assert hypotheses_sentence(broken).endswith(": 4 unclear, because the seal is broken.")
    assert {row.outcome for row in judged_rows(broken)} == {"unclear"}
    assert sum("nothing here confirms anything" in row.reason for row in judged_rows(broken)) == 3
    tile = brief(Reading(report.model_copy(update={"hypotheses": broken})))[-1]
    assert (tile.figure, tile.of, tile.name) == ("0", "4", "Confirmed")
    assert "the seal is broken" in tile.says
