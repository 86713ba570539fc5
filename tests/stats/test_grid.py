import math

import numpy as np
import pytest

from jevbias.stats.grid import decimal_step, rounding_sd


@pytest.mark.parametrize("decimals", [1, 2, 3, 4, 6])
def test_the_step_of_rounded_answers_is_found(decimals: int) -> None:
    values = np.round(np.random.default_rng(decimals).uniform(size=400), decimals)
    assert decimal_step(values) == pytest.approx(10.0**-decimals)
    assert decimal_step(1 - values) == pytest.approx(10.0**-decimals), "flipping an answer keeps its grid"


def test_a_continuum_has_no_step() -> None:
    assert decimal_step(np.random.default_rng(1).uniform(size=100)) is None


def test_missing_answers_are_no_answers() -> None:
    assert decimal_step(np.array([0.25, np.nan, 0.5])) == pytest.approx(0.01)
    assert decimal_step(np.array([np.nan])) is None


def test_rounding_alone_makes_this_noise() -> None:
    draws = np.random.default_rng(5).uniform(size=(200_000, 4))
    errors = np.round(draws, 2) - draws
    assert rounding_sd(0.01) == pytest.approx(0.01 / math.sqrt(12))
    assert errors[:, 0].std() == pytest.approx(rounding_sd(0.01), rel=0.01)
    assert errors.mean(axis=1).std() == pytest.approx(rounding_sd(0.01, 4), rel=0.01)
