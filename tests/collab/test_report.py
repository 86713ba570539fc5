"""What a report says of episodes: rates, tests, flags, and how much more is needed."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from numpy.random import default_rng
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

from jevbias.collab.arm_rows import arm_row
from jevbias.collab.episode import EpisodeLog, Outcome, read_log
from jevbias.collab.level_rows import level_rows
from jevbias.publish.collab import ends_text, illegal_text, outcomes
from jevbias.publish.collab_page import render_collab
from jevbias.report.collab import CollabReport, PairedRow
from tests.collab.reports import ARMS, reported


def compared(report: CollabReport, level: str) -> PairedRow:
    [row] = [
        row
        for row in report.comparisons
        if (row.first, row.second, row.level) == ("llm_autonomous", "llm_plus_jev", level)
    ]
    return row


def split(both: int, first: int, second: int, neither: int) -> tuple[list[bool], list[bool]]:
    pairs = (
        [(True, True)] * both
        + [(True, False)] * first
        + [(False, True)] * second
        + [(False, False)] * neither
    )
    return [one for one, _ in pairs], [other for _, other in pairs]


def two_levels(easy: tuple[int, int, int, int], hard: tuple[int, int, int, int]) -> CollabReport:
    played: dict[tuple[str, str], Sequence[bool | Outcome]] = {}
    for level, counts in (("easy", easy), ("hard", hard)):
        first, second = split(*counts)
        played[("llm_autonomous", level)], played[("llm_plus_jev", level)] = first, second
    return reported(played)


def test_rates_have_wilsons_interval() -> None:
    report = two_levels((10, 3, 1, 6), (0, 0, 0, 20))
    for row in report.arms:
        if row.episodes:
            expected = proportion_confint(row.successes, row.episodes, method="wilson")
            assert row.interval == pytest.approx(expected, abs=1e-6)


def test_levels_are_tested_by_mcnemar_and_corrected_by_holm_as_statsmodels_does() -> None:
    report = two_levels((5, 9, 1, 5), (3, 2, 12, 4))
    p = [mcnemar([[0, 9], [1, 0]]).pvalue, mcnemar([[0, 2], [12, 0]]).pvalue]
    adjusted = multipletests(p, method="holm")[1]
    for level, raw, corrected in zip(("easy", "hard"), p, adjusted, strict=True):
        row = compared(report, level)
        assert row.p == pytest.approx(raw, rel=1e-5)
        assert row.p_levels == pytest.approx(corrected, rel=1e-5)
        assert row.significant == (corrected < 0.05)


def test_opposite_differences_on_two_levels_are_never_pooled_away() -> None:
    report = two_levels((0, 12, 0, 0), (0, 0, 12, 0))
    easy, hard = compared(report, "easy"), compared(report, "hard")
    assert easy.significant
    assert hard.significant
    assert (easy.difference, hard.difference) == (-1.0, 1.0)
    assert {row.level for row in report.arms} == {row.level for row in report.comparisons} == {"easy", "hard"}


def test_on_five_discordant_episodes_the_report_says_how_many_are_needed() -> None:
    row = compared(two_levels((5, 0, 5, 5), (1, 0, 0, 1)), "easy")
    assert (row.discordant, row.p, row.least_p, row.significant) == (5, 0.0625, 0.0625, False)
    assert (row.needed, row.needed_corrected) == (6, 7)
    assert row.says == (
        "5 episodes differ: no split of them reaches p < 0.05 (0.0625 at best), 6 or 7 are needed, "
        "depending on the other levels."
    )


def test_six_on_one_side_reach_it_alone_and_not_over_two_levels() -> None:
    row = compared(two_levels((5, 0, 6, 5), (1, 0, 0, 1)), "easy")
    assert row.p == pytest.approx(0.03125)
    assert not row.significant
    assert "on this level alone, but not corrected over 2 levels; 7 suffice, all on one side" in row.says


def test_seven_on_one_side_are_significant_over_two_levels() -> None:
    row = compared(two_levels((5, 0, 7, 5), (1, 0, 0, 1)), "easy")
    assert row.significant
    assert row.says.startswith("llm_plus_jev succeeds more often: significant.")


@pytest.mark.parametrize(("success", "flag"), [(False, "floor"), (True, "ceiling")])
def test_a_level_on_which_every_arm_does_alike_at_an_end_is_flagged(success: bool, flag: str) -> None:
    played = {(arm, level): [success] * 9 for arm in ARMS for level in ("easy", "hard")}
    played[("llm_plus_jev", "hard")] = [True, False] * 4 + [True]
    report = reported(dict(played))
    easy, hard = report.levels
    assert (easy.flag, hard.flag) == (flag, None)
    assert "says nothing about which is better" in render_collab(report)


def test_an_episode_without_an_outcome_leaves_its_pair_and_no_rate() -> None:
    report = reported(
        {
            ("llm_autonomous", "easy"): [True, True, "broken", False],
            ("llm_plus_jev", "easy"): [True, "broken", False, "stopped"],
        }
    )
    row = compared(report, "easy")
    assert (row.episodes, row.both, row.neither) == (2, 1, 1)
    [arm] = [one for one in report.arms if (one.arm, one.level) == ("llm_plus_jev", "easy")]
    assert (arm.episodes, arm.broken, arm.successes, arm.stopped) == (3, 1, 1, 1)


def doubts(*won: Sequence[int]) -> list[str | None]:
    """Of levels on whose instances so many of 20 random games succeed, from the easiest."""
    levels = ["easy", "middle", "hard"][: len(won)]
    logs = {
        level: [
            EpisodeLog("random_policy", level, number, "failure", 2, 8, rollouts=20, rollouts_won=games)
            for number, games in enumerate(each)
        ]
        for level, each in zip(levels, won, strict=True)
    }
    return [row.doubt for row in level_rows(levels, [], logs)]


def test_random_actions_that_do_better_on_a_harder_level_put_its_difficulty_in_doubt() -> None:
    few, many = [2, 1, 3, 2, 2, 2], [8, 9, 7, 8, 8, 8]
    _, doubt = doubts(few, many)
    assert doubt is not None
    assert "declared harder than easy, and random actions do better on it (40% against 10%)" in doubt
    assert doubts(many, few) == [None, None]
    # Instances that all agree have no spread: the most that they may have counts.
    assert doubts([0] * 5, [20] * 5)[1] is not None
    assert doubts([0] * 5, [6] * 5)[1] is None


def test_the_ends_are_compared_too_where_each_step_is_too_small_to_tell() -> None:
    steps = [[4, 7, 2, 9, 3, 8], [6, 10, 3, 12, 5, 9], [9, 12, 7, 13, 8, 11]]
    assert doubts(*steps[:2]) == doubts(*steps[1:]) == [None, None]
    *_, doubt = doubts(*steps)
    assert doubt is not None
    assert "hard is declared harder than easy" in doubt


def test_below_five_episodes_nothing_is_doubted_and_the_report_says_so() -> None:
    assert doubts([0] * 4, [20] * 4) == [None, None]
    report = reported({("random_policy", "easy"): [True] * 4}, rollouts={"easy": (20, 20)}, episodes=4)
    assert any("as hard as declared is checked from 5 episodes" in note for note in report.notes)


def test_a_true_order_is_seldom_put_in_doubt() -> None:
    random = default_rng(5)
    benches = [random.binomial(20, 0.3, size=(3, 5)).tolist() for _ in range(300)]
    assert sum(any(doubts(*won)) for won in benches) / 300 <= 0.05


def test_hostile_names_stay_text_on_the_page() -> None:
    page = render_collab(reported({}, task="<script>alert(1)</script>"))
    assert "<script>" not in page
    assert "&lt;script&gt;" in page


def test_a_loss_to_random_actions_is_a_headline_and_what_is_not_shown_better_is_named() -> None:
    played: dict[tuple[str, str], Sequence[bool | Outcome]] = {
        ("random_policy", "easy"): [True] * 14,
        ("llm_autonomous", "easy"): [False] * 14,
        ("llm_plus_jev", "easy"): [True] * 14,
    }
    said = outcomes(reported(played))
    assert any(
        line.startswith("easy: random actions succeed more often than llm_autonomous") for line in said
    )
    assert any(line.startswith("easy: llm_plus_jev is not shown to do better than random") for line in said)


def test_a_headline_is_corrected_over_every_pair_and_level() -> None:
    report = two_levels((5, 0, 7, 5), (1, 0, 0, 1))
    row = compared(report, "easy")
    assert row.significant
    assert row.p_all is not None
    assert row.p_all > 0.05
    assert any("easy: no difference between arms with a model is shown" in line for line in outcomes(report))


def test_flags_are_about_arms_with_a_model_and_one_without_outcomes_is_named() -> None:
    played: dict[tuple[str, str], Sequence[bool | Outcome]] = {
        ("random_policy", "easy"): [True, False],
        ("llm_autonomous", "easy"): [False, False],
        ("llm_plus_jev", "easy"): [False, False],
        ("random_policy", "hard"): [False, False],
        ("llm_autonomous", "hard"): [False, False],
        ("llm_plus_jev", "hard"): ["broken", "broken"],
    }
    report = reported(played)
    assert [row.flag for row in report.levels] == ["floor", None]
    assert any("hard: llm_plus_jev has no outcome: 2 episodes broke off" in line for line in outcomes(report))


def test_an_arm_that_stops_says_for_what_and_is_called_unsure_only_where_it_was() -> None:
    report = reported(
        {("llm_plus_jev", "easy"): ["stopped"] * 3, ("llm_plus_jev", "hard"): ["stopped"] * 2},
        stopped_for={"easy": ["unusable", "unsure", "nothing_legal"], "hard": ["unusable", None]},
    )
    easy, hard = [row for row in report.arms if row.arm == "llm_plus_jev"]
    assert easy.stopped_for == {"unsure": 1, "unusable": 1, "nothing_legal": 1}
    assert ends_text(easy) == (
        "1 stopped: the decision model was unsure, 1 stopped: no usable judgment, "
        "1 stopped: nothing legal was named"
    )
    # An older version did not note why.
    assert ends_text(hard) == "1 stopped: no usable judgment, 1 stopped"


def test_on_one_level_nothing_is_said_of_several() -> None:
    report = reported({(arm, "easy"): [True, False] for arm in ARMS}, levels=("easy",))
    assert "1 levels" not in report.model_dump_json()
    assert any(note.startswith("Significance is not corrected over the 3 pairs") for note in report.notes)


def test_where_no_two_arms_have_an_outcome_nothing_is_said_to_be_alike() -> None:
    said = outcomes(reported({("random_policy", "easy"): [True], ("llm_autonomous", "hard"): [True]}))
    assert said == [
        f"{level}: nothing can be said yet: no episode has an outcome in two arms."
        for level in ("easy", "hard")
    ]


def test_episodes_that_an_older_version_played_have_no_denominator_that_was_never_counted() -> None:
    step = {"illegal": ["fly"], "calls": [], "confidences": []}
    counts = dict.fromkeys(("escalations", "vetoes", "loops", "rejections", "unusable"), 0)
    old = {
        "arm": "llm_autonomous",
        "level": "easy",
        "number": 0,
        "outcome": "stopped",
        "optimal": 2,
        "most": 8,
    }
    row = arm_row("llm_autonomous", "easy", "m", [read_log({**old, "steps": [{**step, **counts}]})])
    assert (row.named, row.stopped, row.stopped_for) == (None, 1, {})
    assert illegal_text(row) == "1"
    assert illegal_text(row.model_copy(update={"named": 7})) == "1 of 7"
