import numpy as np
import pytest

from jevbias.stats.effect_size import effect_size, family_moments
from jevbias.stats.length_adjusted import length_adjusted


def test_with_one_pair_a_family_it_is_the_intercept_of_ordinary_least_squares() -> None:
    random = np.random.default_rng(1)
    changes, family = random.integers(-5, 20, (25, 2)).astype(float), np.arange(25)
    differences = 0.3 + changes @ [0.02, -0.01] + random.normal(0, 0.1, 25)
    design = np.column_stack([np.ones(25), changes])
    (intercept, *_), (residual,), *_ = np.linalg.lstsq(design, differences, rcond=None)
    found = length_adjusted(differences, changes, family)
    assert found is not None
    assert found.d == pytest.approx(intercept / differences.std(ddof=1), rel=1e-9)
    assert found.r_squared == pytest.approx(1 - residual / (24 * differences.var(ddof=1)), rel=1e-9)
    assert found.low < found.d < found.high


@pytest.mark.parametrize("by", [0, 1])
def test_an_effect_that_is_only_length_shows_itself_whichever_way_it_is_counted(by: int) -> None:
    random = np.random.default_rng(2)
    words = random.integers(0, 30, 60).astype(float)
    changes = np.column_stack([words, 5 * words + random.integers(0, 40, 60)])
    family = np.repeat(np.arange(30), 2)
    differences = 0.02 * changes[:, by] + random.normal(0, 0.05, 60)
    found = length_adjusted(differences, changes, family)
    assert found is not None
    assert effect_size(family_moments(differences, family)).low > 1.0
    assert found.low < 0 < found.high
    assert abs(found.d) < 0.3
    assert found.r_squared > 0.9


def test_measures_that_say_the_same_are_no_harm() -> None:
    random = np.random.default_rng(5)
    change, differences = random.normal(2, 1, 12), random.normal(1, 1, 12)
    alone = length_adjusted(differences, change[:, None], np.arange(12))
    twice = length_adjusted(differences, np.column_stack([change, 6 * change]), np.arange(12))
    still = length_adjusted(differences, np.column_stack([change, np.zeros(12)]), np.arange(12))
    assert alone is not None
    for other in (twice, still):
        assert other is not None
        assert (other.d, other.low, other.high) == pytest.approx((alone.d, alone.low, alone.high), rel=1e-6)


def test_clones_change_nothing() -> None:
    random = np.random.default_rng(3)
    changes, differences = random.normal(size=(12, 2)), random.normal(size=12)
    once = length_adjusted(differences, changes, np.arange(12))
    more = length_adjusted(
        np.repeat(differences, 3), np.repeat(changes, 3, axis=0), np.repeat(np.arange(12), 3)
    )
    assert once is not None
    assert more is not None
    assert (more.d, more.low, more.high) == pytest.approx((once.d, once.low, once.high), rel=1e-9)


@pytest.mark.parametrize(
    ("differences", "change"),
    [
        ([1.0, 2.0, 3.0, 2.0], [1.0, 3.0, 4.0, 1.0]),
        ([1.0, 2.0, 4.0, 3.0, 1.0], [7.0] * 5),
        ([2.0] * 5, [1.0, 2.0, 3.0, 4.0, 9.0]),
    ],
)
def test_without_a_line_there_is_nothing(differences: list[float], change: list[float]) -> None:
    values = np.array(differences)
    assert length_adjusted(values, np.array(change)[:, None], np.arange(values.size), 1e-9) is None


def test_where_one_family_is_all_the_spread_there_is_no_interval() -> None:
    found = length_adjusted(np.array([0.0] * 6 + [1.0]), np.arange(7.0)[:, None], np.arange(7), 1e-9)
    assert found is not None
    assert np.isnan(found.low)
