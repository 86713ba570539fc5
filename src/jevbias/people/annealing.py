"""The search behind near-orthogonal arrays: annealing by swaps within a column, in whole numbers only.

The criterion of `array.py` is a sum over pairs of people: the weights of the columns in which the two share
a level, added up and squared. Within one column it is therefore linear in who shares a level with whom, and
what each of all possible swaps would change follows from one matrix.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from jevbias.people.keyed import keyed_shuffle
from jevbias.people.keyed_words import keyed_order, keyed_words
from jevbias.people.pair_counts import PairCounts, Whole

_BLOCK = 256
"""So many people at most are compared with each other at a time."""
_SWEEPS = 100
_WORK = 150_000_000
"""Bound of the search: pairs of people compared, over all sweeps and columns."""
_WARMEST, _COOLEST = 30, 4
"""Tenths of the columns' mean weight that a swap may cost in the first sweep, and in the last warm one."""
_COLD_SWEEPS = 2
_NEVER = 1 << 28


def anneal(columns: Whole, level_counts: Sequence[int], free: Sequence[int], seed: int) -> Whole:
    """The columns (shape (attributes, people)) with the levels of the `free` ones swapped between people
    until every pair of columns is close to fully crossed; how often a level occurs never changes.
    """
    people = columns.shape[1]
    if people < 2 or len(level_counts) < 2 or not free:
        return columns.copy()
    layout = PairCounts(columns, level_counts)
    blocks = -(-people // _BLOCK)
    block_size = -(-people // blocks)
    visits = max(1, _WORK // (block_size**2 * len(free)))
    sweeps = min(_SWEEPS, max(1, visits // blocks))
    block = None
    for sweep in range(sweeps):
        rows = np.arange(people)
        if blocks > 1:
            rows = keyed_order(people, seed, "array", "blocks", sweep)
        for number in range(min(blocks, visits)):
            if block is None or blocks > 1:
                block = _Block(layout, np.sort(rows[number::blocks]))
            for column in keyed_shuffle(free, seed, "array", "columns", sweep, number):
                limit = _limit(sweep, sweeps, layout.weights, column)
                words = keyed_words(len(block.rows), seed, "array", "limits", sweep, number, column)
                block.improve(column, (words * (2 * limit + 1)) >> 32)
    return layout.columns


def _limit(sweep: int, sweeps: int, weights: Sequence[int], column: int) -> int:
    """What a swap in this column may cost at this point of the cooling, on average over people."""
    warm = sweeps - _COLD_SWEEPS
    if sweep >= warm:
        return 0
    tenths = _WARMEST - (_WARMEST - _COOLEST) * sweep // warm
    return tenths * sum(weights) ** 2 // (10 * len(weights) ** 2 * weights[column])


class _Block:
    """Some people of a layout, and what each two of them share."""

    def __init__(self, layout: PairCounts, rows: NDArray[np.intp]) -> None:
        self.layout, self.rows = layout, rows
        self.together = np.zeros((len(rows), len(rows)), np.int32)
        """(people, people): the weights of the columns in which two people share a level; diagonal 0."""
        for column in range(len(layout.weights)):
            self._count(column, 1)

    def improve(self, column: int, limits: NDArray[np.int64]) -> None:
        """Offer each person the best of all swaps of the column's levels within the block; it is made where
        it costs less than the person's limit.
        """
        self._count(column, -1)
        swaps = _Swaps(self.layout, self.rows, column, self.together)
        costs = swaps.costs()
        best = costs.argmin(axis=1)
        willing = np.flatnonzero(costs[np.arange(len(best)), best] < limits).tolist()
        if willing:
            swaps.make(willing[0], int(best[willing[0]]))
        for person in willing[1:]:
            current = swaps.costs_of(person)
            partner = int(current.argmin())
            if current[partner] < limits[person]:
                swaps.make(person, partner)
        swaps.settle()
        self._count(column, 1)

    def _count(self, column: int, sign: int) -> None:
        """Add the column to `together`, or take it away."""
        levels = self.layout.codes[column, self.rows] - self.layout.starts[column]
        weight = np.int32(sign * self.layout.weights[column])
        table = np.diag(np.full(self.layout.level_counts[column], weight))
        self.together += table.take(levels, axis=1).take(levels, axis=0)
        np.fill_diagonal(self.together, 0)


class _Swaps:
    """One column of a block, and what swapping two people's levels in it would cost: half of what it adds to
    the criterion, per weight of the column. `together` leaves this column out.
    """

    def __init__(self, layout: PairCounts, rows: NDArray[np.intp], column: int, together: Whole) -> None:
        self.layout, self.rows, self.column = layout, rows, column
        self.together, self.twice = together, together + together
        self.before = layout.codes[column, rows] - np.int32(layout.starts[column])
        self.levels = self.before.copy()
        self.own = self.levels * np.intp(len(rows)) + np.arange(len(rows))
        """(people,): where in `shared`, flat, each person's own level stands."""
        self.shared = layout.shared(column, rows)
        """(levels, people): what a person shares with the other people who have the level."""
        self.stay = self.shared.take(self.own)

    def costs(self) -> Whole:
        """(people, people): the cost of each swap; at least `_NEVER` within a level."""
        elsewhere = self.shared.copy()
        elsewhere.put(self.own, _NEVER)
        go = elsewhere.take(self.levels, axis=0)
        go -= self.stay
        costs: Whole = go + go.T
        costs -= self.twice
        return costs

    def costs_of(self, person: int) -> Whole:
        """(people,): the cost of each swap of one person, as in `costs`."""
        level = self.levels[person]
        elsewhere = self.shared[:, person].copy()
        elsewhere[level] = _NEVER
        costs: Whole = elsewhere.take(self.levels)
        costs += self.shared[level]
        costs -= self.stay
        costs -= self.twice[person]
        costs -= self.stay[person]
        return costs

    def make(self, person: int, partner: int) -> None:
        """Swap the levels of two people."""
        pair, level, others = [person, partner], self.levels[person], self.levels[partner]
        difference = self.together[person] - self.together[partner]
        self.shared[level] -= difference
        self.shared[others] += difference
        self.levels[pair] = others, level
        self.own[pair] = self.own[partner] + person - partner, self.own[person] + partner - person
        self.stay = self.shared.take(self.own)

    def settle(self) -> None:
        """Write the levels back to the layout."""
        moved = np.flatnonzero(self.levels != self.before)
        if len(moved):
            self.layout.move(self.column, self.rows[moved], self.levels[moved])
