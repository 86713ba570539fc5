"""What a swap costs, against the criterion counted anew."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from jevbias.people.pair_counts import PairCounts


def criterion(layout: PairCounts) -> int:
    """The sum over pairs of columns of both weights times the squared joint counts."""
    columns = layout.columns.astype(np.int64)
    return sum(
        layout.weights[one]
        * layout.weights[other]
        * int((np.bincount(columns[one] * layout.level_counts[other] + columns[other]) ** 2).sum())
        for one, other in combinations(range(len(columns)), 2)
    )


@st.composite
def layouts(draw: st.DrawFn) -> PairCounts:
    level_counts = draw(st.lists(st.integers(1, 5), min_size=1, max_size=4))
    people = draw(st.integers(2, 12))
    rows = [
        draw(st.lists(st.integers(0, levels - 1), min_size=people, max_size=people))
        for levels in level_counts
    ]
    return PairCounts(np.array(rows, np.int32), level_counts)


@settings(derandomize=True, deadline=None, max_examples=80)
@given(layouts(), st.data())
def test_the_cost_of_a_swap_is_what_it_adds_to_the_criterion(layout: PairCounts, data: st.DataObject) -> None:
    people = layout.codes.shape[1]
    column = data.draw(st.integers(0, len(layout.weights) - 1))
    person = data.draw(st.integers(0, people - 1))
    partners = np.delete(np.arange(people), person)
    costs = layout.swap_costs(column, person, partners)
    before = criterion(layout)
    for partner, cost in zip(partners.tolist(), costs.tolist(), strict=True):
        swapped = PairCounts(layout.columns, layout.level_counts)
        pair = np.array([person, partner])
        swapped.move(column, pair, layout.columns[column, pair[::-1]])
        assert criterion(swapped) - before == 2 * layout.weights[column] * cost


@settings(derandomize=True, deadline=None, max_examples=80)
@given(layouts(), st.data())
def test_moves_keep_the_counts_what_they_would_be_counted_anew(
    layout: PairCounts, data: st.DataObject
) -> None:
    people = layout.codes.shape[1]
    for _ in range(3):
        column = data.draw(st.integers(0, len(layout.weights) - 1))
        movers = np.array(data.draw(st.lists(st.integers(0, people - 1), min_size=1, unique=True)))
        levels = st.integers(0, layout.level_counts[column] - 1)
        given_levels = data.draw(st.lists(levels, min_size=len(movers), max_size=len(movers)))
        layout.move(column, movers, np.array(given_levels, np.int32))
    anew = PairCounts(layout.columns, layout.level_counts)
    for column in range(len(layout.weights)):
        everyone = np.arange(people)
        assert np.array_equal(layout.shared(column, everyone), anew.shared(column, everyone))
