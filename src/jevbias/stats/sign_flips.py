"""Sign flips: would a mean difference hold for other units of the same kind?

If a swap does nothing to people in general, the contribution of each unit (a base) is as likely positive as
negative. Flipping the signs of whole units gives the distribution of their sum under that null, without
assuming a shape; a matrix of signs serves all rows at once, which keeps their dependence for max-T.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jevbias.stats.arrays import BoolArray, FloatArray, IntArray
from jevbias.stats.ties import TIE

RealArray = NDArray[np.floating[Any]]

MOST_EXACT_UNITS = 16
RANDOM_PATTERNS = 100_000
_ROWS_AT_ONCE = 256
_LAST_UNITS = 7
_PATTERNS_AT_ONCE = 255
_PATTERNS_PER_PRODUCT = 8 * _PATTERNS_AT_ONCE
_SINGLE_TIE = 1e-6
"""Ties between standardised sums in single precision; counting them as ties is the cautious side."""


@dataclass(frozen=True, eq=False)
class FlipPatterns:
    """Signs (patterns, units), +1 or -1. `exact`: every pattern up to the sign of the whole, once."""

    signs: NDArray[np.float32]
    exact: bool


def flip_patterns(units: int, random_bytes: bytes | None = None) -> FlipPatterns:
    """All 2^(units - 1) patterns that keep the first sign, for up to 16 units; else 100,000 random ones.

    A pattern and its mirror image have the same |sum|, so half of them stand for all. `random_bytes` decides
    the random patterns, one bit a sign: at least `random_bytes_needed(units)` of them.
    """
    if units <= MOST_EXACT_UNITS:
        count = 1 << max(units - 1, 0)
        flipped = (np.arange(count)[:, None] >> np.arange(units)[None, ::-1]) & 1
        return FlipPatterns((1 - 2 * flipped).astype(np.float32), exact=True)
    needed = random_bytes_needed(units)
    if random_bytes is None or len(random_bytes) < needed:
        raise ValueError(f"{units} units need {needed} random bytes")
    raw = np.frombuffer(random_bytes[:needed], dtype=np.uint8).reshape(RANDOM_PATTERNS, -1)
    bits = np.unpackbits(raw, axis=1)[:, :units]
    return FlipPatterns(1 - 2 * bits.astype(np.float32), exact=False)


def smallest_p(units: int) -> float:
    """The smallest two-sided p that sign flips of this many units (>= 1) can mean: 2 / 2^units, and never
    below what the random patterns can tell.
    """
    floor = 2.0 ** (1 - units)
    return floor if units <= MOST_EXACT_UNITS else max(floor, 1.0 / (1 + RANDOM_PATTERNS))


def smallest_one_sided_p(units: int) -> float:
    """The smallest p that `one_sided_p` gives so many units (>= 1)."""
    return 2.0**-units if units <= MOST_EXACT_UNITS else 1.0 / (1 + RANDOM_PATTERNS)


def random_bytes_needed(units: int) -> int:
    """How many random bytes `flip_patterns` takes; 0 where it enumerates."""
    return 0 if units <= MOST_EXACT_UNITS else RANDOM_PATTERNS * -(-units // 8)


@dataclass(frozen=True, eq=False)
class FlipTests:
    """Columns over rows: the two-sided `p` of each, and `p_max_t`, adjusted over the rows marked as family.

    NaN for rows without a contribution, and for `p_max_t` outside the family.
    """

    p: FloatArray
    p_max_t: FloatArray


def sign_flip_tests(contributions: FloatArray, patterns: FlipPatterns, family: BoolArray) -> FlipTests:
    """Test every row of `contributions` (rows, units; 0 where a unit has none, NaN rows untested).

    The statistic is the sum of a row's contributions divided by the root of the sum of their squares, which
    no flip changes, so that rows of different spread compete on equal terms in the maximum. p is
    c / N over all patterns, (1 + c) / (1 + N) over random ones, c counting |sums| that are not smaller.
    Fisher (1935), "The design of experiments"; Westfall and Young (1993), "Resampling-based multiple
    testing", single-step max-T.
    """
    rows = len(contributions)
    p, p_max_t = np.full(rows, np.nan), np.full(rows, np.nan)
    tested = np.flatnonzero(~np.isnan(contributions).any(axis=1))
    values = contributions[tested]
    length = np.sqrt(np.square(values).sum(axis=1))
    moving = length > TIE
    scaled = np.divide(values, length[:, None], out=np.zeros_like(values), where=moving[:, None])
    tie = TIE / np.where(moving, length, 1.0) if patterns.exact else _SINGLE_TIE
    threshold = np.abs(scaled.sum(axis=1)) - tie
    in_family = family[tested] & moving
    count, largest = _flip(scaled, threshold, in_family, patterns)
    extra = 0 if patterns.exact else 1
    total = len(patterns.signs) + extra
    p[tested] = (count + extra) / total
    reached = largest.size - np.searchsorted(np.sort(largest), threshold[in_family], side="left")
    p_max_t[tested[in_family]] = (reached + extra) / total
    p_max_t[tested[family[tested] & ~moving]] = 1.0
    return FlipTests(p, p_max_t)


def _flip(
    values: FloatArray, threshold: FloatArray, family: BoolArray, patterns: FlipPatterns
) -> tuple[IntArray, FloatArray]:
    """Per row, how many patterns have a |sum| at or above the row's threshold; per pattern, the largest |sum|
    of the family.
    """
    kind: type[np.floating[Any]] = np.float64 if patterns.exact else np.float32
    columns, limits = values.T.astype(kind), threshold.astype(kind)
    count = np.zeros(len(values), dtype=np.int64)
    largest = np.zeros(len(patterns.signs), dtype=kind)
    for row in range(0, len(values), _ROWS_AT_ONCE):
        rows = slice(row, row + _ROWS_AT_ONCE)
        block, limit, members = np.ascontiguousarray(columns[:, rows]), limits[rows], family[rows]
        whole = bool(members.all())
        for start, sums in _sums(block, patterns):
            np.abs(sums, out=sums)
            count[rows] += (sums >= limit).view(np.uint8).sum(axis=0, dtype=np.uint8)
            if whole or members.any():
                best = (sums if whole else sums[:, members]).max(axis=1)
                chunk = largest[start : start + len(sums)]
                np.maximum(chunk, best, out=chunk)
    return count, largest.astype(np.float64)


def _sums(block: RealArray, patterns: FlipPatterns) -> Iterator[tuple[int, RealArray]]:
    """The sums of every pattern over the columns of `block` (units, rows), some patterns at a time: the place
    of the first, and an array (patterns, rows) that the caller may overwrite.

    Never more than 255 patterns, so that a byte can count them. Where all patterns are there, the sums of the
    first units and those of the last are added up instead of multiplying every pattern out.
    """
    signs = patterns.signs
    if not patterns.exact:
        for start in range(0, len(signs), _PATTERNS_PER_PRODUCT):
            product = signs[start : start + _PATTERNS_PER_PRODUCT] @ block
            for first in range(0, len(product), _PATTERNS_AT_ONCE):
                yield start + first, product[first : first + _PATTERNS_AT_ONCE]
        return
    last = min(max(len(block) - 1, 0), _LAST_UNITS)
    first, size = len(block) - last, 1 << last
    ends = signs[:size, first:].astype(np.float64) @ block[first:]
    beginnings = signs[::size, :first].astype(np.float64) @ block[:first]
    sums = np.empty_like(ends)
    for place, beginning in enumerate(beginnings):
        yield place * size, np.add(ends, beginning, out=sums)


def one_sided_p(contributions: FloatArray, patterns: FlipPatterns) -> FloatArray:
    """P(sum >= observed) for every row of `contributions` (rows, units); NaN rows give NaN.

    Exact patterns stand for their mirror images too, which count where minus their sum is not smaller.
    """
    observed = contributions.sum(axis=1)
    signs = patterns.signs.astype(np.float64)
    count = np.zeros(len(contributions), dtype=np.int64)
    for start in range(0, len(signs), _PATTERNS_AT_ONCE):
        sums = signs[start : start + _PATTERNS_AT_ONCE] @ np.nan_to_num(contributions).T
        count += (sums >= observed - TIE).sum(axis=0)
        if patterns.exact:
            count += (-sums >= observed - TIE).sum(axis=0)
    total = 2 * len(signs) if patterns.exact else len(signs) + 1
    p = (count + (0 if patterns.exact else 1)) / total
    return np.where(np.isnan(observed), np.nan, p)
