"""The three figures of a layout, against their definitions."""

from __future__ import annotations

from itertools import combinations, product
from math import sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jevbias.people.array import LayoutQuality, layout_quality


def by_definition(rows: list[list[int]], level_counts: list[int]) -> LayoutQuality:
    imbalance, worst, empty = 0.0, 0.0, 0
    for one, other in combinations(range(len(level_counts)), 2):
        expected = len(rows) / (level_counts[one] * level_counts[other])
        errors = [
            sum(row[one] == a and row[other] == b for row in rows) - expected
            for a, b in product(range(level_counts[one]), range(level_counts[other]))
        ]
        imbalance += sum(error**2 for error in errors)
        worst = max(worst, sqrt(sum(error**2 for error in errors) / len(errors)) / expected)
        empty += sum(error == -expected for error in errors)
    return LayoutQuality(imbalance, worst, empty)


@settings(derandomize=True, deadline=None, max_examples=60)
@given(st.data())
def test_figures_are_those_of_the_definition(data: st.DataObject) -> None:
    level_counts = data.draw(st.lists(st.integers(1, 5), min_size=1, max_size=4))
    row = st.tuples(*(st.integers(0, count - 1) for count in level_counts)).map(list)
    rows = data.draw(st.lists(row, min_size=1, max_size=12))
    measured, expected = layout_quality(np.array(rows), level_counts), by_definition(rows, level_counts)
    assert measured.imbalance == pytest.approx(expected.imbalance)
    assert measured.worst_pair == pytest.approx(expected.worst_pair)
    assert measured.empty_pairs == expected.empty_pairs


def test_a_full_factorial_is_perfect() -> None:
    rows = np.array(list(product(range(3), range(2), range(4))))
    assert layout_quality(rows, [3, 2, 4]) == LayoutQuality(0.0, 0.0, 0)
