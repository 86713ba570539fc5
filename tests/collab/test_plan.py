"""How many episodes a comparison needs: exact, refused where it makes no sense, or taken from a bench."""

from __future__ import annotations

import pytest

from jevbias.stats.paired_power import mcnemar_power
from tests.cli.conftest import Jevbias


def test_the_episodes_that_are_said_have_the_power_and_one_fewer_has_not(jevbias: Jevbias) -> None:
    result = jevbias("collab", "plan", "--first", "0.5", "--second", "0.7", "--levels", 3, "--json")
    [row] = result.json
    assert (row["only_first"], row["only_second"]) == pytest.approx((0.15, 0.35))
    for needed, alpha in ((row["episodes_needed"], 0.05), (row["episodes_needed_corrected"], 0.05 / 3)):
        assert mcnemar_power(needed, 0.15, 0.35, alpha) >= 0.8 > mcnemar_power(needed - 1, 0.15, 0.35, alpha)


def test_arms_that_succeed_in_the_same_episodes_need_fewer(jevbias: Jevbias) -> None:
    rates = ("collab", "plan", "--first", "0.5", "--second", "0.7", "--json")
    [apart], [alike] = jevbias(*rates).json, jevbias(*rates, "--discordant", "0.2").json
    assert alike["episodes_needed"] < apart["episodes_needed"]
    assert (alike["only_first"], alike["only_second"]) == pytest.approx((0.0, 0.2))


@pytest.mark.parametrize("flags", [(), ("--discordant", "0.3")])
def test_no_number_of_episodes_shows_a_difference_that_is_not_there(
    jevbias: Jevbias, flags: tuple[str, ...]
) -> None:
    result = jevbias("collab", "plan", "--first", "0.7", "--second", "0.7", *flags)
    assert result.code == 0
    assert "no number of episodes shows a difference that is not there" in " ".join(result.out.split())
    assert "100,000" not in result.out


def test_a_difference_that_is_too_small_says_so(jevbias: Jevbias) -> None:
    assert "more than 100,000" in jevbias("collab", "plan", "--first", "0.5", "--second", "0.501").out


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ((), "give --first RATE and --second RATE, or --run NAME"),
        (("--first", "1.2", "--second", "0.5"), "--first: 1.2 is not allowed"),
        (("--first", "0.5", "--second", "0.9", "--discordant", "0.1"), "differ in 0.4 to 0.6 of episodes"),
        (("--first", "0.5", "--second", "0.9", "--power", "1"), "--power: 1 is not allowed"),
        (("--run", "b", "--first", "0.5"), "--run takes the rates from a bench"),
        (("--run", "b"), "database jevbias.db"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(
    jevbias: Jevbias, flags: tuple[str, ...], said: str
) -> None:
    result = jevbias("collab", "plan", *flags)
    assert result.code == 2
    assert said in result.err
    assert len(result.err.strip().splitlines()) == 1


def test_a_bench_that_was_played_says_what_its_own_shares_would_need(jevbias: Jevbias) -> None:
    jevbias("collab", "demo", "--episodes", 2, "--arms", "llm_autonomous", "--name", "b")
    rows = jevbias("collab", "plan", "--run", "b", "--json").json
    said = " ".join(jevbias("collab", "plan", "--run", "b").out.split())
    assert said.count("the bench itself leaves the difference between") == 3
    for row in rows:
        low, high = row["difference_interval"]
        assert low <= row["only_second"] - row["only_first"] <= high
        fewest, most = row["episodes_needed_range"]
        assert fewest is not None
        # What holds no difference too is shown by no number.
        assert (most is None) == (low <= 0 <= high)
    assert [row["called"] for row in rows] == [
        f"random_policy against llm_autonomous, {level} (mock LLM: about no real model)"
        for level in ("open", "walls", "maze")
    ]
    assert {row["levels"] for row in rows} == {3}
