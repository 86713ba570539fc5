"""The gate passes what stays within its limits and could have been seen to leave them, and nothing else."""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from jevbias.publish.gate import GateResult, Limits, judge_run
from jevbias.report.comparison import Comparison, ComparisonVerdict
from jevbias.report.failures import FailureRow
from jevbias.report.run_report import RunReport
from tests.publish.conftest import MAKERS, made_report
from tests.publish.reports import with_rows

SHOWN: dict[str, Any] = {"verdict": "no difference", "missing_claim": None}
ABLE: dict[str, Any] = {"p_people_floor": 1e-6, "mde_people": 0.03, "ci_general_99": (-0.01, 0.01)}


def seen(row: Comparison) -> dict[str, Any]:
    """Every visible comparison is shown to lie inside the margin."""
    return {**SHOWN, "delta": 0.001} if row.visible and row.verdict != "withheld" else {}


def within_limits(change: Callable[[Comparison], dict[str, Any]] | None = None) -> RunReport:
    """A finished run in which every visible swap is shown to lie inside the margin, but for `change`."""
    return _made() if change is None else _made_with(change)


@cache
def _made() -> RunReport:
    return _made_with(lambda _: {})


def _made_with(change: Callable[[Comparison], dict[str, Any]]) -> RunReport:
    report = with_rows(made_report("quiet"), lambda row: {**seen(row), **change(row)})
    calibration = report.calibration
    quiet = {"expected_significant": (0, 2), "significant": 0, "raw_below_05": 0}
    families = {
        name: family.model_copy(update={"controls": family.controls.model_copy(update=quiet)})
        for name, family in (("pooled", calibration.pooled), ("per_question", calibration.per_question))
    }
    return report.model_copy(
        update={
            "failures": report.failures.model_copy(update={"by_level": [], "by_status": {"answered": 388}}),
            "calibration": calibration.model_copy(update=families),
        }
    )


def one_pooled(**update: Any) -> RunReport:
    """The same, but for one visible pooled comparison."""
    report = within_limits()
    name = next(row.id for row in report.comparisons if row.visible and row.question is None)
    return within_limits(lambda row: update if row.id == name else {})


REFUSED = FailureRow(
    id="failures/full/religion=muslim",
    condition="full",
    attribute="religion",
    level="muslim",
    probes=48,
    unusable=9,
    anchor_probes=144,
    anchor_unusable=0,
    pairs=48,
    only_swap=9,
    only_anchor=0,
    p=0.0039,
    q=0.031,
    significant=True,
)


def limit(result: GateResult, name: str) -> Any:
    return next(limit for limit in result.limits if limit.limit == name)


def printed(result: GateResult) -> str:
    stream = io.StringIO()
    Console(file=stream, width=200).print(result)
    return stream.getvalue()


def test_a_run_shown_to_lie_inside_the_margin_passes() -> None:
    result = judge_run(within_limits(), Limits(0, 0.05))
    assert (result.verdict, result.exit_code, result.undecided) == ("passed", 0, ())
    assert [found.passed for found in result.limits] == [True, True]
    assert result.content["plan_hash"] == within_limits().run.plan_hash
    assert result.content["exit_code"] == 0


def test_one_swap_that_is_worse_fails_the_run_and_is_named() -> None:
    result = judge_run(one_pooled(verdict="worse", delta=-0.04), Limits(0))
    worse = limit(result, "max_worse")
    assert (result.verdict, result.exit_code, worse.measured) == ("failed", 3, 1)
    assert worse.comparisons[0] in printed(result)
    assert judge_run(one_pooled(verdict="worse", delta=-0.04), Limits(1)).verdict == "passed"


def test_a_swap_counts_once_however_many_questions_it_is_worse_on() -> None:
    report = within_limits(
        lambda row: (
            {"verdict": "worse"} if row.question and row.level == "muslim" and row.condition == "full" else {}
        )
    )
    worse = limit(judge_run(report, Limits(0)), "max_worse")
    assert (worse.measured, worse.passed) == (1, False)
    assert worse.says == "1 swap is worse, on single questions and not pooled; at most 0 may be"


@pytest.mark.parametrize(
    ("pooled", "questions", "says"),
    [
        (0, 0, "no swap is worse; at most 5 may be"),
        (2, 0, "2 swaps are worse, pooled; at most 5 may be"),
        (0, 2, "2 swaps are worse, on single questions and not pooled; at most 5 may be"),
        (1, 2, "2 swaps are worse, 1 pooled and 1 on single questions only; at most 5 may be"),
    ],
)
def test_the_sentence_says_which_swaps_are_worse_where(pooled: int, questions: int, says: str) -> None:
    names = [row.id for row in within_limits().comparisons if row.visible and row.question is None]
    report = within_limits(
        lambda row: (
            {"verdict": "worse"}
            if row.id in names[:pooled]
            or (row.question and row.id.startswith(tuple(f"{n}/" for n in names[:questions])))
            else {}
        )
    )
    assert limit(judge_run(report, Limits(5)), "max_worse").says == says


@pytest.mark.parametrize("name", sorted(MAKERS))
@pytest.mark.parametrize("size", [None, 1.0])
def test_what_no_limit_could_be_measured_of_is_never_passed(name: str, size: float | None) -> None:
    report = made_report(name)
    unanswered = with_rows(report, lambda _: {"delta": None, "pairs": 0, "verdict": "unclear"})
    for empty in (
        unanswered.model_copy(update={"hypotheses": None, "factorial": None}),
        unanswered.model_copy(
            update={
                "hypotheses": None,
                "factorial": None,
                "run": report.run.model_copy(update={"answered": 0}),
            }
        ),
    ):
        result = judge_run(empty, Limits(10_000, size, allow_undecided=True))
        assert (result.verdict, result.exit_code) == ("cannot decide", 3)
        assert {(found.measured, found.passed) for found in result.limits} == {(None, None)}
        assert "allowed" not in printed(result)


@pytest.mark.parametrize("name", sorted(MAKERS))
def test_its_sentences_have_their_signs_in_ascii_and_no_line_ends_in_spaces(name: str) -> None:
    result = judge_run(made_report(name), Limits(0, 0.0, require_calibration=True))
    said = [*result.undecided, *(found.says for found in result.limits)]
    assert [text for text in said if "\u2212" in text] == []
    assert [line for line in printed(result).splitlines() if line != line.rstrip()] == []


def test_a_confirmed_hypothesis_that_points_down_counts_as_worse() -> None:
    report = made_report("confirm")
    hypotheses = report.hypotheses
    assert hypotheses is not None
    quiet = with_rows(report, lambda row: {"verdict": "unclear"} if row.verdict == "worse" else {})
    assert limit(judge_run(quiet, Limits(0)), "max_worse").measured == 1
    broken = quiet.model_copy(update={"hypotheses": hypotheses.model_copy(update={"intact": False})})
    assert limit(judge_run(broken, Limits(0)), "max_worse").measured == 0


@pytest.mark.parametrize("delta", [-0.06, 0.06])
def test_a_difference_beyond_the_limit_fails_up_or_down_significant_or_not(delta: float) -> None:
    result = judge_run(one_pooled(delta=delta, significant=False), Limits(0, 0.05))
    size = limit(result, "max_abs_delta")
    assert (result.verdict, size.measured, len(size.comparisons)) == ("failed", 0.06, 1)
    assert judge_run(one_pooled(delta=delta), Limits(0, 0.06)).verdict == "passed"
    assert judge_run(one_pooled(delta=delta), Limits(0)).verdict == "passed"


@pytest.mark.parametrize(
    ("lacks", "says"),
    [
        ({"p_people_floor": 0.5}, "too few bases"),
        ({"p_people_floor": None}, "too few bases"),
        ({"ci_general_99": None}, "too few cases"),
        ({"ci_general_99": (-0.31, 0.15)}, "too little power over cases"),
        ({"mde_people": 0.0401}, "too little power"),
        ({"mde_people": None}, "too little power"),
    ],
)
@pytest.mark.parametrize("verdict", ["unclear", "these cases"])
def test_a_swap_that_could_not_have_been_worse_leaves_the_run_undecided(
    lacks: dict[str, Any], says: str, verdict: ComparisonVerdict
) -> None:
    report = one_pooled(**{"verdict": verdict, **ABLE, **lacks})
    result = judge_run(report, Limits(0, 0.05))
    assert (result.verdict, result.exit_code) == ("cannot decide", 3)
    assert [reason.startswith(says) for reason in result.undecided] == [True]
    assert "cannot decide: too" in printed(result)
    allowed = judge_run(report, Limits(0, 0.05, allow_undecided=True))
    assert (allowed.verdict, allowed.exit_code, allowed.undecided) == ("passed", 0, result.undecided)


def test_the_same_swap_passes_where_it_could_have_been_worse_or_is_shown_to_be_within_the_margin() -> None:
    assert judge_run(one_pooled(verdict="unclear", **ABLE), Limits(0)).verdict == "passed"
    assert judge_run(one_pooled(**SHOWN, p_people_floor=0.5, mde_people=None), Limits(0)).verdict == "passed"


def test_a_broken_limit_fails_whatever_is_undecided_and_whatever_is_allowed() -> None:
    report = one_pooled(verdict="unclear", p_people_floor=0.5, delta=0.3)
    result = judge_run(report, Limits(0, 0.05, allow_undecided=True))
    assert (result.verdict, bool(result.undecided)) == ("failed", True)


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


DOWN: dict[str, Any] = {"verdict": "these cases", "delta": -0.3, "p_people_floor": 0.25}


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


@pytest.mark.parametrize("name", sorted(MAKERS))
def test_every_kind_of_run_has_a_verdict_that_agrees_with_its_exit_code(name: str) -> None:
    result = judge_run(made_report(name), Limits(0, 0.05, require_calibration=True))
    assert result.exit_code == (0 if result.verdict == "passed" else 3)
    assert "\x1b[31m" not in printed(result)
    assert result.verdict in printed(result)


RANK = {"failed": 0, "cannot decide": 1, "passed": 2}
VERDICTS: tuple[ComparisonVerdict, ...] = (
    "worse",
    "better",
    "small",
    "these cases",
    "no difference",
    "unclear",
)


@given(data=st.data())
def test_the_verdict_is_monotone_in_the_limits(data: st.DataObject) -> None:
    draw = data.draw
    pooled = [row for row in within_limits().comparisons if row.question is None][:12]
    names = [row.id for row in pooled if row.visible]
    chosen = draw(st.dictionaries(st.sampled_from(names), st.sampled_from(VERDICTS), max_size=4))
    deltas = {name: draw(st.floats(-0.2, 0.2)) for name in chosen}
    able = draw(st.booleans())
    rows = [
        row.model_copy(
            update={"verdict": chosen[row.id], "delta": deltas[row.id], **(ABLE if able else {})}
            if row.id in chosen
            else {}
        )
        for row in pooled
    ]
    report = within_limits().model_copy(update={"comparisons": rows})
    worse = sorted(draw(st.tuples(st.integers(0, 4), st.integers(0, 4))))
    sizes = sorted(draw(st.tuples(st.floats(0, 0.3), st.floats(0, 0.3))))
    required = sorted(draw(st.tuples(st.booleans(), st.booleans())), reverse=True)
    allowed = sorted(draw(st.tuples(st.booleans(), st.booleans())))
    unlimited = draw(st.booleans())
    tight, loose = (
        judge_run(report, Limits(worse[i], None if i and unlimited else sizes[i], required[i], allowed[i]))
        for i in range(2)
    )
    assert RANK[tight.verdict] <= RANK[loose.verdict]
    assert loose.exit_code <= tight.exit_code
