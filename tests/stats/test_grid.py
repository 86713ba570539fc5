import math

import numpy as np
import pytest

from jevbias.stats.grid import count_strays, decimal_step, rounding_sd


@pytest.mark.parametrize("decimals", [2, 3, 4, 5, 6])
def test_the_step_of_rounded_answers_is_found(decimals: int) -> None:
    values = np.round(np.random.default_rng(decimals).uniform(size=400), decimals)
    assert decimal_step(values) == pytest.approx(10.0**-decimals)
    assert decimal_step(1 - values) == pytest.approx(10.0**-decimals), "flipping an answer keeps its grid"


def test_a_continuum_has_no_step() -> None:
    assert decimal_step(np.random.default_rng(1).uniform(size=100)) is None


def test_missing_answers_are_no_answers() -> None:
    assert decimal_step(np.array([0.25, np.nan, 0.5] * 4)) == pytest.approx(0.01)
    assert decimal_step(np.array([np.nan])) is None


def test_no_grid_is_coarser_than_a_hundredth() -> None:
    assert decimal_step(np.round(np.random.default_rng(1).uniform(size=400), 1)) == pytest.approx(0.01)


def test_answers_at_zero_and_one_tell_no_grid() -> None:
    saturated = np.repeat([0.0, 1.0], 200)
    assert decimal_step(saturated) is None
    assert decimal_step(np.append(saturated, [0.25] * 7)) is None
    assert decimal_step(np.append(saturated, [0.25] * 8)) == pytest.approx(0.01)
    continuum = np.random.default_rng(1).uniform(size=8)
    assert decimal_step(np.append(saturated, continuum)) is None, "they outvote nobody either"


@pytest.mark.parametrize(("answers", "strays", "step"), [(99, 1, None), (100, 1, 0.01), (250, 3, None)])
def test_one_stray_in_a_full_hundred_is_forgiven(answers: int, strays: int, step: float | None) -> None:
    values = np.full(answers, 0.37)
    values[:strays] += 1 / 300
    assert decimal_step(values) == (None if step is None else pytest.approx(step))
    assert count_strays(values, 0.01) == strays


def test_rounding_alone_makes_this_noise() -> None:
    draws = np.random.default_rng(5).uniform(size=(200_000, 4))
    errors = np.round(draws, 2) - draws
    assert rounding_sd(0.01) == pytest.approx(0.01 / math.sqrt(12))
    assert errors[:, 0].std() == pytest.approx(rounding_sd(0.01), rel=0.01)
    assert errors.mean(axis=1).std() == pytest.approx(rounding_sd(0.01, 4), rel=0.01)
