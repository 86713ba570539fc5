"""Near-orthogonal arrays: people laid out so that no two attributes arrive correlated by accident."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from jevbias.people.annealing import anneal
from jevbias.people.keyed import keyed_shuffle
from jevbias.people.keyed_words import keyed_order
from jevbias.people.layout_quality import LayoutQuality, layout_quality
from jevbias.people.pair_counts import Whole

__all__ = ["LayoutQuality", "balanced_shuffle", "extend_array", "layout_quality", "near_orthogonal_array"]


def near_orthogonal_array(level_counts: Sequence[int], people: int, seed: int) -> Whole:
    """Levels, numbered from 0, of `people` people: shape (people, attributes).

    Every column is balanced (counts of its levels differ by at most 1; the seed decides which levels get the
    extra people), and every pair of columns is as close to fully crossed as the search finds. The criterion
    is the sum over pairs of columns, of a and b levels, of (a * b) ** 1.5 times the squared departures of the
    joint counts from crossed: the deviation from orthogonality of Xu and Wu (2001), "Generalized minimum
    aberration for asymmetrical fractional factorial designs", which has (a * b), with more weight on pairs
    of many cells, as an empty cell is likeliest there. It is computed from what pairs of people have in
    common, as by Xu (2002), "An algorithm for constructing orthogonal and nearly-orthogonal arrays with
    mixed levels and small runs".

    The same arguments give the same array on every platform. Time is bounded whatever the size; the more
    people, the shorter the search for each of them.
    """
    columns = balanced_shuffle(level_counts, people, seed).T
    return anneal(columns, level_counts, range(len(level_counts)), seed).T.copy()


def balanced_shuffle(level_counts: Sequence[int], people: int, seed: int) -> Whole:
    """Balanced columns shuffled independently of each other: where the search starts; same shape."""
    array = np.empty((people, len(level_counts)), np.int32)
    for column, levels in enumerate(level_counts):
        numbers = np.array(keyed_shuffle(range(levels), seed, "array", "levels", column), np.int32)
        array[:, column] = numbers[keyed_order(people, seed, "array", "people", column) % levels]
    return array


def extend_array(array: Whole, added: Whole, level_counts: Sequence[int], seed: int) -> Whole:
    """The array with the columns of `added`, shape (people, columns), beside its own: their levels are handed
    round among people until they are near-orthogonal to the array, which stays as it is, and to each other.
    `level_counts` has all columns.
    """
    people, existing = array.shape
    columns = np.concatenate([array, added], axis=1).T.astype(np.int32)
    for number in range(existing, len(columns)):
        columns[number] = columns[number][keyed_order(people, seed, "array", "added", number)]
    return anneal(columns, level_counts, range(existing, len(columns)), seed).T.copy()
