import numpy as np
import pytest
from numpy.typing import NDArray
from statsmodels.regression.linear_model import OLS

from jevbias.stats.arrays import FloatArray
from jevbias.stats.linear_model import fit_linear_models


def dummies(codes: NDArray[np.int64], levels: int) -> FloatArray:
    return np.asarray(codes[:, None] == np.arange(1, levels), dtype=np.float64)


def design_of(people: int, seed: int, *levels: int) -> FloatArray:
    stream = np.random.default_rng(seed)
    columns = [dummies(stream.permutation(people) % number, number) for number in levels]
    return np.hstack([np.ones((people, 1)), *columns])


def test_coefficients_errors_and_p_are_those_of_statsmodels() -> None:
    design = design_of(160, 1, 9, 3, 8, 7, 6, 5, 2, 2)
    outcomes = np.random.default_rng(2).normal(size=(160, 5)) + design[:, [1, 4, 9, 12, 30]]
    fit = fit_linear_models(design, outcomes)
    for column in range(5):
        reference = OLS(outcomes[:, column], design).fit()
        assert fit.coefficients[:, column] == pytest.approx(reference.params, abs=1e-9)
        assert fit.errors[:, column] == pytest.approx(reference.bse, abs=1e-9)
        assert fit.p[:, column] == pytest.approx(reference.pvalues, abs=1e-9)
        assert fit.degrees_of_freedom[column] == reference.df_resid == 160 - design.shape[1]
        assert fit.rank[column] == design.shape[1]


def test_an_outcome_is_fitted_to_the_people_who_have_it() -> None:
    design = design_of(80, 1, 4, 3)
    outcomes = np.random.default_rng(2).normal(size=(80, 3))
    outcomes[5:20, 1] = np.nan
    fit = fit_linear_models(design, outcomes)
    kept = ~np.isnan(outcomes[:, 1])
    reference = OLS(outcomes[kept, 1], design[kept]).fit()
    assert fit.coefficients[:, 1] == pytest.approx(reference.params, abs=1e-9)
    assert fit.errors[:, 1] == pytest.approx(reference.bse, abs=1e-9)
    assert fit.degrees_of_freedom.tolist() == [80 - 6, 65 - 6, 80 - 6]


def test_what_cannot_be_told_apart_has_no_estimate_and_the_rest_is_as_if_one_were_left_out() -> None:
    design = design_of(90, 3, 5, 4, 3)
    nobody, twin = np.zeros((90, 1)), design[:, 2:3]
    outcomes = np.random.default_rng(2).normal(size=(90, 2))
    fit = fit_linear_models(np.hstack([design, nobody, twin]), outcomes)
    last = design.shape[1]
    assert np.flatnonzero(np.isnan(fit.coefficients[:, 0])).tolist() == [2, last, last + 1]
    assert np.isnan(fit.errors[[2, last, last + 1]]).all()
    assert np.isnan(fit.p[[2, last, last + 1]]).all()
    kept = [column for column in range(last) if column != 2]
    reference = OLS(outcomes[:, 0], design).fit()
    assert fit.coefficients[kept, 0] == pytest.approx(reference.params[kept], abs=1e-9)
    assert fit.errors[kept, 0] == pytest.approx(reference.bse[kept], abs=1e-9)
    assert fit.rank.tolist() == [last, last]


def test_a_whole_set_of_dummies_beside_an_intercept_leaves_the_others_estimable() -> None:
    design = design_of(60, 3, 4, 3)
    every = np.repeat(np.eye(3), 20, axis=0)
    outcomes = np.random.default_rng(2).normal(size=(60, 1))
    fit = fit_linear_models(np.hstack([design, every]), outcomes)
    reference = OLS(outcomes[:, 0], np.hstack([design, every[:, 1:]])).fit()
    assert fit.coefficients[1:6, 0] == pytest.approx(reference.params[1:6], abs=1e-9)
    assert np.isnan(fit.coefficients[0, 0])


def test_without_degrees_of_freedom_there_are_estimates_and_no_errors() -> None:
    design = np.array([[1.0, 0.0], [1.0, 1.0]])
    fit = fit_linear_models(design, np.array([[0.4], [0.7]]))
    assert fit.coefficients[:, 0] == pytest.approx([0.4, 0.3])
    assert np.isnan(fit.errors).all()
    assert np.isnan(fit.p).all()
    assert fit.degrees_of_freedom.tolist() == [0]


def test_a_perfect_fit_has_p_one_where_nothing_differs_and_none_elsewhere() -> None:
    design = design_of(30, 1, 3)
    fit = fit_linear_models(design, np.outer(design @ [0.0, 0.2, 0.0], [1.0, 0.0]))
    assert fit.p[2].tolist() == [1.0, 1.0]
    assert np.isnan(fit.p[1, 0])
    assert fit.p[1, 1] == 1.0
    assert fit.coefficients[1].tolist() == pytest.approx([0.2, 0.0])


def test_nobody_to_fit_gives_nothing() -> None:
    fit = fit_linear_models(design_of(12, 1, 3), np.full((12, 2), np.nan))
    assert np.isnan(fit.coefficients).all()
    assert np.isnan(fit.p).all()
    assert fit.rank.tolist() == [0, 0]
