import numpy as np
import pytest
from scipy import stats
from statsmodels.regression.linear_model import OLS

from jevbias.stats.cell_means import tabulate

STREAM = np.random.default_rng(6)
CELLS = np.repeat(np.arange(6), [4, 1, 3, 2, 0, 5])
VALUES = STREAM.normal(size=15)
SIGNS = np.array([1.0, -1.0, -1.0, 1.0])


def test_contrasts_are_the_t_tests_of_a_model_with_one_parameter_per_cell() -> None:
    table = tabulate(VALUES, CELLS, 6)
    found = table.contrasts(np.array([[0, 1, 2, 3], [5, 3, 1, 0]]), SIGNS)
    model = OLS(VALUES, (CELLS[:, None] == [0, 1, 2, 3, 5]).astype(float)).fit()
    for row, weights in enumerate([[1, -1, -1, 1, 0], [1, -1, 0, -1, 1]]):
        reference = model.t_test(np.array(weights, dtype=float))
        assert found.estimate[row] == pytest.approx(float(reference.effect[0]), abs=1e-9)
        assert found.p[row] == pytest.approx(float(reference.pvalue), abs=1e-9)
        low, high = reference.conf_int()[0]
        assert found.half_width[row] == pytest.approx((high - low) / 2, abs=1e-9)


def test_an_interval_of_a_mean_uses_the_spread_within_all_cells() -> None:
    table = tabulate(VALUES, CELLS, 6)
    assert table.people.tolist() == [4, 1, 3, 2, 0, 5]
    assert table.degrees_of_freedom == 15 - 5
    groups = [VALUES[cell == CELLS] for cell in (0, 2, 3, 5)]
    within = sum(((group - group.mean()) ** 2).sum() for group in groups)
    sd = np.sqrt(within / 10)
    assert table.sd == pytest.approx(sd)
    assert table.half_width[1] == pytest.approx(stats.t.ppf(0.975, 10) * sd)
    assert table.half_width[5] == pytest.approx(stats.t.ppf(0.975, 10) * sd / np.sqrt(5))
    assert np.isnan(table.half_width[4])
    assert np.isnan(table.mean[4])


def test_intervals_of_cells_of_one_to_eight_people_cover_their_means() -> None:
    cells = np.repeat(np.arange(27), [1, 2, 3, 4, 5, 6, 7, 8, 6] * 3)
    covered = [
        np.abs(table.mean) <= table.half_width
        for table in (tabulate(STREAM.normal(size=cells.size), cells, 27) for _ in range(1000))
    ]
    assert 0.94 <= np.mean(covered) <= 0.96
    assert np.mean(covered, axis=0).min() >= 0.92


def test_a_contrast_with_an_empty_cell_has_no_estimate() -> None:
    found = tabulate(VALUES, CELLS, 6).contrasts(np.array([[0, 1, 4, 3]]), SIGNS)
    assert np.isnan([found.estimate, found.half_width, found.p]).all()


def test_where_nobody_differs_within_cells_only_a_contrast_of_zero_has_a_p() -> None:
    cells = np.repeat(np.arange(4), 3)
    flat = tabulate(np.full(12, 0.3), cells, 4).contrasts(np.array([[0, 1, 2, 3]]), SIGNS)
    assert (flat.estimate.tolist(), flat.p.tolist()) == ([0.0], [1.0])
    stepped = tabulate(np.where(cells == 0, 0.4, 0.3), cells, 4).contrasts(np.array([[0, 1, 2, 3]]), SIGNS)
    assert stepped.estimate[0] == pytest.approx(0.1)
    assert np.isnan(stepped.p).all()


def test_one_person_per_cell_leaves_no_spread_to_judge_by() -> None:
    table = tabulate(VALUES[:4], np.arange(4), 4)
    found = table.contrasts(np.array([[0, 1, 2, 3]]), SIGNS)
    assert table.sd is None
    assert not np.isnan(found.estimate).any()
    assert np.isnan([found.half_width, found.p]).all()
