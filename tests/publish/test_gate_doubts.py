"""What a gate cannot decide, and why it says so."""

from __future__ import annotations

from typing import Any

import pytest

from jevbias.publish.gate import Limits, judge_run
from jevbias.report.run_report import RunReport
from tests.publish.conftest import made_report
from tests.publish.gated import ABLE, DOWN, REFUSED, limit, one_pooled, within_limits
from tests.publish.reports import with_rows


def with_controls(**update: Any) -> RunReport:
    report = within_limits()
    pooled = report.calibration.pooled
    controls = pooled.controls.model_copy(
        update={"tests": 23, "significant": 0, "expected_significant": (0, 2), **update}
    )
    calibration = report.calibration.model_copy(
        update={"pooled": pooled.model_copy(update={"controls": controls})}
    )
    return report.model_copy(update={"calibration": calibration})


@pytest.mark.parametrize(
    "controls",
    [{"significant": 3}, {"uniformity_p": 0.001}, {"expected_significant": None}],
    ids=["more than simulated", "not uniform", "nothing to hold them against"],
)
@pytest.mark.parametrize("required", [False, True])
def test_controls_beyond_their_interval_leave_it_undecided_whether_calibration_is_required_or_not(
    controls: dict[str, Any], required: bool
) -> None:
    report = with_controls(**controls)
    result = judge_run(report, Limits(0, require_calibration=required))
    assert (result.verdict, result.exit_code, len(result.undecided)) == ("cannot decide", 3, 1)
    assert not required or limit(result, "require_calibration").passed is None
    allowed = judge_run(report, Limits(0, require_calibration=required, allow_undecided=True))
    assert allowed.verdict == "passed"


def test_calibration_required_asks_for_tested_controls() -> None:
    report = with_controls(tests=0, expected_significant=None, interval=None)
    family = report.calibration.pooled
    calibration = report.calibration.model_copy(update={"per_question": family})
    report = report.model_copy(update={"calibration": calibration})
    required = judge_run(report, Limits(0, require_calibration=True))
    assert (required.verdict, required.exit_code) == ("cannot decide", 3)
    assert limit(required, "require_calibration").passed is None
    assert judge_run(report, Limits(0)).verdict == "passed"


def test_controls_within_their_interval_hold() -> None:
    result = judge_run(with_controls(significant=2), Limits(0, require_calibration=True))
    assert (result.verdict, limit(result, "require_calibration").allowed) == ("passed", 2)


def test_an_exact_model_s_controls_must_not_move_at_all() -> None:
    still = within_limits()
    floor = still.noise_floor.model_copy(update={"exact": True})
    exact = still.model_copy(update={"noise_floor": floor})
    result = judge_run(exact, Limits(0, require_calibration=True))
    calibration = limit(result, "require_calibration")
    assert (calibration.allowed, calibration.measured == 0) == (0, calibration.passed is True)
    assert "none should" in calibration.says
    held = with_rows(exact, lambda row: {} if row.visible else {"bases_down": 0, "bases_up": 0})
    assert judge_run(held, Limits(0, require_calibration=True)).verdict == "passed"


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("factorial", "a factorial run has no pairs"),
        ("empty", "no call was answered"),
        ("unpooled", "nothing is pooled"),
        ("old", "no verdicts"),
    ],
)
def test_a_run_that_gives_no_verdicts_says_why_it_cannot_be_decided(name: str, reason: str) -> None:
    report = made_report(name)
    result = judge_run(report, Limits(10_000, 1.0))
    assert (result.verdict, result.exit_code) == ("cannot decide", 3)
    assert any(reason in text for text in result.undecided)


def test_a_factorial_run_s_contrasts_are_held_against_the_largest_difference() -> None:
    report = made_report("factorial")
    assert report.factorial is not None
    visible = [row for row in report.factorial.contrasts if row.visible and row.question is None]
    size = limit(judge_run(report, Limits(0, 0.0)), "max_abs_delta")
    assert size.measured == max(abs(row.delta or 0.0) for row in visible)
    assert judge_run(report, Limits(0, 0.0, allow_undecided=True)).verdict == "failed"


def test_an_unfinished_run_and_missing_answers_cannot_be_decided() -> None:
    report = within_limits()
    left = report.failures.model_copy(update={"by_status": {"answered": 300, "pending": 88}})
    unfinished = judge_run(report.model_copy(update={"failures": left}), Limits(0))
    assert "88 of 388 calls" in unfinished.undecided[0]
    refused = report.failures.model_copy(update={"by_level": [REFUSED]})
    result = judge_run(report.model_copy(update={"failures": refused}), Limits(0))
    assert (result.verdict, len(result.undecided)) == ("cannot decide", 1)
    assert "full/religion=muslim" in result.undecided[0]


@pytest.mark.parametrize("question", [False, True], ids=["pooled", "on a question"])
def test_a_difference_without_a_noise_null_cannot_be_decided_but_for_an_exact_model(question: bool) -> None:
    lacks: dict[str, Any] = {"q": None, "p_noise": None, "significant": False, "verdict": "unclear", **ABLE}
    report = within_limits(
        lambda row: lacks if row.visible and (row.question is not None) is question else {}
    )
    result = judge_run(report, Limits(0))
    assert (result.verdict, len(result.undecided)) == ("cannot decide", 1)
    assert result.undecided[0].startswith("no noise to test against: full/")
    floor = report.noise_floor.model_copy(update={"exact": True})
    still = with_rows(report, lambda row: {} if row.visible else {"bases_down": 0, "bases_up": 0})
    assert judge_run(still.model_copy(update={"noise_floor": floor}), Limits(0)).verdict == "passed"


def one_question(**update: Any) -> RunReport:
    """Every swap within the margin, but for one visible comparison on a question."""
    report = within_limits()
    name = next(row.id for row in report.comparisons if row.visible and row.question)
    return within_limits(lambda row: update if row.id == name else {})


def test_a_question_far_down_that_its_bases_could_not_have_shown_cannot_be_decided() -> None:
    result = judge_run(one_question(**DOWN), Limits(0))
    assert (result.verdict, len(result.undecided)) == ("cannot decide", 1)
    assert result.undecided[0].startswith("too few bases for single questions: full/")


@pytest.mark.parametrize(
    "other", [{"delta": 0.3}, {"delta": -0.039}, {"p_people_floor": 1e-9}, {"verdict": "unclear"}]
)
def test_no_other_question_row_has_to_have_had_enough_bases(other: dict[str, Any]) -> None:
    assert judge_run(one_question(**{**DOWN, **other}), Limits(0)).verdict == "passed"


@pytest.mark.parametrize("lost", [{"delta": None, "pairs": 0, "verdict": "unclear"}, {"pairs": 0}])
def test_a_question_that_went_missing_for_one_group_cannot_be_decided(lost: dict[str, Any]) -> None:
    result = judge_run(one_question(**lost), Limits(0))
    assert (result.verdict, len(result.undecided)) == ("cannot decide", 1)
    assert result.undecided[0].startswith("answers are missing for some and not for others, with")


def test_a_question_that_went_missing_for_everybody_alike_is_no_doubt() -> None:
    name = next(row.question for row in within_limits().comparisons if row.question)
    gone = {"delta": None, "pairs": 0, "verdict": "unclear"}
    assert (
        judge_run(within_limits(lambda row: gone if row.question == name else {}), Limits(0)).undecided == ()
    )


def test_an_exact_model_whose_bases_all_agree_is_not_refused_for_power() -> None:
    same: dict[str, Any] = {
        "verdict": "these cases",
        **ABLE,
        "delta": -0.03,
        "ci_people": (-0.03, -0.03),
        "mde_people": None,
    }
    report = with_rows(
        one_pooled(**same), lambda row: {} if row.visible else {"bases_down": 0, "bases_up": 0}
    )
    assert "too little power" in judge_run(report, Limits(0)).undecided[0]
    exact = report.model_copy(update={"noise_floor": report.noise_floor.model_copy(update={"exact": True})})
    assert judge_run(exact, Limits(0)).verdict == "passed"


def confirmatory(**update: Any) -> RunReport:
    """A run within its limits that has the hypotheses of the made confirmatory one, changed."""
    hypotheses = made_report("confirm").hypotheses
    assert hypotheses is not None
    rows = [row.model_copy(update={"outcome": "not confirmed: equivalent"}) for row in hypotheses.rows]
    changed = hypotheses.model_copy(update={"rows": rows, **update})
    return within_limits().model_copy(update={"hypotheses": changed})


def test_hypotheses_that_were_changed_or_ended_unclear_cannot_be_decided() -> None:
    assert judge_run(confirmatory(), Limits(0)).verdict == "passed"
    broken = judge_run(confirmatory(intact=False), Limits(0))
    assert (broken.verdict, "frozen" in broken.undecided[0]) == ("cannot decide", True)
    frozen = confirmatory().hypotheses
    assert frozen is not None
    unclear = [row.model_copy(update={"outcome": "unclear"}) for row in frozen.rows]
    result = judge_run(confirmatory(rows=unclear), Limits(0))
    assert (result.verdict, "ended unclear" in result.undecided[0]) == ("cannot decide", True)


def test_a_report_that_does_not_say_what_its_bases_can_show_cannot_be_decided() -> None:
    report = within_limits().model_copy(update={"generalisation": None})
    result = judge_run(report, Limits(0))
    assert (result.verdict, "what its bases can show" in result.undecided[0]) == ("cannot decide", True)
