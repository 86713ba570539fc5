"""What the exact McNemar test can show, computed exactly: its power, and the pairs that a difference needs.

The test is `paired_binary.mcnemar_exact` at p < alpha, with one condition more: no rejection on fewer than
FEWEST_DISCORDANT discordant pairs. Pairs are independent; `first` is the probability that just the first side
of a pair is marked, `second` that just the second is.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from scipy.special import bdtr, gammaln, xlogy

from jevbias.stats.arrays import FloatArray, IntArray

FEWEST_DISCORDANT = 5
"""On fewer pairs that differ nothing is called significant, whatever its p."""
MOST_PAIRS = 100_000
_STEADY = 40
"""The power of a discrete test goes up and down with the number of pairs: it has to hold for so many more."""


def least_p(discordant: int) -> float:
    """The smallest p that so many discordant pairs can give: all on one side."""
    return min(1.0, 2.0 * 0.5**discordant)


def discordant_needed(alpha: float) -> int:
    """The fewest discordant pairs on which p < alpha can come out, and no fewer than FEWEST_DISCORDANT."""
    needed = FEWEST_DISCORDANT
    while least_p(needed) >= alpha:
        needed += 1
    return needed


def rejection_limits(most: int, alpha: float) -> IntArray:
    """For 0 to `most` discordant pairs, the most of them that the smaller side may have for p < alpha under
    the rule; -1 where nothing can be rejected. Shape (most + 1,).
    """
    limits = np.full(most + 1, -1, dtype=np.int64)
    limit = -1
    for number in range(FEWEST_DISCORDANT, most + 1):
        # One more pair raises the limit by one at most.
        if 2.0 * float(bdtr(limit + 1.0, number, 0.5)) < alpha:
            limit += 1
        limits[number] = limit
    return limits


@lru_cache(maxsize=64)
def _kept_limits(most: int, alpha: float) -> IntArray:
    return rejection_limits(most, alpha)


def mcnemar_power(pairs: int, first: float, second: float, alpha: float = 0.05) -> float:
    """The probability that so many pairs come out significant, whichever side is ahead; on [0, 1].

    Summed over every number of discordant pairs and every split of them, so it is exact. Raises ValueError
    for probabilities that are none or add up to more than 1.
    """
    return _power(pairs, first, second, rejection_limits(pairs, alpha))


def pairs_needed(
    first: float, second: float, *, power: float = 0.8, alpha: float = 0.05, most: int = MOST_PAIRS
) -> int | None:
    """The fewest pairs with at least this power, which as many as 40 pairs more have too; None where `most`
    do not suffice.
    """
    if first == second:
        return None
    size = 64
    limits = _kept_limits(size + _STEADY, alpha)
    while _power(size, first, second, limits) < power:
        if size >= most:
            return None
        size = min(2 * size, most)
        limits = _kept_limits(size + _STEADY, alpha)
    low, high = 0, size
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _power(middle, first, second, limits) >= power else (middle, high)
    found = high
    # Bisection finds one crossing of a saw-tooth: step back to the first, then forward to where it holds.
    candidates = range(max(1, found - _STEADY), found + _STEADY + 1)
    enough = [_power(number, first, second, limits) >= power for number in candidates]
    for place, number in enumerate(candidates):
        if all(enough[place:]):
            return number if number <= most else None
    return None


def _power(pairs: int, first: float, second: float, limits: IntArray) -> float:
    differ = first + second
    if first < 0 or second < 0 or differ > 1 + 1e-12:
        raise ValueError("probabilities of discordance are from 0 to 1 and add up to 1 at most")
    if pairs == 0 or differ == 0:
        return 0.0
    numbers = _likely(pairs, min(differ, 1.0))
    occurs = _binomial(numbers, pairs, min(differ, 1.0))
    ahead = first / differ
    limit = limits[numbers]
    can = limit >= 0
    kept = np.where(can, limit, 0).astype(np.float64)
    rejects = np.zeros(len(numbers))
    rejects[can] = (bdtr(kept, numbers, ahead) + bdtr(kept, numbers, 1.0 - ahead))[can]
    return float(min(1.0, np.sum(occurs * rejects)))


def _likely(trials: int, share: float) -> IntArray:
    """The numbers of successes but those so far out that all of them together have a probability below 1e-15
    (Bernstein's inequality).
    """
    far = 12.0 + math.sqrt(12.0**2 + 72.0 * trials * share * (1.0 - share))
    low, high = math.floor(trials * share - far), math.ceil(trials * share + far)
    return np.arange(max(0, low), min(trials, high) + 1, dtype=np.int64)


def _binomial(successes: IntArray, trials: int, share: float) -> FloatArray:
    """The binomial probabilities of these numbers of successes."""
    others = trials - successes
    ways = gammaln(trials + 1.0) - gammaln(successes + 1.0) - gammaln(others + 1.0)
    density: FloatArray = np.exp(ways + xlogy(successes, share) + xlogy(others, 1.0 - share))
    return density
