"""The two-way layout: mean squares as in an analysis of variance, and the interval built from them."""

import numpy as np
import pytest
from scipy.stats import t
from statsmodels.regression.linear_model import OLS
from statsmodels.stats.anova import anova_lm

from jevbias.stats.two_way import SMALLEST_P, two_way_layout


def layout_of(values: np.ndarray):  # type: ignore[no-untyped-def]
    return two_way_layout(values[None])


def test_mean_squares_are_those_of_an_analysis_of_variance() -> None:
    values = np.random.default_rng(1).normal(size=(6, 8))
    unit, case = (np.repeat(np.arange(6), 8), np.tile(np.arange(8), 6))
    columns = [np.ones(48), *(unit == n for n in range(1, 6)), *(case == n for n in range(1, 8))]
    both = np.column_stack(columns).astype(float)
    full = OLS(values.ravel(), both).fit()
    no_units = OLS(values.ravel(), both[:, [0, *range(6, 13)]]).fit()
    no_cases = OLS(values.ravel(), both[:, :6]).fit()
    found = layout_of(values)
    by_units, by_cases = anova_lm(no_units, full).ss_diff[1] / 5, anova_lm(no_cases, full).ss_diff[1] / 7
    assert found.between_units[0] == pytest.approx(by_units, rel=1e-9)
    assert found.between_cases[0] == pytest.approx(by_cases, rel=1e-9)
    assert found.rest[0] == pytest.approx(full.mse_resid, rel=1e-9)


def test_the_half_width_is_the_named_maximum() -> None:
    values = np.random.default_rng(2).normal(size=(4, 5))
    found = layout_of(values)
    squared = [
        t.ppf(0.995, degrees) ** 2 * mean_square[0] / 20
        for mean_square, degrees in (
            (found.between_units, 3),
            (found.between_cases, 4),
            (found.rest, 12),
        )
    ]
    expected = max(squared[0] + squared[1] - squared[2], squared[0], squared[1])
    assert found.half_width(0.99)[0] == pytest.approx(np.sqrt(expected), rel=1e-9)


def test_the_interval_of_confidence_1_minus_p_reaches_zero_and_no_other_does() -> None:
    stream = np.random.default_rng(6)
    spread = stream.uniform(0.1, 3, size=(200, 3, 1, 1))
    units, cases = stream.normal(size=(200, 9, 1)), stream.normal(size=(200, 1, 7))
    values = stream.normal(size=(200, 1, 1)) + spread[:, 0] * units + spread[:, 1] * cases
    found = two_way_layout(values + spread[:, 2] * stream.normal(size=(200, 9, 7)))
    for row, p in enumerate(found.p_zero):
        assert abs(found.mean[row]) == pytest.approx(found.half_width(1 - p)[row], rel=1e-6)
        assert found.half_width(1 - 0.99 * p)[row] > abs(found.mean[row])
        assert found.half_width(1 - min(1.01 * p, 1.0))[row] < abs(found.mean[row])


def test_p_is_1_where_the_mean_is_zero_and_the_smallest_where_nothing_varies() -> None:
    nothing, all_alike = np.zeros((4, 5)), np.full((4, 5), 0.25)
    too_few = np.random.default_rng(7).normal(size=(2, 5))
    assert layout_of(nothing).p_zero[0] == 1.0
    assert layout_of(all_alike).p_zero[0] == SMALLEST_P
    assert np.isnan(layout_of(too_few).p_zero[0])


@pytest.mark.parametrize(("units", "cases"), [(2, 8), (6, 2), (1, 1)])
def test_fewer_than_three_units_or_cases_give_no_interval(units: int, cases: int) -> None:
    found = layout_of(np.random.default_rng(3).normal(size=(units, cases)))
    assert np.isnan(found.half_width(0.95)[0])
    assert found.mean[0] == pytest.approx(
        np.random.default_rng(3).normal(size=(units, cases)).mean(), abs=1e-12
    )


def test_of_a_row_with_gaps_only_complete_units_and_cases_count() -> None:
    values = np.random.default_rng(4).normal(size=(6, 8))
    gaps = values.copy()
    gaps[2, 5] = np.nan
    found = layout_of(gaps)
    assert (found.units[0], found.cases[0]) == (6, 7)
    assert found.mean[0] == pytest.approx(np.delete(values, 5, axis=1).mean(), abs=1e-12)
    gaps[:, 3] = np.nan
    gaps[2] = np.nan
    found = layout_of(gaps)
    assert (found.units[0], found.cases[0]) == (5, 7)


def test_rows_are_independent_of_each_other_and_of_their_gaps() -> None:
    stream = np.random.default_rng(5)
    values = stream.normal(size=(30, 5, 6))
    values[stream.random(values.shape) < 0.05] = np.nan
    together = two_way_layout(values)
    for number, row in enumerate(values):
        alone = layout_of(row)
        assert alone.half_width(0.95)[0] == pytest.approx(
            together.half_width(0.95)[number], rel=1e-12, nan_ok=True
        )


def test_a_row_without_anything_has_no_mean() -> None:
    found = layout_of(np.full((3, 4), np.nan))
    assert (found.units[0], found.cases[0]) == (0, 0)
    assert np.isnan(found.mean[0])
    assert np.isnan(found.half_width(0.95)[0])
