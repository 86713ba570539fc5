"""Intervals of SDs and their ratios, means and quantiles, against scipy and by simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from jevbias.stats.means import mean_of, welch
from jevbias.stats.quantiles import quantile
from jevbias.stats.sd_intervals import sample_sd, sd_interval, sd_ratio, spread_p


def test_the_interval_of_an_sd_is_that_of_chi_squared() -> None:
    low, high = sd_interval(2.0, 30) or (0.0, 0.0)
    degrees = 29
    assert low == pytest.approx(2.0 * math.sqrt(degrees / stats.chi2.ppf(0.975, degrees)))
    assert high == pytest.approx(2.0 * math.sqrt(degrees / stats.chi2.ppf(0.025, degrees)))
    assert sd_interval(0.0, 30) is None
    assert sd_interval(1.0, 1) is None


def test_the_interval_of_an_sd_covers_it_as_often_as_it_says() -> None:
    draws = np.random.default_rng(1).normal(0, 0.3, (4000, 20))
    intervals = [sd_interval(float(sd), 20) or (0.0, 0.0) for sd in draws.std(axis=1, ddof=1)]
    covered = sum(low <= 0.3 <= high for low, high in intervals) / len(intervals)
    assert abs(covered - 0.95) < 3 * math.sqrt(0.95 * 0.05 / 4000)


def test_the_ratio_of_two_sds_is_that_of_f() -> None:
    found = sd_ratio(0.3, 20, 0.2, 40)
    assert found is not None
    assert found.ratio == pytest.approx(1.5)
    assert found.interval[0] == pytest.approx(1.5 / math.sqrt(stats.f.ppf(0.975, 19, 39)))
    assert found.interval[1] == pytest.approx(1.5 / math.sqrt(stats.f.ppf(0.025, 19, 39)))
    assert sd_ratio(0.0, 20, 0.2, 40) is None


def test_the_test_of_two_spreads_is_brown_and_forsythes_and_sees_a_group_that_never_varies() -> None:
    draw = np.random.default_rng(4)
    a, b = draw.normal(0.2, 1, 20), draw.normal(0, 3, 30)
    away = [np.abs(group - np.median(group)) for group in (a, b)]
    assert spread_p(a, b) == pytest.approx(stats.ttest_ind(*away, equal_var=False).pvalue)
    assert (spread_p(np.full(20, 0.5), b) or 1.0) < 1e-6
    assert spread_p(np.full(20, 0.5), np.full(20, 0.7)) == 1.0
    assert spread_p(a[:9], b) is None


@pytest.mark.parametrize("shape", ["normal", "rounded", "rare", "heavy", "skew"])
def test_spreads_that_are_equal_are_told_apart_no_more_often_than_the_test_says(shape: str) -> None:
    draw, runs = np.random.default_rng(5), 1_000
    groups = {
        "normal": draw.normal(0.5, 0.01, (runs, 2, 30)),
        "rounded": draw.normal(0.5, 0.003, (runs, 2, 30)).round(2),
        "rare": 0.1 * (draw.random((runs, 2, 30)) < 0.05),
        "heavy": draw.standard_t(3, (runs, 2, 30)),
        "skew": np.exp(0.8 * draw.standard_normal((runs, 2, 30))),
    }[shape]
    claimed = sum((spread_p(first, second) or 1.0) < 0.05 for first, second in groups)
    assert claimed / runs < 0.05 + 3 * math.sqrt(0.05 * 0.95 / runs)


def test_values_that_are_equal_have_no_spread_whatever_floats_make_of_their_mean() -> None:
    assert sample_sd(np.full(30, 0.1)) == 0.0
    assert sample_sd(np.array([0.1])) is None


def test_means_are_those_of_students_and_welchs_tests() -> None:
    draw = np.random.default_rng(2)
    a, b = draw.normal(0.2, 1, 12), draw.normal(0, 3, 30)
    one, two = mean_of(a), welch(a, b)
    assert one is not None
    assert two is not None
    expected = stats.ttest_1samp(a, 0)
    assert one.p == pytest.approx(expected.pvalue)
    assert one.interval == pytest.approx(tuple(expected.confidence_interval(0.95)))
    against = stats.ttest_ind(a, b, equal_var=False)
    assert two.p == pytest.approx(against.pvalue)
    assert two.interval == pytest.approx(tuple(against.confidence_interval(0.95)))


def test_means_of_what_does_not_vary_are_known_exactly() -> None:
    zeros, shifted = mean_of(np.zeros(5)), mean_of(np.full(5, 0.2))
    assert zeros is not None
    assert (zeros.interval, zeros.p) == ((0.0, 0.0), 1.0)
    assert shifted is not None
    assert shifted.p == 0.0
    assert mean_of(np.zeros(0)) is None
    assert welch(np.zeros(0), np.ones(3)) is None


def test_a_quantile_of_few_values_is_one_of_them_and_says_what_it_cannot_bound() -> None:
    values = np.arange(1.0, 21.0)
    median, p90, p99 = (quantile(values, share) for share in (0.5, 0.9, 0.99))
    assert median is not None
    assert (median.value, median.low, median.high, median.is_extreme) == (10.0, 6.0, 15.0, False)
    assert p90 is not None
    assert (p90.value, p90.high, p90.is_extreme) == (18.0, None, False)
    assert p99 is not None
    assert (p99.value, p99.high, p99.is_extreme) == (20.0, None, True)
    assert quantile(np.zeros(0), 0.5) is None


@pytest.mark.parametrize(("n", "share"), [(20, 0.5), (60, 0.9), (500, 0.99)])
def test_the_interval_of_a_quantile_covers_it_whatever_the_shape(n: int, share: float) -> None:
    true = -math.log(1 - share)
    covered = 0
    for draw in np.random.default_rng(3).exponential(1, (2000, n)):
        found = quantile(draw, share)
        assert found is not None
        covered += (found.low is None or found.low <= true) and (found.high is None or true <= found.high)
    assert covered / 2000 > 0.95 - 3 * math.sqrt(0.95 * 0.05 / 2000)
