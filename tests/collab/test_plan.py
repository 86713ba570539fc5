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


def test_no_number_of_episodes_shows_a_difference_that_is_not_there(jevbias: Jevbias) -> None:
    result = jevbias("collab", "plan", "--first", "0.5", "--second", "0.5")
    assert result.code == 0
    assert "more than 100,000" in result.out


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
    assert [row["called"] for row in rows] == [
        f"random_policy against llm_autonomous, {level} (mock LLM: about no real model)"
        for level in ("open", "walls", "maze")
    ]
    assert {row["levels"] for row in rows} == {3}
