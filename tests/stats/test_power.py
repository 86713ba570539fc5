"""The smallest effects: what the very tests find of them, by simulation."""

import math
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from jevbias.stats.power import POWER, bases_needed, smallest_noise_effect, smallest_people_effect
from jevbias.stats.sign_flips import flip_patterns, random_bytes_needed, sign_flip_tests, smallest_p

SD = 0.02
AMONG_120 = 0.05 / 120


def realised_power(bases: int, level: float, runs: int, pattern_sets: int = 1) -> float:
    """The share of simulated runs whose sign flips reach the level, their mean being the smallest effect."""
    stream = np.random.default_rng([bases, round(1e9 * level)])
    effect = float(smallest_people_effect(SD, bases, level))
    found = 0
    for _ in range(pattern_sets):
        patterns = flip_patterns(bases, stream.bytes(random_bytes_needed(bases)))
        drawn = effect + SD * stream.standard_normal((runs // pattern_sets, bases))
        found += int((sign_flip_tests(drawn / bases, patterns, np.zeros(len(drawn), bool)).p <= level).sum())
    return found / (runs // pattern_sets * pattern_sets)


@pytest.mark.parametrize(
    ("bases", "level", "runs"),
    [
        (6, 0.05, 20_000),
        (8, 0.05, 20_000),
        (13, 0.05, 8_000),
        (16, 0.05, 3_000),
        (20, 0.05, 1_200),
        (40, 0.05, 1_200),
        (13, AMONG_120, 8_000),
        (16, AMONG_120, 3_000),
        (20, AMONG_120, 1_200),
        (40, AMONG_120, 1_200),
    ],
)
def test_sign_flips_find_the_smallest_effect_in_four_runs_of_five(
    bases: int, level: float, runs: int
) -> None:
    three_errors = 3 * math.sqrt(POWER * (1 - POWER) / runs)
    assert realised_power(bases, level, runs) == pytest.approx(POWER, abs=0.005 + three_errors)


@pytest.mark.parametrize(
    ("bases", "level"),
    [
        (3, 0.25),
        (3, 0.6),
        (4, 0.3),
        (5, 0.07),
        (5, 0.5),
        (7, 0.05),
        (9, 0.01),
        (11, 0.1),
        (11, 0.004),
        (10, 0.74),
    ],
)
def test_any_number_of_bases_and_any_level_in_reach_has_that_power(bases: int, level: float) -> None:
    assert realised_power(bases, level, 10_000) == pytest.approx(POWER, abs=0.015)


@pytest.mark.parametrize(
    ("bases", "level"),
    [(17, 0.002), (18, 1e-4), (22, 0.05 / 2_000), (60, 2e-4), (200, 4e-5)],
)
def test_it_holds_between_the_columns_and_rows_of_the_table_too(bases: int, level: float) -> None:
    """Random patterns decide as well what a level of few steps finds, so several sets of them are drawn."""
    assert realised_power(bases, level, 1_200, pattern_sets=4) == pytest.approx(POWER, abs=0.04)


def test_one_step_means_that_all_contributions_are_of_one_sign() -> None:
    for bases in (6, 8, 16):
        effect = float(smallest_people_effect(SD, bases, smallest_p(bases))) / SD
        power = stats.norm.cdf(effect) ** bases + stats.norm.cdf(-effect) ** bases
        assert power == pytest.approx(POWER, abs=5e-4)


def test_with_many_bases_sign_flips_are_as_good_as_a_t_test() -> None:
    for bases in (300, 10_000):
        effect = float(smallest_people_effect(SD, bases, 0.05)) / SD * math.sqrt(bases)
        critical = stats.t.ppf(0.975, bases - 1)
        power = 1 - stats.nct.cdf(critical, bases - 1, effect)
        assert power == pytest.approx(POWER, abs=0.005)


@pytest.mark.parametrize(
    ("bases", "level"),
    [(5, 0.05), (12, AMONG_120), (2, 0.9), (16, 1e-5), (17, 1.2e-5), (10_000, 9e-6), (0, 0.5)],
)
def test_no_effect_is_large_enough_where_the_bases_cannot_reach_the_level(bases: int, level: float) -> None:
    assert np.isnan(smallest_people_effect(SD, bases, level))


def test_a_few_random_patterns_too_many_keep_a_level_out_of_reach() -> None:
    """18 bases can come below 1.2e-5, but so seldom that no effect is found in four runs of five."""
    assert smallest_p(18) < 1.2e-5
    assert np.isnan(smallest_people_effect(SD, 18, 1.2e-5))
    patterns = flip_patterns(18, np.random.default_rng(1).bytes(random_bytes_needed(18)))
    same = (patterns.signs == patterns.signs[:, :1]).all(axis=1)
    assert same.any()


def test_an_unknown_spread_gives_no_effect_and_neither_does_none() -> None:
    effects = smallest_people_effect([0.01, np.nan, 0.0, 0.03], [8, 8, 8, 8], 0.05)
    assert np.isnan(effects).tolist() == [False, True, True, False]
    assert effects[3] == pytest.approx(3 * effects[0])
    assert np.isnan(smallest_noise_effect([np.nan, 0.01, 0.01], [9, np.nan, 0], 0.05)).all()


@given(st.integers(3, 10_000), st.floats(1e-7, 0.999), st.floats(1e-7, 0.999))
@settings(derandomize=True, deadline=None, max_examples=100)
def test_effects_are_never_negative_and_a_milder_level_finds_smaller_ones(
    bases: int, one: float, other: float
) -> None:
    strict, mild = (float(smallest_people_effect(SD, bases, level)) for level in sorted((one, other)))
    if math.isnan(mild):
        assert math.isnan(strict)
    else:
        assert mild >= 0
        assert math.isnan(strict) or strict >= mild - 1e-12


@given(st.integers(17, 9_999), st.floats(1e-5, 0.7))
@settings(derandomize=True, deadline=None, max_examples=100)
def test_more_bases_find_smaller_effects(bases: int, level: float) -> None:
    fewer, more = smallest_people_effect(SD, [bases, bases + 1], level)
    assert np.isnan(fewer) or more < fewer


def test_the_noise_effect_is_that_of_a_t_test() -> None:
    effects = smallest_noise_effect([0.003, 0.001], [8, 300], AMONG_120)
    for effect, error, freedom in zip(effects, (0.003, 0.001), (8, 300), strict=True):
        expected = error * (stats.t.ppf(1 - AMONG_120 / 2, freedom) + stats.t.ppf(0.8, freedom))
        assert effect == pytest.approx(expected, rel=1e-9)


def test_bases_needed_are_the_first_with_an_effect() -> None:
    assert bases_needed(0.05) == 6
    assert bases_needed(AMONG_120) == 13
    assert bases_needed(0.05 / 2_280) == 18
    assert bases_needed(0.05 / 4_200) == 20
    assert bases_needed(9e-6) is None
    assert bases_needed(0.9) == 3


def test_eight_thousand_rows_take_less_than_200_ms_of_cpu() -> None:
    stream = np.random.default_rng(3)
    sd, bases = stream.random(8_000), stream.integers(2, 10_001, 8_000)

    def fastest(work: object) -> float:
        taken = []
        for repeat in range(5):
            start = time.process_time()
            work(0.01 + repeat / 1_000)  # type: ignore[operator]
            taken.append(time.process_time() - start)
        return min(taken)

    assert fastest(lambda level: smallest_people_effect(sd, bases, level)) < 0.2
    assert fastest(lambda level: smallest_noise_effect(sd, bases % 500 + 8, level)) < 0.2
