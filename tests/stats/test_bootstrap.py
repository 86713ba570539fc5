import numpy as np
import pytest

from jevbias.stats.arrays import FloatArray
from jevbias.stats.bootstrap import FEWEST_PEOPLE, difference_interval, resample_group


def interval(first: FloatArray, second: FloatArray, key: int = 1) -> tuple[FloatArray, FloatArray]:
    return difference_interval(resample_group(first, key), resample_group(second, key + 1))


@pytest.mark.parametrize(
    ("shape", "first", "second"),
    [("normal", 32, 32), ("normal", 16, 16), ("grid", 16, 80), ("skewed", 32, 32), ("skewed", 16, 16)],
)
def test_intervals_cover_the_difference_of_the_groups_they_were_drawn_from(
    shape: str, first: int, second: int
) -> None:
    stream = np.random.default_rng(first + second)
    covered = []
    for key in range(4):
        draws = stream.normal(size=(first + second, 200))
        if shape == "grid":
            draws = np.round(draws * 0.012, 2)
        elif shape == "skewed":
            draws = stream.gamma(4.0, size=draws.shape)
        lower, upper = interval(draws[:first], draws[first:], 10 * key)
        covered.append((lower <= 0) & (upper >= 0))
    assert 0.93 <= np.mean(covered) <= 0.97


def test_a_large_group_has_the_interval_of_the_normal_distribution() -> None:
    stream = np.random.default_rng(4)
    first, second = stream.normal(size=(400, 1)), stream.normal(size=(500, 1))
    lower, upper = interval(first, second)
    error = np.sqrt(first.var(ddof=1) / 400 + second.var(ddof=1) / 500)
    delta = first.mean() - second.mean()
    assert [lower[0], upper[0]] == pytest.approx([delta - 1.96 * error, delta + 1.96 * error], abs=0.01)


def test_an_outcome_depends_on_its_own_people_alone() -> None:
    values = np.random.default_rng(1).normal(size=(30, 3))
    values[4:8, 1] = np.nan
    group = resample_group(values, 3)
    kept = resample_group(values[~np.isnan(values[:, 1])][:, 1:2], 3)
    assert group.shift[:, 1].tolist() == kept.shift[:, 0].tolist()
    assert group.mean[1] == kept.mean[0]
    alone = resample_group(values[:, :1], 3)
    assert group.shift[:, 0] == pytest.approx(alone.shift[:, 0], abs=1e-15)


def test_too_few_people_have_no_interval() -> None:
    values = np.random.default_rng(1).normal(size=(FEWEST_PEOPLE + 20, 1))
    few = FEWEST_PEOPLE - 1
    assert np.isnan(interval(values[:few], values[few:])).all()
    assert not np.isnan(interval(values[: few + 1], values[few + 1 :])).any()


def test_groups_without_spread_have_no_interval_and_one_side_without_is_fine() -> None:
    flat, spread = np.full((20, 1), 0.3), np.random.default_rng(1).normal(size=(20, 1))
    assert np.isnan(interval(flat, flat + 0.1)).all()
    lower, upper = interval(flat, spread)
    assert lower[0] < 0.3 - spread.mean() < upper[0]


def test_no_interval_rests_on_resamples_that_hold_one_value_only() -> None:
    """One of 40 people differs: more than a third of the resamples miss them, on both sides."""
    values = np.zeros((40, 1))
    values[0] = 1.0
    lower, upper = interval(values, values)
    assert np.isnan(lower).all() == np.isnan(upper).all()
    assert not np.isinf([lower, upper]).any()
