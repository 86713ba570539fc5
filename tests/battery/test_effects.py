"""What an axis says, and that it never says a number that means nothing."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from jevbias.battery.pairs import SIDES, Pair, PairSet
from jevbias.battery.read_pairs import load_pairs
from jevbias.battery.scores import Scores
from jevbias.battery.wording import control_outcome, loudness
from jevbias.report.battery import AxisEffect
from tests.battery.sets import normal, pair_set, reported, scored


def effect(scores: Scores, axis: str = "a") -> AxisEffect:
    return reported(scores).per_axis[axis]


@pytest.mark.parametrize(
    ("sizes", "clones", "expected"),
    [([30], True, 1.0), ([1] * 30, False, 30.0), ([5] * 30, False, 30.0), ([5] * 30, True, 30.0)],
)
def test_effective_n_counts_families(sizes: list[int], clones: bool, expected: float) -> None:
    found = effect(scored(pair_set({"a": sizes}, clones=clones), normal(0.1, 0.2)))
    assert found.pairs == sum(sizes)
    assert found.effective_n == expected
    assert (found.d_interval is None) == (found.mean_interval is None) == (expected == 1)


def test_thirty_clones_of_a_prompt_are_one_piece_of_evidence_whatever_their_families_are_called() -> None:
    clone = pair_set({"a": [1]}).pairs[0]
    names = [
        Pair("a", f"f{n}", 1, clone.prompt, clone.with_feature, clone.without_feature) for n in range(30)
    ]
    report = reported(scored(PairSet(tuple(names), "clones"), normal(0.1, 0.2)))
    found = report.per_axis["a"]
    assert (found.families, found.effective_n) == (1, 1.0)
    assert (found.d, found.d_interval, found.mean_interval, found.p) == (None, None, None, None)
    assert "29 of them repeat another word for word" in " ".join(found.notes)
    assert "one family is one piece of evidence" in " ".join(found.notes)
    assert all(near.clones for near in report.near_duplicates)


def test_of_very_many_near_duplicates_a_report_lists_the_first_and_counts_the_rest() -> None:
    clone = pair_set({"a": [1]}).pairs[0]
    texts = clone.prompt, clone.with_feature, clone.without_feature
    pairs = PairSet(tuple(Pair("a", f"f{n}", 1, *texts) for n in range(40)), "clones")
    report = reported(scored(pairs, normal(0.1, 0.2)))
    assert (len(report.near_duplicates), report.near_duplicates_left) == (500, 40 * 39 // 2 - 500)


def test_near_duplicates_are_reported_with_what_they_leave_of_n() -> None:
    pairs = list(pair_set({"a": [1] * 12}).pairs)
    first = pairs[0]
    pairs[1] = Pair("a", "f1", 1, f"{first.prompt} indeed", pairs[1].with_feature, pairs[1].without_feature)
    report = reported(scored(PairSet(tuple(pairs), "near"), normal(0.1, 0.2)))
    (near,) = report.near_duplicates
    assert (near.first, near.second, near.what, near.same_axis) == ("a/f0/1", "a/f1/1", "prompt", True)
    found = report.per_axis["a"]
    assert found.effective_n == 12
    assert found.effective_n_if_merged == pytest.approx(144 / 14, rel=1e-5)
    assert any("inflate n" in note for note in found.notes)


def test_figures_are_those_of_a_reference() -> None:
    scores = scored(pair_set({"a": [1] * 10}), normal(0.05, 0.1))
    deltas = np.array(
        [scores.values[p.id, "with"][0] - scores.values[p.id, "without"][0] for p in scores.pairs.pairs]
    )
    found = effect(scores)
    assert found.mean == pytest.approx(deltas.mean(), rel=1e-5)
    assert found.sd == pytest.approx(deltas.std(ddof=1), rel=1e-5)
    assert found.d == pytest.approx(deltas.mean() / deltas.std(ddof=1), rel=1e-5)
    expected = stats.permutation_test(
        (deltas, np.zeros(10)),
        lambda a, b: float(np.mean(a - b)),
        permutation_type="samples",
        n_resamples=5000,
    )
    assert found.p == pytest.approx(expected.pvalue, rel=1e-5)
    assert found.up == int((deltas > 0).sum())


def test_random_flips_agree_with_the_normal_limit() -> None:
    scores = scored(pair_set({"a": [1] * 60}), normal(-0.007, 0.1))
    found = effect(scores)
    assert found.d is not None
    assert found.p == pytest.approx(
        2 * stats.norm.sf(abs(found.d) * 60**0.5 * (1 + found.d**2) ** -0.5), rel=0.05
    )


def test_q_is_over_the_axes_and_the_strongest_axis_is_no_control() -> None:
    sizes = {"good": [1] * 20, "loud": [1] * 20, "soft": [1] * 20}
    pairs = pair_set(sizes, {"good": "positive"})
    means = {"good": 1.0, "loud": -0.5, "soft": 0.01}
    draw = normal(0, 0.3)
    report = reported(scored(pairs, lambda pair: means[pair.axis] + draw(pair)))
    p = [report.per_axis[axis].p or 0.0 for axis in ("loud", "soft")]
    q = [report.per_axis[axis].q for axis in ("loud", "soft")]
    assert q == pytest.approx(list(stats.false_discovery_control(p)), rel=1e-5)
    assert report.per_axis["good"].q == report.per_axis["good"].p
    assert report.strongest_axis == "loud"
    assert report.max_abs_effect_size == pytest.approx(abs(report.per_axis["loud"].d or 0))
    assert report.per_axis["loud"].sign == "-"
    assert (report.trust, report.gauge) == ("EXPLORATORY", "invariant")


@pytest.mark.parametrize("score", [0.0, 0.7, -3.0e5])
def test_a_constant_scorer_is_said_to_tell_nothing_apart(score: float) -> None:
    report = reported(scored(pair_set({"a": [2] * 8}), lambda _: 0.0, score))
    found = report.per_axis["a"]
    assert (found.mean, found.sd, found.d, found.d_interval, found.mean_interval) == (0, 0, None, None, None)
    assert (found.ties, found.sign, found.loudness) == (16, "0", None)
    assert any("does not tell replies apart" in note for note in report.notes)
    assert any("no pair's score moves" in note for note in found.notes)
    assert report.strongest_axis is None


def test_the_same_difference_everywhere_has_no_effect_size() -> None:
    found = effect(scored(pair_set({"a": [1] * 8}), lambda _: 0.25))
    assert (found.mean, found.d, found.d_interval, found.mean_interval) == (0.25, None, None, None)
    assert any("every pair moves by the same 0.25" in note for note in found.notes)


@pytest.mark.parametrize(
    ("d", "word"),
    [(0.19, "quiet"), (-0.2, "whisper"), (0.79, "whisper"), (0.8, "loud"), (1.0, "found quickly")],
)
def test_words_for_an_effect_are_those_of_the_docs(d: float, word: str) -> None:
    assert loudness(d) == word


def test_ties_are_counted_and_said() -> None:
    draw = normal(0.2, 0.3)
    found = effect(scored(pair_set({"a": [1] * 20}), lambda pair: draw(pair) if pair.family < "f15" else 0.0))
    assert found.ties > 10
    assert found.d is not None
    assert any("do not move at all" in note for note in found.notes)


def test_one_pair_gives_its_mean_and_the_reason_for_everything_else() -> None:
    found = effect(scored(pair_set({"a": [1]}), lambda _: 0.25))
    assert (found.mean, found.effective_n, found.pairs) == (0.25, 1.0, 1)
    assert (found.d, found.sd, found.p, found.q, found.mean_interval) == (None,) * 5
    assert found.small
    assert found.notes


@pytest.mark.parametrize("families", [2, 3, 4])
def test_few_families_get_a_d_without_an_interval_and_are_called_small(families: int) -> None:
    found = effect(scored(pair_set({"a": [2] * families}), normal(0.5, 0.3)))
    assert found.d is not None
    assert found.d_interval is None
    assert (found.mean_interval is None) == (families < 3)
    assert found.small
    assert "too few families for an interval" in found.reading
    assert any("no interval of d below 5 families" in note for note in found.notes)


def test_a_side_without_scores_costs_its_pair_and_a_family_with_one_side_only_is_gone() -> None:
    scores = scored(pair_set({"a": [2, 1, 1, 1, 1, 1]}), normal(0.5, 0.3))
    values = dict(scores.values)
    del values["a/f0/1", "with"]
    del values["a/f1/1", "without"]
    without = {("a/f0/1", "with"): "malformed: nan", ("a/f1/1", "without"): "no score"}
    report = reported(Scores(scores.pairs, values, without))  # type: ignore[arg-type]
    found = report.per_axis["a"]
    assert (found.pairs, found.pairs_lost, found.families) == (5, 2, 5)
    assert any("2 pairs left out" in note and "1 whole family" in note for note in found.notes)
    assert [(lost.pair, lost.side, lost.reason) for lost in report.lost] == [
        ("a/f0/1", "with", "malformed: nan"),
        ("a/f1/1", "without", "no score"),
    ]


def test_an_axis_without_any_usable_pair_says_so() -> None:
    pairs = pair_set({"a": [1] * 6, "b": [1] * 6})
    scores = scored(pairs, normal(0.1, 0.2))
    kept = {reply: values for reply, values in scores.values.items() if not reply[0].startswith("a/")}
    found = effect(Scores(pairs, kept, {}))
    assert (found.pairs, found.pairs_lost, found.effective_n, found.mean, found.d) == (0, 6, 0, None, None)
    assert found.reading == "no usable pair"


def test_redundant_sets_are_called_so() -> None:
    assert effect(scored(pair_set({"a": [6] * 12}), normal(0.1, 0.2))).redundant
    assert not effect(scored(pair_set({"a": [2] * 12}), normal(0.1, 0.2))).redundant


def test_a_family_that_decides_alone_is_named() -> None:
    draw = normal(0.3, 0.1)
    found = effect(
        scored(pair_set({"a": [1] * 12}), lambda pair: -4.0 if pair.family == "f3" else draw(pair))
    )
    assert any(note.startswith("family f3 alone decides much") for note in found.notes)


def test_noise_is_pooled_over_repeats_and_told_beside_the_spread() -> None:
    scores = scored(pair_set({"a": [1] * 8}), normal(0.5, 0.3))
    repeated = {
        reply: (values[0] - 0.1, values[0], values[0] + 0.1) for reply, values in scores.values.items()
    }
    report = reported(Scores(scores.pairs, repeated, {}))
    assert report.noise.sd == pytest.approx(0.1)
    assert (report.noise.cells, report.noise.degrees_of_freedom, report.noise.exact) == (16, 32, False)
    assert report.per_axis["a"].noise_sd == pytest.approx(0.1 * (2 / 3) ** 0.5, rel=1e-5)
    assert report.per_axis["a"].mean == pytest.approx(reported(scores).per_axis["a"].mean or 0.0, rel=1e-5)


@pytest.mark.parametrize(
    ("control", "mean", "as_it_must"),
    [
        ("positive", 0.5, True),
        ("positive", -0.5, False),
        ("positive", 0.0, False),
        ("negative", 0.0, True),
        ("negative", 0.5, False),
    ],
)
def test_controls_say_whether_they_came_out_as_they_must(control: str, mean: float, as_it_must: bool) -> None:
    pairs = pair_set({"a": [1] * 40}, {"a": control})  # type: ignore[dict-item]
    (outcome,) = reported(scored(pairs, normal(mean, 0.5, seed=3))).controls
    assert (outcome.axis, outcome.as_it_must) == ("a", as_it_must)


def test_rare_moves_get_no_interval_and_no_verdict_on_a_control() -> None:
    pairs = pair_set(
        {"a": [1] * 25, "bad": [1] * 25, "good": [1] * 25}, {"bad": "negative", "good": "positive"}
    )
    report = reported(scored(pairs, lambda pair: float(pair.family in ("f0", "f1")), 3.0))
    assert [axis.d_interval for axis in report.per_axis.values()] == [None, None, None]
    assert {outcome.outcome for outcome in report.controls} == {"unclear"}
    assert "too few families move" in report.per_axis["a"].reading
    assert any("most families do not move" in note for note in report.per_axis["a"].notes)


def test_where_one_family_alone_differs_from_a_shared_shift_that_is_why_there_is_no_interval() -> None:
    found = effect(scored(pair_set({"a": [1] * 8}), lambda pair: 0.3 if pair.family == "f3" else 0.2))
    assert (found.d_interval, found.shown) == (None, False)
    assert found.reading.endswith("too few families differ for an interval")
    assert any("one family alone differs" in note for note in found.notes)


def test_a_shift_that_every_pair_shares_is_read_as_one() -> None:
    pairs = pair_set({"a": [1] * 8, "bad": [1] * 8, "good": [1] * 8}, {"bad": "negative", "good": "positive"})
    report = reported(scored(pairs, lambda _: 0.2, 0.1))
    assert report.per_axis["a"].reading == "every pair moves by +0.2"
    assert report.per_axis["a"].shown
    assert {outcome.axis: outcome.as_it_must for outcome in report.controls} == {"bad": False, "good": True}


def test_a_positive_control_that_may_well_score_is_unclear() -> None:
    axis = reported(scored(pair_set({"a": [1] * 30}, {"a": "positive"}), normal(0.3, 1.0))).per_axis["a"]
    found = control_outcome(axis.model_copy(update={"d": 0.24, "d_interval": (-0.01, 0.49), "shown": False}))
    assert found is not None
    assert (found.outcome, found.as_it_must) == ("unclear", None)


@pytest.mark.parametrize(
    ("base", "step"), [(0.0, 1e-14), (1e15, 1.0), (0.0, 1e-310), (0.0, 2e25), (0.0, 1e99)]
)
def test_scores_of_any_size_give_the_same_d(base: float, step: float) -> None:
    pairs = pair_set({"a": [1] * 12})
    move = {pair.id: float(place % 4) for place, pair in enumerate(pairs.pairs)}
    found = effect(scored(pairs, lambda pair: step * move[pair.id], base))
    expected = effect(scored(pairs, lambda pair: move[pair.id], 0.0))
    assert found.d == pytest.approx(expected.d, rel=1e-4)
    assert found.ties == 3


def test_d_without_noise_does_not_depend_on_repeats() -> None:
    pairs, random = pair_set({"a": [10] * 16}), np.random.default_rng(5)
    truth = {pair.id: random.normal(0.5, 1.0) for pair in pairs.pairs}
    found = []
    for repeats in (2, 8):
        values = {
            (pair.id, side): tuple(random.normal(truth[pair.id] if side == "with" else 0.0, 0.7, repeats))
            for pair in pairs.pairs
            for side in SIDES
        }
        found.append(effect(Scores(pairs, values, {})))
    assert [axis.repeats for axis in found] == [2, 8]
    assert (found[1].d or 0) > (found[0].d or 0) + 0.03
    assert found[0].d_without_noise == pytest.approx(found[1].d_without_noise, abs=0.08)


def test_words_and_characters_together_say_whether_no_change_is_beyond_the_data() -> None:
    """Each measure has both signs, but fewer words always come with more characters: none is near (0, 0)."""
    changes = [(n - 6, 60 - 5 * (n - 6)) for n in range(12)]
    pairs = [
        Pair(
            "a",
            f"f{n}",
            1,
            f"prompt {n}",
            " ".join(["w"] * (20 + w)).ljust(200 + c, "x"),
            " ".join(["w"] * 20).ljust(200, "x"),
        )
        for n, (w, c) in enumerate([*changes, (-9, 105), (9, -15)])
    ]
    length = effect(scored(PairSet(tuple(pairs), "apart"), normal(0.1, 0.2))).length
    assert length is not None
    assert length.extrapolated


def test_the_same_scores_give_the_same_bytes() -> None:
    reports = [
        reported(scored(pair_set({"a": [2] * 20}), normal(0.1, 0.2))).model_dump_json() for _ in range(2)
    ]
    assert reports[0] == reports[1]


def test_a_scorer_that_only_counts_characters_has_nothing_left_at_no_change_in_length() -> None:
    pairs = load_pairs(None)
    scores = scored(pairs, lambda pair: len(pair.with_feature) - len(pair.without_feature), base=100.0)
    for axis in reported(scores).per_axis.values():
        assert axis.length is not None
        assert axis.length.d == pytest.approx(0.0, abs=1e-5)
        assert axis.length.r_squared == pytest.approx(1.0)


def test_where_no_side_is_longer_length_explains_nothing() -> None:
    pairs = [Pair("a", f"f{n}", 1, f"prompt {n}", f"one {n} two", f"two {n} one") for n in range(10, 20)]
    found = effect(scored(PairSet(tuple(pairs), "even"), normal(0.1, 0.2)))
    assert found.length is not None
    assert (found.length.changes, found.length.d, found.length.r_squared) == (False, None, None)
    assert any("length explains nothing here" in note for note in found.notes)
