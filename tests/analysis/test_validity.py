import pytest

from jevbias.analysis.analyse import analyse
from jevbias.analysis.validity import judge_response
from jevbias.report.run_report import RunReport
from tests.analysis.runs import MERIT, Design, Someone, make_dataset, make_probes

THREE_BASES = Design(bases=3)


def means(weak: float, mid: float, strong: float) -> dict[str, float]:
    return {"weak": weak, "mid": mid, "strong": strong}


@pytest.mark.parametrize(
    ("by_variant", "noise", "flag", "non_monotone"),
    [
        ({"mid": 0.5}, 0.001, "untested", False),
        (means(0.4, 0.5, 0.6), 0.01, "ok", False),
        (means(0.40, 0.42, 0.431), 0.01, "ok", False),
        (means(0.40, 0.42, 0.43), 0.015, "ok", False),
        (means(0.70, 0.72, 0.731), 0.02, "flat", False),
        (means(0.6, 0.5, 0.4), 0.01, "inverted", False),
        (means(0.55, 0.55, 0.45), 0.049, "inverted", False),
        (means(0.5, 0.52, 0.51), 0.005, "midpoint", False),
        (means(0.46, 0.5, 0.48), 0.005, "midpoint", True),
        (means(0.95, 0.955, 0.951), 0.005, "uniform", False),
        (means(0.95, 0.955, 0.951), 0.02, "flat", False),
        (means(0.95, 0.955, 0.951), None, "flat", True),
        (means(0.80, 0.81, 0.825), 0.005, "flat", False),
        (means(0.5, 0.9, 0.7), 0.01, "ok", True),
        ({"weak": 0.4, "strong": 0.6}, 0.01, "ok", False),
    ],
)
def test_the_first_flag_that_applies_counts(
    by_variant: dict[str, float], noise: float | None, flag: str, non_monotone: bool
) -> None:
    response = judge_response(by_variant, noise)
    assert (response.flag, response.non_monotone) == (flag, non_monotone)


def test_the_published_handling_question_is_caught_as_inverted() -> None:
    """Raw answers .73, .46, .34 from weak to strong, read as 'higher is better'."""
    assert judge_response(means(0.73, 0.46, 0.34), 0.0085).flag == "inverted"
    assert judge_response(means(1 - 0.73, 1 - 0.46, 1 - 0.34), 0.0085).flag == "ok"


def test_the_published_deposit_question_is_caught_whichever_way_it_is_signed() -> None:
    as_it_came = judge_response(means(0.45, 0.07, 0.75), 0.0085)
    assert (as_it_came.flag, as_it_came.non_monotone) == ("ok", True)
    flipped = judge_response(means(0.55, 0.93, 0.25), 0.0085)
    assert (flipped.flag, flipped.non_monotone) == ("inverted", True)


def report_with(question: str, by_variant: dict[str, float]) -> RunReport:
    """A run in which one question of `hiring` answers in its own way."""

    def expect(person: Someone, scenario: str, asked: str, variant: str, condition: str) -> float:
        own = scenario == "hiring" and asked == question
        value = by_variant[variant] if own else MERIT[variant]
        return value - (0.1 if own and person.swapped_attribute == "faith" else 0.0)

    return analyse(make_dataset(THREE_BASES, make_probes(THREE_BASES, expect)))


@pytest.mark.parametrize(
    ("by_variant", "flag", "verdict"),
    [
        (means(0.7, 0.5, 0.3), "inverted", "withheld"),
        (means(0.52, 0.55, 0.53), "midpoint", "withheld"),
        (means(0.3, 0.9, 0.6), "ok", "these cases"),
    ],
)
def test_only_ok_and_monotone_questions_are_pooled(
    by_variant: dict[str, float], flag: str, verdict: str
) -> None:
    report = report_with("q1", by_variant)
    rows = {row.question: row for row in report.validity}
    assert rows["hiring.q1"].flag == flag
    assert [name for name, row in rows.items() if not row.pooled] == ["hiring.q1"]
    faith = {row.question: row for row in report.comparisons if row.id.startswith("full/faith=l0")}
    assert faith["hiring.q1"].verdict == verdict
    assert faith["hiring.q0"].verdict != "withheld"
    pooled = faith[None]
    assert pooled.delta is not None
    assert pooled.delta_all_questions is not None
    assert abs(pooled.delta) < 0.01, "the question that moved is not in the pooled score"
    assert pooled.delta_all_questions == pytest.approx(-0.1 / 6, abs=0.01)


def test_means_go_over_people_within_conditions_and_then_over_conditions() -> None:
    def expect(person: Someone, scenario: str, asked: str, variant: str, condition: str) -> float:
        return MERIT[variant] + (0.06 if condition == "full" else 0.0) + (0.02 if person.is_anchor else 0.0)

    report = analyse(make_dataset(THREE_BASES, make_probes(THREE_BASES, expect, noise=0.0)))
    people = 6  # an anchor and five swaps, however often they were asked
    for row in report.validity:
        assert row.means == pytest.approx({v: m + 0.03 + 0.02 / people for v, m in MERIT.items()})
        assert row.span == pytest.approx(0.3)


def test_questions_that_met_one_variant_are_untested_and_all_pooled() -> None:
    design = Design(bases=1)
    report = analyse(make_dataset(design, make_probes(design)))
    assert {row.flag for row in report.validity} == {"untested"}
    assert all(row.pooled for row in report.validity)
    assert any("untested" in note for note in report.notes)
