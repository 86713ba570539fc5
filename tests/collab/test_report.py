"""What a report says of episodes: rates, tests, flags, and how much more is needed."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

from jevbias.collab.episode import Outcome
from jevbias.publish.collab import outcomes
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
    assert "no split of them reaches p < 0.05 (0.0625 at best), 6 are needed at least, 7 with" in row.says


def test_six_on_one_side_reach_it_alone_and_not_over_two_levels() -> None:
    row = compared(two_levels((5, 0, 6, 5), (1, 0, 0, 1)), "easy")
    assert row.p == pytest.approx(0.03125)
    assert not row.significant
    assert "on this level alone, but not corrected over 2 levels, for which 7 are needed" in row.says


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


def test_random_actions_that_do_better_on_a_harder_level_put_its_difficulty_in_doubt() -> None:
    played: dict[tuple[str, str], Sequence[bool | Outcome]] = {
        ("random_policy", level): [False] * 10 for level in ("easy", "hard")
    }
    doubted = reported(played, rollouts={"easy": (20, 2), "hard": (20, 8)}).levels
    fine = reported(played, rollouts={"easy": (20, 8), "hard": (20, 2)}).levels
    assert doubted[1].doubt is not None
    assert (
        "declared harder than easy, and random actions do better on it (40% against 10%)" in doubted[1].doubt
    )
    assert [row.doubt for row in fine] == [None, None]


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
