import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jevbias.stats.pools import pool_cells


def test_a_pool_by_hand() -> None:
    # Cells (0.4, 0.6) and (0.1, 0.2, 0.6): s^2 = 0.02 and 0.07; the single answer 0.9 says nothing.
    pool = pool_cells(np.array([0.4, 0.6, 0.9, 0.1, 0.2, 0.6]), np.array([0, 0, 1, 2, 2, 2]))
    assert pool.sd == pytest.approx(math.sqrt((0.02 + 2 * 0.07) / 3))
    assert pool.mean_sd == pytest.approx((math.sqrt(0.02) + math.sqrt(0.07)) / 2)
    assert (pool.cells, pool.degrees_of_freedom) == (2, 3)
    expected = [*(np.array([-0.1, 0.1]) * math.sqrt(2)), *(np.array([-0.2, -0.1, 0.3]) * math.sqrt(1.5))]
    assert pool.deviations == pytest.approx(expected)


@settings(derandomize=True, deadline=None, max_examples=60)
@given(st.lists(st.lists(st.floats(0, 1), min_size=1, max_size=6), min_size=1, max_size=8))
def test_deviations_have_mean_zero_and_the_spread_of_single_answers(cells: list[list[float]]) -> None:
    values = np.array([value for cell in cells for value in cell])
    numbers = np.array([number for number, cell in enumerate(cells) for _ in cell])
    pool = pool_cells(values, numbers)
    repeated = [cell for cell in cells if len(cell) > 1]
    assert pool.degrees_of_freedom == sum(len(cell) - 1 for cell in repeated)
    if not repeated:
        assert pool.sd is None
        return
    squares = sum(np.var(cell) * len(cell) for cell in repeated)
    assert pool.sd == pytest.approx(math.sqrt(squares / pool.degrees_of_freedom), abs=1e-8)
    assert pool.deviations.mean() == pytest.approx(0.0, abs=1e-8)
    spread = sum(np.var(cell, ddof=1) * len(cell) for cell in repeated) / sum(map(len, repeated))
    assert pool.variance == pytest.approx(spread, abs=1e-8)


def test_a_shift_of_a_whole_cell_changes_no_pool() -> None:
    values, cells = np.random.default_rng(1).uniform(size=12), np.repeat([0, 1, 2], 4)
    moved = values + np.array([0.1, -0.3, 0.2])[cells]
    assert pool_cells(moved, cells).deviations == pytest.approx(pool_cells(values, cells).deviations)


def test_no_repeats_no_pool() -> None:
    pool = pool_cells(np.array([0.1, 0.2]), np.array([0, 1]))
    assert (pool.sd, pool.mean_sd, pool.cells, pool.degrees_of_freedom) == (None, None, 0, 0)
    assert pool.at_least(0.1).sd is None
    assert pool_cells(np.zeros(0), np.zeros(0, dtype=np.int64)).sd is None


def test_differences_below_a_billionth_are_ties() -> None:
    assert pool_cells(np.array([0.5, 0.5 + 1e-10]), np.array([0, 0])).sd == 0.0


def test_a_small_pool_is_stretched_to_the_floor_and_a_large_one_is_left_alone() -> None:
    pool = pool_cells(np.array([0.4, 0.6, 0.41, 0.59]), np.array([0, 0, 1, 1]))
    assert pool.at_least(0.01) is pool
    stretched = pool.at_least(0.5)
    assert stretched.sd == 0.5
    assert math.sqrt(stretched.variance) == pytest.approx(0.5)
    assert stretched.deviations / pool.deviations == pytest.approx(
        stretched.deviations[0] / pool.deviations[0]
    )
    assert stretched.mean_sd == pool.mean_sd


def test_a_pool_without_spread_becomes_a_rounding_error() -> None:
    pool = pool_cells(np.full(6, 0.3), np.repeat([0, 1], 3)).at_least(0.01 / math.sqrt(12))
    assert math.sqrt(pool.variance) == pytest.approx(0.01 / math.sqrt(12))
    assert pool.extreme == pytest.approx(0.005, rel=0.02)
    assert pool.degrees_of_freedom == 4


@settings(derandomize=True, deadline=None, max_examples=60)
@given(
    st.lists(st.lists(st.floats(0, 1), min_size=2, max_size=8), min_size=1, max_size=8),
    st.floats(1e-6, 1.0),
)
def test_a_floor_never_shrinks_a_draw(cells: list[list[float]], floor: float) -> None:
    """Cells of unequal size: the SD weighs them by n - 1, the draws by n, so the two differ."""
    values = np.array([value for cell in cells for value in cell])
    pool = pool_cells(values, np.array([number for number, cell in enumerate(cells) for _ in cell]))
    lifted = pool.at_least(floor)
    assert pool.sd is not None
    assert lifted.sd == max(pool.sd, floor)
    assert lifted.variance >= pool.variance * (1 - 1e-9)
    if 0 < pool.sd < floor:
        assert lifted.deviations == pytest.approx(pool.deviations * (floor / pool.sd))
