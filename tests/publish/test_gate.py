"""The gate passes what stays within its limits and could have been seen to leave them, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jevbias.publish.gate import Limits, judge_run
from jevbias.report.comparison import ComparisonVerdict
from tests.publish.conftest import MAKERS, made_report
from tests.publish.gated import ABLE, SHOWN, limit, one_pooled, printed, within_limits
from tests.publish.reports import with_rows


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
