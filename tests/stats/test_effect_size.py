import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from jevbias.stats.arrays import FloatArray, IntArray
from jevbias.stats.effect_size import (
    effect_size,
    family_moments,
    mean_interval,
    paired_difference,
    without_each,
)

DIFFERENCES = st.lists(st.floats(-5, 5, allow_subnormal=False), min_size=5, max_size=30)


def alone(count: int) -> IntArray:
    return np.arange(count, dtype=np.int64)


def slow_d(differences: FloatArray, family: IntArray) -> float:
    """By the definition, without sums of squares taken apart."""
    own = [differences[family == number] for number in np.unique(family)]
    means = np.array([values.mean() for values in own])
    within = np.mean([np.mean((values - values.mean()) ** 2) for values in own])
    return float(means.mean() / np.sqrt(means.var(ddof=1) + within))


def test_with_one_pair_a_family_d_is_mean_over_sd_and_the_interval_of_the_mean_is_students() -> None:
    values = np.random.default_rng(1).normal(0.4, 1.0, 20)
    moments = family_moments(values, alone(20))
    assert effect_size(moments).d == pytest.approx(values.mean() / values.std(ddof=1), rel=1e-12)
    found = mean_interval(moments)
    expected = stats.ttest_1samp(values, 0.0).confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), rel=1e-12)


def test_the_interval_of_d_is_the_jackknife_over_whole_families() -> None:
    random = np.random.default_rng(2)
    family = np.repeat(np.arange(8), [1, 2, 3, 4, 5, 2, 3, 1])
    values = random.normal(0.5, 1.0, family.size) + random.normal(size=8)[family]
    whole = slow_d(values, family)
    left_out = np.array([slow_d(values[family != f], family[family != f]) for f in range(8)])
    error = np.sqrt(7 / 8 * np.sum((left_out - left_out.mean()) ** 2))
    half = stats.t.ppf(0.975, 7) * error
    found = effect_size(family_moments(values, family))
    assert found.d == pytest.approx(whole, rel=1e-12)
    assert (found.low, found.high) == pytest.approx((whole - half, whole + half), rel=1e-9)
    assert without_each(family_moments(values, family), 0.0) == pytest.approx(left_out, rel=1e-9)


@settings(derandomize=True, deadline=None, max_examples=30)
@given(DIFFERENCES, st.integers(2, 6))
def test_clones_of_every_pair_change_nothing(differences: list[float], clones: int) -> None:
    values = np.array(differences)
    once = family_moments(values, alone(values.size))
    more = family_moments(np.repeat(values, clones), np.repeat(alone(values.size), clones))
    one, other = effect_size(once, 1e-6), effect_size(more, 1e-6)
    for name in ("d", "sd", "low", "high"):
        assert getattr(other, name) == pytest.approx(getattr(one, name), rel=1e-6, abs=1e-6, nan_ok=True)


@settings(derandomize=True, deadline=None, max_examples=30)
@given(DIFFERENCES, st.floats(1e-6, 1e6), st.booleans())
def test_d_is_a_pure_number(differences: list[float], scale: float, mirrored: bool) -> None:
    values = np.array(differences)
    factor = -scale if mirrored else scale
    one = effect_size(family_moments(values, alone(values.size)), 1e-9)
    other = effect_size(family_moments(factor * values, alone(values.size)), 1e-9 * scale)
    sign = -1 if mirrored else 1
    assert other.d == pytest.approx(sign * one.d, rel=1e-6, nan_ok=True)
    assert sorted([sign * other.low, sign * other.high]) == pytest.approx(
        sorted([one.low, one.high]), rel=1e-5, abs=1e-5, nan_ok=True
    )


def test_the_sd_is_that_of_one_difference_of_a_random_family_whatever_the_sizes() -> None:
    random = np.random.default_rng(3)
    family = np.repeat(np.arange(6), [1, 1, 2, 5, 9, 9])
    variances = [
        effect_size(
            family_moments(random.normal(size=6)[family] + 2.0 * random.normal(size=family.size), family)
        ).sd
        ** 2
        for _ in range(4000)
    ]
    assert np.mean(variances) == pytest.approx(5.0, rel=0.03)


@pytest.mark.parametrize("families", [1, 2, 3, 4])
def test_below_five_families_there_is_no_interval_of_d(families: int) -> None:
    moments = family_moments(np.arange(families * 2, dtype=float), np.repeat(np.arange(families), 2))
    found = effect_size(moments)
    assert np.isnan(found.low)
    assert np.isnan(found.high)
    assert np.isnan(found.d) == (families == 1)
    assert np.isnan(mean_interval(moments).low) == (families < 3)


@pytest.mark.parametrize("same", [0.0, 0.25, -3e-17])
def test_without_a_spread_there_is_no_d(same: float) -> None:
    found = effect_size(family_moments(np.full(9, same), alone(9)))
    assert np.isnan(found.d)
    assert np.isnan(found.low)


def test_where_one_family_is_all_the_spread_there_is_no_interval() -> None:
    found = effect_size(family_moments(np.array([0.0] * 7 + [1.0]), alone(8)), 1e-9)
    assert found.d == pytest.approx(0.125 / np.std([0.0] * 7 + [1.0], ddof=1))
    assert np.isnan(found.low)


def test_the_difference_of_two_effects_is_paired_by_family() -> None:
    random = np.random.default_rng(4)
    shared = random.normal(size=24)
    first = family_moments(0.5 + shared + 0.1 * random.normal(size=24), alone(24))
    second = family_moments(0.5 + shared + 0.1 * random.normal(size=24), alone(24))
    difference, low, high = paired_difference(first, second)
    assert difference == pytest.approx(float(effect_size(second).d - effect_size(first).d))
    assert high - low < 0.3 * float(effect_size(first).high - effect_size(first).low)
    assert paired_difference(first, first) == pytest.approx((0.0, 0.0, 0.0), abs=1e-12)
