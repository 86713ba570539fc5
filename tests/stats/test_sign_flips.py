"""Sign flips of whole units: exact where they can be enumerated, random beyond, and max-T over a family."""

import hashlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import permutation_test

from jevbias.stats.sign_flips import (
    RANDOM_PATTERNS,
    FlipPatterns,
    flip_patterns,
    one_sided_p,
    random_bytes_needed,
    sign_flip_tests,
    smallest_p,
)


def random_patterns(units: int, seed: int = 1) -> FlipPatterns:
    stream = np.random.default_rng(seed)
    return flip_patterns(units, stream.bytes(random_bytes_needed(units)))


def everyone(rows: int) -> np.ndarray:
    return np.ones(rows, dtype=bool)


@pytest.mark.parametrize("units", [1, 2, 3, 6, 11])
def test_exact_p_is_that_of_scipy(units: int) -> None:
    contributions = np.random.default_rng(units).normal(0.3, 1.0, size=(20, units))
    p = sign_flip_tests(contributions, flip_patterns(units), everyone(20)).p
    for row, own in zip(contributions, p, strict=True):
        if units == 1:
            assert own == 1.0
            continue
        theirs = permutation_test(
            (row,), np.sum, permutation_type="samples", alternative="two-sided", n_resamples=10**9
        )
        assert own == pytest.approx(theirs.pvalue, abs=1e-9)


@pytest.mark.parametrize("units", [2, 5, 10])
def test_one_sided_p_is_that_of_scipy(units: int) -> None:
    contributions = np.random.default_rng(units).normal(0.3, 1.0, size=(20, units))
    p = one_sided_p(contributions, flip_patterns(units))
    for row, own in zip(contributions, p, strict=True):
        theirs = permutation_test(
            (row,), np.sum, permutation_type="samples", alternative="greater", n_resamples=10**9
        )
        assert own == pytest.approx(theirs.pvalue, abs=1e-9)


def test_all_patterns_are_there_once_up_to_the_sign_of_the_whole() -> None:
    signs = flip_patterns(6).signs
    assert len({tuple(row) for row in signs.tolist()}) == 2**5
    assert (signs[:, 0] == 1).all()
    assert set(np.unique(signs)) == {-1.0, 1.0}


def test_the_floor_is_two_in_two_to_the_power_of_the_units() -> None:
    alike = np.full((1, 6), 0.01)
    assert sign_flip_tests(alike, flip_patterns(6), everyone(1)).p[0] == 2 / 2**6 == smallest_p(6)
    assert smallest_p(17) == 2.0**-16
    assert smallest_p(40) == 1 / (1 + RANDOM_PATTERNS)


def test_random_patterns_come_close_to_all_patterns() -> None:
    contributions = np.random.default_rng(3).normal(0.25, 1.0, size=(12, 17))
    p = sign_flip_tests(contributions, random_patterns(17), everyone(12)).p
    flips = (np.arange(1 << 16)[:, None] >> np.arange(17)[None]) & 1
    sums = np.abs((1 - 2 * flips) @ contributions.T)
    exact = (sums >= np.abs(contributions.sum(axis=1)) - 1e-9).mean(axis=0)
    assert np.abs(p - exact).max() < 4 * np.sqrt(0.25 / RANDOM_PATTERNS)


def test_random_p_counts_the_observed_pattern_and_is_never_zero() -> None:
    contributions = np.full((1, 40), 0.01)
    p = sign_flip_tests(contributions, random_patterns(40), everyone(1)).p
    assert p[0] == pytest.approx(1 / (1 + RANDOM_PATTERNS))


def test_random_patterns_need_their_bytes_and_follow_them() -> None:
    with pytest.raises(ValueError, match="random bytes"):
        flip_patterns(17)
    assert random_bytes_needed(16) == 0
    block = hashlib.sha256(b"x").digest() * (random_bytes_needed(17) // 32 + 1)
    assert np.array_equal(flip_patterns(17, block).signs, flip_patterns(17, block).signs)


def test_a_unit_without_a_contribution_changes_nothing() -> None:
    row = np.random.default_rng(5).normal(size=(1, 5))
    with_gap = np.concatenate([row, np.zeros((1, 1))], axis=1)
    assert (
        sign_flip_tests(with_gap, flip_patterns(6), everyone(1)).p
        == sign_flip_tests(row, flip_patterns(5), everyone(1)).p
    )


def test_rows_without_a_figure_are_untested_and_rows_without_a_movement_have_p_one() -> None:
    rows = np.array([[np.nan] * 4, [0.0] * 4, [0.1, 0.2, 0.1, 0.3]])
    tests = sign_flip_tests(rows, flip_patterns(4), everyone(3))
    assert np.isnan(tests.p[0])
    assert np.isnan(tests.p_max_t[0])
    assert (tests.p[1], tests.p_max_t[1]) == (1.0, 1.0)
    assert tests.p[2] == 2 / 2**4
    assert np.isnan(one_sided_p(rows, flip_patterns(4))[0])


def test_ties_of_floating_point_dust_count_as_ties() -> None:
    third = 0.1 + 0.2 - 0.3
    rows = np.array([[0.1, 0.2, -0.3 + third, 0.4, 0.3, -0.3]])
    exact = np.array([[1, 2, -3, 4, 3, -3]], dtype=float)
    patterns = flip_patterns(6)
    assert sign_flip_tests(rows, patterns, everyone(1)).p == sign_flip_tests(exact, patterns, everyone(1)).p


def brute_max_t(rows: np.ndarray, family: np.ndarray) -> np.ndarray:
    units = rows.shape[1]
    flips = (np.arange(1 << units)[:, None] >> np.arange(units)[None]) & 1
    standard = rows / np.sqrt(np.square(rows).sum(axis=1, keepdims=True))
    largest = np.abs((1 - 2 * flips) @ standard[family].T).max(axis=1)
    return np.array([(largest >= size - 1e-9).mean() for size in np.abs(standard.sum(axis=1))])


def test_max_t_is_the_chance_that_the_largest_of_the_family_is_as_large() -> None:
    rows = np.random.default_rng(8).normal(0.4, 1.0, size=(15, 8)) * np.linspace(0.1, 3, 15)[:, None]
    family = np.arange(15) % 3 != 0
    tests = sign_flip_tests(rows, flip_patterns(8), family)
    assert tests.p_max_t[family] == pytest.approx(brute_max_t(rows, family)[family], abs=1e-12)
    assert np.isnan(tests.p_max_t[~family]).all()
    assert (tests.p_max_t[family] >= tests.p[family]).all()


@settings(derandomize=True, deadline=None, max_examples=40)
@given(
    st.integers(2, 9).flatmap(
        lambda units: st.lists(
            st.lists(st.floats(-1, 1), min_size=units, max_size=units), min_size=1, max_size=6
        )
    )
)
def test_scale_and_direction_change_no_p(rows: list[list[float]]) -> None:
    values = np.round(np.array(rows), 3)
    patterns, family = flip_patterns(values.shape[1]), everyone(len(values))
    tests = sign_flip_tests(values, patterns, family)
    mirrored = sign_flip_tests(-values * 4, patterns, family)
    assert np.array_equal(tests.p, mirrored.p)
    assert np.array_equal(tests.p_max_t, mirrored.p_max_t)
    assert ((tests.p >= smallest_p(values.shape[1])) & (tests.p <= 1)).all()


def test_under_the_null_p_is_no_more_often_small_than_it_says() -> None:
    values = np.random.default_rng(11).normal(size=(20_000, 6))
    tests = sign_flip_tests(values, flip_patterns(6), np.zeros(20_000, dtype=bool))
    for level in (2 / 64, 4 / 64, 0.1, 0.5):
        share = (tests.p <= level).mean()
        assert share <= level + 3 * np.sqrt(level / 20_000)
