"""People's levels in every column of a layout, and how many people share each two of them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from math import isqrt
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Whole: TypeAlias = NDArray[np.int32]


class PairCounts:
    """A layout under change: `columns` has shape (columns, people), with levels numbered from 0.

    Sharing a level of a column has a weight, 4 * levels ** 1.5 in whole numbers, so that columns of many
    levels, whose pairs have few people a cell, count most. What two people share is the sum of these
    weights; the imbalance of a layout shows in the squares of what its people share.
    """

    def __init__(self, columns: Whole, level_counts: Sequence[int]) -> None:
        self.level_counts = list(level_counts)
        self.weights = [isqrt(16 * levels**3) for levels in level_counts]
        ends = list(accumulate(level_counts))
        self.starts = [0, *ends[:-1]]
        self.codes: Whole = columns + np.array(self.starts, np.int32)[:, None]
        """(columns, people): levels, numbered through over all columns."""
        self._weight_of = np.repeat(np.array(self.weights, np.int32), self.level_counts)
        self._counts = np.zeros((ends[-1], ends[-1]), np.int32)
        """(levels, levels): people who have both, times the weight of the second level's column."""
        for own in self.codes:
            np.add.at(self._counts, (own, self.codes), self._weight_of[self.codes])

    @property
    def columns(self) -> Whole:
        """The layout as it is now: (columns, people), levels numbered from 0."""
        return self.codes - np.array(self.starts, np.int32)[:, None]

    def shared(self, column: int, people: NDArray[np.intp]) -> Whole:
        """(levels of the column, people): what each person shares, in the other columns, with all others who
        have that level.
        """
        start, end = self.starts[column], self.starts[column] + self.level_counts[column]
        codes = self.codes[:, people]
        counts = np.ascontiguousarray(self._counts[start:end].T)
        counts[start:end] = 0
        shared: Whole = np.ascontiguousarray(counts.take(codes, axis=0).sum(axis=0, dtype=np.int32).T)
        with_oneself = np.int32(sum(self.weights) - self.weights[column])
        shared[codes[column] - start, np.arange(len(people))] -= with_oneself
        return shared

    def swap_costs(self, column: int, person: int, partners: NDArray[np.intp]) -> Whole:
        """(partners,): half of what swapping the person's level of the column with each partner's adds to the
        imbalance, per weight of the column; 0 where they have the same.
        """
        everyone = np.append(partners, person)
        shared = self.shared(column, everyone)
        codes = self.codes[:, everyone]
        same = codes[:, :-1] == codes[:, -1:]
        together = (same * np.array(self.weights, np.int32)[:, None]).sum(axis=0, dtype=np.int32)
        levels = codes[column] - self.starts[column]
        stay = shared[levels, np.arange(len(everyone))]
        costs: Whole = shared[levels[:-1], -1] + shared[levels[-1], :-1] - stay[:-1] - stay[-1] - 2 * together
        costs[same[column]] = 0
        return costs

    def move(self, column: int, people: NDArray[np.intp], levels: Whole) -> None:
        """Give these people these levels of the column."""
        codes, weight = self.codes[:, people], np.int32(self.weights[column])
        before, after = codes[column], levels + np.int32(self.starts[column])
        rest = codes[np.arange(len(codes)) != column]
        np.subtract.at(self._counts, (before, rest), self._weight_of[rest])
        np.add.at(self._counts, (after, rest), self._weight_of[rest])
        np.subtract.at(self._counts, (rest, before), weight)
        np.add.at(self._counts, (rest, after), weight)
        self.codes[column, people] = after
