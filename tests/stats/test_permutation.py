from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from jevbias.stats.arrays import FloatArray
from jevbias.stats.permutation import MOST_SHUFFLES, SHUFFLES, permutation_p


def groups(first: int, second: int) -> NDArray[np.bool_]:
    return np.arange(first + second) < first


def scipy_p(values: FloatArray, first: NDArray[np.bool_]) -> float:
    result = stats.permutation_test(  # type: ignore[call-overload]
        (values[first], values[~first]),
        lambda x, y, axis: np.abs(x.mean(axis=axis) - y.mean(axis=axis)),
        vectorized=True,
        n_resamples=np.inf,
        alternative="greater",
    )
    return float(result.pvalue)


@pytest.mark.parametrize(("first", "second"), [(2, 9), (3, 5), (5, 5), (7, 4), (2, 30)])
def test_few_arrangements_are_all_counted_as_scipy_does(first: int, second: int) -> None:
    values = np.random.default_rng(first).normal(size=(first + second, 4))
    values[:, 3] = np.round(values[:, 3])  # ties
    p = permutation_p(values, groups(first, second), 1)
    expected = [scipy_p(column, groups(first, second)) for column in values.T]
    assert p == pytest.approx(expected, abs=1e-9)


def test_random_shuffles_agree_with_every_arrangement_within_three_standard_errors() -> None:
    stream = np.random.default_rng(3)
    values = stream.normal(size=(20, 8)) + np.outer(groups(10, 10), np.linspace(0, 1.8, 8))
    p = permutation_p(values, groups(10, 10), 4)
    every = np.array(list(combinations(range(20), 10)))
    centred = values - values.mean(axis=0)
    sums = np.abs(centred[every].sum(axis=1))
    exact = (sums >= np.abs(centred[:10].sum(axis=0)) - 1e-12).mean(axis=0)
    number = np.where(p < 11 / (1 + SHUFFLES), MOST_SHUFFLES, SHUFFLES)
    assert (np.abs(p - exact) < 3 * np.sqrt(exact / number) + 2 / number).all()


def test_a_difference_that_hardly_any_shuffle_reaches_gets_the_most_shuffles() -> None:
    values = np.random.default_rng(1).normal(size=(40, 2))
    values[:20, 0] += 50
    p = permutation_p(values, groups(20, 20), 1)
    assert p[0] == pytest.approx(1 / (1 + MOST_SHUFFLES))
    assert (p[1] * (1 + SHUFFLES)) == pytest.approx(round(p[1] * (1 + SHUFFLES)))


def test_p_keeps_its_level_where_nothing_differs() -> None:
    values = np.random.default_rng(2).exponential(size=(40, 1000))
    p = permutation_p(values, groups(12, 28), 9)
    for level in (0.5, 0.1, 0.05, 0.01):
        error = np.sqrt(level * (1 - level) / p.size)
        assert (p <= level).mean() < level + 4 * error
    assert np.mean(p <= 0.5) > 0.43


def test_a_missing_answer_takes_its_person_out_of_that_outcome_and_no_other() -> None:
    stream = np.random.default_rng(5)
    values = stream.normal(size=(40, 3))
    values[:20, 1] += 0.8
    whole = permutation_p(values, groups(20, 20), 7)
    values[3:9, 1] = np.nan
    p = permutation_p(values, groups(20, 20), 7)
    kept = ~np.isnan(values[:, 1])
    alone = permutation_p(values[kept][:, 1:2], groups(20, 20)[kept], 7)
    assert p[1] == alone[0]
    assert p[[0, 2]].tolist() == whole[[0, 2]].tolist()


@pytest.mark.parametrize("first", [0, 6])
def test_a_side_without_people_gives_no_p(first: int) -> None:
    assert np.isnan(permutation_p(np.ones((6, 1)), groups(first, 6 - first), 1)).all()
    lost = np.where(groups(3, 3)[:, None], np.nan, 0.5)
    assert np.isnan(permutation_p(lost, groups(3, 3), 1)).all()


def test_people_who_do_not_differ_give_one() -> None:
    values = np.full((40, 1), 0.1) * 3 + np.random.default_rng(1).choice([0, 1e-16], size=(40, 1))
    assert permutation_p(values, groups(13, 27), 1).tolist() == [1.0]


@settings(derandomize=True, deadline=None, max_examples=25)
@given(st.integers(1, 25), st.integers(1, 25), st.integers(0, 2**32), st.floats(-5, 5))
def test_neither_which_group_comes_first_nor_a_shift_of_everyone_matters(
    first: int, second: int, seed: int, shift: float
) -> None:
    values = np.random.default_rng(seed).normal(size=(first + second, 2))
    marked = groups(first, second)
    p = permutation_p(values, marked, seed)
    assert permutation_p(values, ~marked, seed).tolist() == p.tolist()
    assert permutation_p(values + shift, marked, seed).tolist() == p.tolist()
    assert ((p > 0) & (p <= 1)).all()


def test_a_larger_difference_never_has_a_larger_p() -> None:
    values = np.random.default_rng(8).normal(size=(30, 1))
    values -= np.where(groups(15, 15), values[:15].mean(), values[15:].mean())[:, None]
    shifts = np.linspace(0, 1.2, 13)
    p = permutation_p(values + np.outer(groups(15, 15), shifts), groups(15, 15), 3)
    assert all(later <= sooner for sooner, later in pairwise(p.tolist()))
