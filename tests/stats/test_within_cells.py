import math

import numpy as np
import pytest
from statsmodels.regression.linear_model import OLS

from jevbias.stats.arrays import FloatArray
from jevbias.stats.within_cells import within_slope

STREAM = np.random.default_rng(7)
CELLS = np.repeat(np.arange(9), [10, 10, 7, 3, 2, 1, 1, 5, 8])
TIME = STREAM.uniform(0, 3, CELLS.size)
VALUES = 0.4 + 0.1 * CELLS + 0.004 * TIME + 0.01 * STREAM.normal(size=CELLS.size)


@pytest.mark.parametrize("covariate", [TIME, np.where(TIME > 1, 1.0, 0.0)], ids=["time", "indicator"])
def test_it_is_least_squares_with_an_indicator_for_every_cell(covariate: FloatArray) -> None:
    found = within_slope(VALUES, covariate, CELLS)
    indicators = (CELLS[:, None] == np.arange(9)).astype(float)
    fit = OLS(VALUES, np.column_stack([covariate, indicators])).fit()
    assert found is not None
    assert found.slope == pytest.approx(fit.params[0], rel=1e-9)
    assert found.standard_error == pytest.approx(fit.bse[0], rel=1e-9)
    assert found.p == pytest.approx(fit.pvalues[0], rel=1e-9)
    assert found.interval() == pytest.approx(fit.conf_int()[0], rel=1e-9)
    assert found.degrees_of_freedom == fit.df_resid
    assert (found.values, found.cells) == (45, 7), "two cells were answered once"


def test_cells_of_one_and_the_numbering_of_cells_do_not_matter() -> None:
    repeated = ~np.isin(CELLS, [5, 6])
    found = within_slope(VALUES, TIME, CELLS)
    assert within_slope(VALUES[repeated], TIME[repeated], 1000 + 3 * CELLS[repeated]) == found


def test_a_covariate_that_is_the_same_within_every_cell_has_no_slope() -> None:
    assert within_slope(VALUES, CELLS.astype(float), CELLS) is None
    assert within_slope(VALUES[:0], TIME[:0], CELLS[:0]) is None
    assert within_slope(VALUES[:3], TIME[:3], np.arange(3)) is None


def test_without_any_variation_there_is_a_slope_of_zero_and_no_test() -> None:
    found = within_slope(np.asarray(0.1 + 0.1 * CELLS), TIME, CELLS)
    assert found is not None
    assert (found.slope, found.p, found.interval()) == (0.0, None, None)


def test_a_shift_without_noise_is_certain() -> None:
    late = np.where(TIME > 1, 1.0, 0.0)
    found = within_slope(0.25 * late + CELLS, late, CELLS)
    assert found is not None
    assert found.slope == pytest.approx(0.25, abs=1e-12)
    assert found.p is not None
    assert math.isclose(found.p, 0.0, abs_tol=1e-100)


def test_two_values_leave_no_degree_of_freedom_and_no_test() -> None:
    found = within_slope(np.array([0.1, 0.2]), np.array([0.0, 1.0]), np.array([4, 4]))
    assert found is not None
    assert found.slope == pytest.approx(0.1)
    assert found.degrees_of_freedom == 0
    assert (found.p, found.interval()) == (None, None)
