"""Permutation tests of a difference between two groups, for many outcomes at once.

If a label does nothing, it might as well have been dealt the other way: shuffling the labels among the
people of both groups gives the distribution of the difference of means, whatever the shape of the outcomes.
Fisher (1935), "The design of experiments"; Phipson and Smyth (2010), "Permutation p-values should never be
zero".
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from jevbias.stats.arrays import BoolArray, FloatArray, IntArray
from jevbias.stats.patterns import missing_patterns
from jevbias.stats.ties import TIE

FloatArray32 = NDArray[np.float32]

SHUFFLES = 20_000
MOST_SHUFFLES = 200_000
FEW_REACHED = 10
"""A difference that fewer of the first shuffles reach is tested with the most shuffles."""
_CHUNK, _WIDEST = 1 << 20, 4000


def permutation_p(values: FloatArray, first: BoolArray, key: int) -> FloatArray:
    """Two-sided p of the difference of means, per outcome; shape (outcomes,), NaN where a group is empty.

    `values` is (people, outcomes), NaN for what is missing; `first` (people,) marks one of the two groups.
    Labels are shuffled among the people who have the outcome. All arrangements are counted where there are
    at most 20,000 of them, p = c / N; else p = (1 + c) / (1 + N) over 20,000 random ones, and over 200,000
    where fewer than 10 of the first reach the observed size. As c is never too small after the larger
    number and the smaller number only ends where c is large, p keeps its level (Besag and Clifford, 1991,
    "Sequential Monte Carlo p-values").

    `key` (below 2**128) decides the shuffles: p depends on it, on the outcome and on how many people there
    are, never on the other outcomes.
    """
    p = np.full(values.shape[1], np.nan)
    draws = _Draws(values.shape[0], key)
    for pattern in missing_patterns(values):
        marked = first[pattern.rows]
        if 0 < marked.sum() < marked.size:
            p[pattern.columns] = _p(values[np.ix_(pattern.rows, pattern.columns)], marked, draws)
    return p


def _p(values: FloatArray, marked: BoolArray, draws: _Draws) -> FloatArray:
    people = marked.size
    if 2 * marked.sum() > people:
        marked = ~marked
    size = int(marked.sum())
    # With the mean taken out, a difference is the smaller group's sum times a constant.
    centred = np.ascontiguousarray((values - values.mean(axis=0)).T)
    threshold = np.abs(centred @ marked) - TIE * size * (people - size) / people
    if comb(people, size) <= SHUFFLES:
        arrangements = _every_arrangement(people, size)
        return np.asarray(_reached(centred, threshold, arrangements) / arrangements.shape[1])
    count = _count(centred, threshold, _shuffled(people, size, draws, 0, SHUFFLES))
    p = (1 + count) / (1 + SHUFFLES)
    few = np.flatnonzero(count < FEW_REACHED)
    if few.size:
        more = _shuffled(people, size, draws, SHUFFLES, MOST_SHUFFLES)
        p[few] = (1 + count[few] + _count(centred[few], threshold[few], more)) / (1 + MOST_SHUFFLES)
    return np.asarray(p)


class _Draws:
    """Uniform draws for every person and shuffle, in blocks of shuffles; the first of them are kept."""

    def __init__(self, people: int, key: int) -> None:
        self._people, self._key = people, key
        self.width = max(min(_CHUNK // max(people, 1), _WIDEST), 1)
        self._kept: dict[int, FloatArray32] = {}

    def block(self, start: int, width: int, people: int) -> FloatArray32:
        """Draws (people, width) for the shuffles from `start` on."""
        if start not in self._kept:
            bits = np.random.Philox(key=self._key, counter=start << 64)
            drawn = np.random.Generator(bits).random((self._people, width), dtype=np.float32)
            if start >= SHUFFLES:
                return drawn[:people]
            self._kept[start] = drawn
        return self._kept[start][:people]


def _count(centred: FloatArray, threshold: FloatArray, shuffles: Iterator[FloatArray]) -> IntArray:
    count = np.zeros(threshold.size, dtype=np.int64)
    for members in shuffles:
        count += _reached(centred, threshold, members)
    return count


def _reached(centred: FloatArray, threshold: FloatArray, members: FloatArray) -> IntArray:
    return np.asarray((np.abs(centred @ members) >= threshold[:, None]).sum(axis=1))


def _every_arrangement(people: int, size: int) -> FloatArray:
    """Membership (people, arrangements) of the smaller group, each arrangement once."""
    number = comb(people, size)
    chosen = np.fromiter(chain.from_iterable(combinations(range(people), size)), np.int64, number * size)
    members = np.zeros((people, number))
    members[chosen, np.repeat(np.arange(number), size)] = 1.0
    return members


def _shuffled(people: int, size: int, draws: _Draws, start: int, end: int) -> Iterator[FloatArray]:
    """Random membership (people, shuffles) of the smaller group, for the shuffles from `start` to `end`.

    Selection sampling over many shuffles at once: a person joins with probability (places left) / (people
    left). Knuth (1969), "Seminumerical algorithms", algorithm S.
    """
    for begin in range(start, end, draws.width):
        width = min(draws.width, end - begin)
        drawn = draws.block(begin, width, people)
        members = np.empty((people, width))
        places = np.full(width, size, dtype=np.float32)
        for person in range(people):
            joins = drawn[person] * np.float32(people - person) < places
            members[person] = joins
            places -= joins
        yield members
