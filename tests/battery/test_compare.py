"""Two batteries side by side."""

from __future__ import annotations

from random import Random

import pytest

from jevbias.battery.compare import compare_batteries
from jevbias.battery.scores import Scores
from jevbias.report.batteries_compared import ComparedAxis
from jevbias.report.battery import BatteryReport
from tests.battery.sets import normal, pair_set, reported, scored

AXES = ("up", "against", "one", "none", "good")


def report(means: dict[str, float], name: str, seed: int) -> BatteryReport:
    pairs = pair_set({axis: [1] * 15 for axis in AXES}, {"good": "positive"})
    draw = normal(0.0, 0.1, seed)
    return reported(scored(pairs, lambda pair: means[pair.axis] + draw(pair)), name)


@pytest.fixture(scope="module")
def axes() -> dict[str, ComparedAxis]:
    first = report({"up": 0.2, "against": 0.2, "one": 0.2, "none": 0.0, "good": 0.2}, "a", 1)
    second = report({"up": 0.15, "against": -0.2, "one": 0.0, "none": 0.0, "good": 0.2}, "b", 5)
    compared = compare_batteries(first, second)
    assert (compared.shared, compared.opposite) == (["up"], ["against"])
    assert compared.same_pairs
    return {axis.axis: axis for axis in compared.axes}


@pytest.mark.parametrize(
    ("axis", "agreement"),
    [("up", "shared"), ("against", "opposite"), ("one", "only the first"), ("none", "neither")],
)
def test_what_the_two_say_of_an_axis(axes: dict[str, ComparedAxis], axis: str, agreement: str) -> None:
    assert axes[axis].agreement == agreement


def test_shared_leanings_are_a_stronger_warning_and_a_control_is_none(axes: dict[str, ComparedAxis]) -> None:
    assert "a stronger warning than one model alone" in axes["up"].says
    assert "opposite signs" in axes["against"].says
    assert axes["against"].signs_differ
    assert axes["good"].agreement == "shared"
    assert axes["good"].says == "the positive control"


def test_the_difference_is_second_less_first_with_an_interval_over_families(
    axes: dict[str, ComparedAxis],
) -> None:
    row = axes["against"]
    assert row.first.d is not None
    assert row.second.d is not None
    assert row.difference == pytest.approx(row.second.d - row.first.d, abs=1e-4)
    assert row.difference_interval is not None
    assert row.difference_interval[1] < 0


def test_other_pairs_give_no_difference() -> None:
    first = report(dict.fromkeys(AXES, 0.1), "a", 1)
    other = first.per_axis["up"].model_copy(update={"pairs_hash": "f" * 64})
    second = first.model_copy(update={"per_axis": {**first.per_axis, "up": other}})
    compared = compare_batteries(first, second)
    assert [axis.axis for axis in compared.axes if axis.difference is None] == ["up"]
    assert any("different pairs on up" in note for note in compared.notes)


def test_a_run_beside_itself_and_two_that_do_not_judge_are_no_stronger_warning() -> None:
    means = {"up": 0.2, "against": 0.2, "one": 0.2, "none": 0.0, "good": 0.2}
    first, blind, blind_too = report(means, "a", 1), *(report({**means, "good": 0.0}, n, 3) for n in "bc")
    assert "the same scores" in (compare_batteries(first, first).shared_says or "")
    blind_too = blind_too.model_copy(update={"run": first.run.model_copy(update={"plan_hash": "1" * 64})})
    said = compare_batteries(blind, blind_too)
    assert "neither passes its positive control" in (said.shared_says or "")
    assert "stronger warning" not in " ".join(axis.says for axis in said.axes)


def test_no_difference_is_taken_where_one_run_repeats_a_noisy_score_more_often() -> None:
    pairs, runs = pair_set({"a": [1] * 12}), []
    for repeats in (2, 6):
        random = Random(repeats)
        plain = scored(pairs, normal(0.3, 0.3))
        values = {
            reply: tuple(own[0] + random.gauss(0, 0.2) for _ in range(repeats))
            for reply, own in plain.values.items()
        }
        runs.append(reported(Scores(pairs, values, {}), f"r{repeats}"))
    compared = compare_batteries(*runs)
    assert compared.axes[0].difference is None
    assert (compared.axes[0].first.repeats, compared.axes[0].second.repeats) == (2, 6)
    assert any(note.startswith("NOT LIKE WITH LIKE") for note in compared.notes)


def test_runs_without_an_axis_in_common_say_so() -> None:
    one, other = (reported(scored(pair_set({axis: [1] * 6}), normal(0.1, 0.1))) for axis in "ab")
    compared = compare_batteries(one, other)
    assert compared.axes == []
    assert any("no axis in common" in note for note in compared.notes)


def test_axes_without_intervals_are_unknown() -> None:
    pairs = pair_set({"a": [1] * 3})
    made = reported(scored(pairs, normal(0.1, 0.1)))
    (axis,) = compare_batteries(made, made).axes
    assert axis.agreement == "unknown"
