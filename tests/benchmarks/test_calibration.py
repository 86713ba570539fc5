"""The method held against simulated worlds, in a size that tests afford; `benchmarks/` has the full table.

Bounds are the method's own, widened by three standard errors of these few runs.
"""

from math import sqrt

import pytest
from benchmarks.calibration import NULLS, REAL, Share, measure_discoveries, measure_null
from benchmarks.simulated_runs import Shape, World

NULL = {null.name: null for null in NULLS}
PER_RUN = 33
"""Visible pooled rows of a run."""


def at_most(share: Share, bound: float) -> bool:
    assert share.share is not None
    return share.share <= bound + 3 * sqrt(bound / share.tries)


def covers(share: Share, lowest: float, highest: float) -> bool:
    """Controls apart, rows of a run share their anchors: its rows count as if they were a fifth as many."""
    assert share.share is not None
    slack = 3 * sqrt(0.05 * 0.95 / (share.tries / 5))
    return lowest - slack <= share.share <= highest + slack


@pytest.mark.parametrize("bases", [3, 6])
def test_with_few_bases_no_null_swap_is_worse_or_better_and_intervals_hold(bases: int) -> None:
    row = measure_null(Shape(bases), NULL["base × swap × scenario 0.02"].world, range(1, 16), 1)
    assert row.claimed[0].tries == 15 * PER_RUN
    assert [share.happened for share in row.claimed] == [0, 0]
    assert covers(row.covered_noise[0], 0.93, 0.97)
    assert covers(row.covered_noise[1], 0.93, 0.97)
    assert covers(row.covered_people[0], 0.93, 0.97)
    assert covers(row.covered_people[1], 0.93, 0.97)
    assert covers(row.covered_general, 0.93, 0.995)


def test_effects_of_scenarios_are_not_taken_for_effects_in_general() -> None:
    """They are there on these cases, so that claims (a) and (b) hold; only the general interval says no."""
    row = measure_null(Shape(16), NULL["swap × scenario 0.05"].world, range(1, 9), 1)
    assert at_most(row.claimed[0], 0.012)
    assert covers(row.covered_general, 0.93, 0.995)


def test_with_pools_of_eight_small_p_values_are_no_more_frequent_than_they_say() -> None:
    row = measure_null(Shape(2, anchor_replicates=3), World(), range(1, 17), 1)
    assert row.below_05[0].tries == 16 * PER_RUN
    for family in (0, 1):
        assert at_most(row.below_05[family], 0.06)
        assert at_most(row.below_1e4[family], 0.001)


def test_power_at_the_smallest_detectable_effects_is_four_in_five() -> None:
    row = measure_null(Shape(6), World(), range(1, 16), 1)
    for share in (row.power_noise[0], row.power_people):
        assert share.share is not None
        slack = 3 * sqrt(0.8 * 0.2 / (share.tries / 5))
        assert 0.75 - slack <= share.share <= 0.85 + slack
    assert row.power_people_adjusted.tries == 0, "no lone discovery is possible with 6 bases"


def test_false_discoveries_among_worse_and_better_stay_below_five_percent() -> None:
    shape = Shape(16, questions=(1,) * 8)
    families = measure_discoveries(shape, World(base_swap=0.01, real=REAL), range(1, 21), 1)
    for found in families:
        assert len(found.proportions) == 20
        assert found.mean <= 0.05 + 3 * max(found.standard_error, 0.05 / sqrt(20))
        assert found.power.share is not None
        assert found.power.share > 0.9, "the real swaps are found"
