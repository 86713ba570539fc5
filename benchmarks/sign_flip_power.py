"""Tabulate the smallest effects that sign flips find in four runs of five.

    .venv/bin/python benchmarks/sign_flip_power.py

writes `src/jevbias/stats/sign_flip_power.py` (about six minutes on one core).

Let x = effect + z, z standard normal, one per unit, and let m(A) be the mean of -z over a set A of units. A
pattern that flips A gives a sum at least as large as the observed one if m(A) >= effect. So the two-sided p,
a count over N patterns (the identity among them) divided by N, is at most k / N if the k-th largest m(A) is
below the effect: the sets A are all non-empty ones where patterns are enumerated, and random ones with their
complements, the worse of each two, where patterns are drawn. With F the distribution of that k-th largest
mean, the power is F(effect) + F(-effect).

The mean of z and the length of its deviations are independent of their direction, so F is averaged over
directions alone; the other two are integrated out.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import betaincinv, gammaln, ndtr, ndtri, roots_genlaguerre

from jevbias.stats.arrays import FloatArray
from jevbias.stats.sign_flips import MOST_EXACT_UNITS, RANDOM_PATTERNS, flip_patterns, random_bytes_needed

POWER = 0.8
SEED = 20260920
FILE = Path(__file__).parent.parent / "src" / "jevbias" / "stats" / "sign_flip_power.py"
EXACT_UNITS = range(3, MOST_EXACT_UNITS + 1)
RANDOM_UNITS = (*range(17, 25), 26, 29, 33, 40, 52, 75, 150)
EXACT_DIRECTIONS = {units: 30_000 if units <= 13 else 8_000 for units in EXACT_UNITS}
RANDOM_SETS, DIRECTIONS_PER_SET = 300, 12
NODES = 32
FARTHEST = 60.0
"""Effects beyond so many standard errors count as out of reach."""


def main() -> None:
    """Simulate, solve and write the module."""
    exact = {units: _exact_column(units) for units in EXACT_UNITS}
    drawn = {units: _random_column(units) for units in RANDOM_UNITS}
    limit = [_limit(step) for step in random_steps()]
    FILE.write_text(_module(exact, drawn, limit), encoding="utf-8")
    sys.stdout.write(f"wrote {FILE}\n")


def exact_steps(units: int = MOST_EXACT_UNITS) -> list[int]:
    """1, 2, 3, 4, 6, 8, 12 and so on, to three quarters of all patterns."""
    most = 3 << (units - 3)
    doubled = {factor << power for factor in (1, 3) for power in range(units)}
    return sorted(step for step in doubled if step <= most)


def random_steps() -> list[int]:
    """The same for random patterns, up to a level of three quarters."""
    last = RANDOM_PATTERNS * 3 // 4
    return [*(step for step in exact_steps(20) if step < last), last]


def _exact_column(units: int) -> list[float]:
    stream = np.random.default_rng([SEED, units])
    sets = ((np.arange(1, 1 << units)[:, None] >> np.arange(units)) & 1).astype(np.float32)
    averages = (sets / sets.sum(axis=1, keepdims=True)).T
    steps = exact_steps(units)
    chunk = max((1 << 24) // averages.shape[1], 1)
    found = []
    for start in range(0, EXACT_DIRECTIONS[units], chunk):
        number = min(chunk, EXACT_DIRECTIONS[units] - start)
        found.append(_kth_largest(_directions(stream, number, units) @ averages, steps))
    _say(units)
    kth = np.concatenate(found)
    shares = np.full(len(kth), 1.0 / len(kth))
    # The first step needs no simulation: all contributions are of one sign.
    alike = _solve(lambda effect: sum(float(ndtr(x / math.sqrt(units))) ** units for x in (effect, -effect)))
    return [alike, *(_solve(_power(column, shares, units)) for column in kth.T[1:])]


def _random_column(units: int) -> list[float]:
    stream = np.random.default_rng([SEED, units])
    steps = random_steps()
    found, trivial = [], []
    for _ in range(RANDOM_SETS):
        signs = flip_patterns(units, stream.bytes(random_bytes_needed(units))).signs
        sizes = (signs < 0).sum(axis=1)
        sums = 0.5 * (_directions(stream, DIRECTIONS_PER_SET, units) @ signs.T)
        whole = (sizes == 0) | (sizes == units)
        inside = np.where(whole, 1, sizes)
        largest = np.maximum(-sums / inside, sums / (units - inside))
        largest[:, whole] = np.inf
        found.append(_kth_largest(largest, steps))
        trivial += [int(whole.sum())] * DIRECTIONS_PER_SET
    _say(units)
    shares = _shares(np.array(trivial), 2.0 ** (1 - units))
    return [_solve(_power(column, shares, units)) for column in np.concatenate(found).T]


def _shares(trivial: NDArray[np.int64], probability: float) -> FloatArray:
    """What each set of random patterns counts for, so that the number of patterns that flip all or nothing
    has its binomial distribution: where few units are flipped, these decide how far the power can rise.
    """
    seen = np.bincount(trivial)
    counts = np.arange(seen.size)
    logs = counts * math.log(probability) + (RANDOM_PATTERNS - counts) * math.log1p(-probability)
    logs += gammaln(RANDOM_PATTERNS + 1) - gammaln(counts + 1) - gammaln(RANDOM_PATTERNS - counts + 1)
    weights = np.divide(np.exp(logs), seen, out=np.zeros(seen.size), where=seen > 0)[trivial]
    return np.asarray(weights / weights.sum(), dtype=np.float64)


def _directions(stream: np.random.Generator, number: int, units: int) -> NDArray[np.float32]:
    values = stream.standard_normal((number, units))
    values -= values.mean(axis=1, keepdims=True)
    values /= np.sqrt(np.square(values).sum(axis=1, keepdims=True))
    return values.astype(np.float32)


def _kth_largest(values: NDArray[np.float32], steps: list[int]) -> FloatArray:
    values = np.sort(values, axis=1)
    return values[:, values.shape[1] - np.array(steps)].astype(np.float64)


def _power(kth: FloatArray, shares: FloatArray, units: int) -> Callable[[float], float]:
    """Power as a function of the effect (in standard errors of the mean), for one column of k-th largest."""
    halves, weights = roots_genlaguerre(NODES, (units - 3) / 2)
    counted = weights > 1e-12 * weights.sum()
    lengths, weights = np.sqrt(2.0 * units * halves[counted]), weights[counted] / weights.sum()

    def share(effect: float) -> float:
        nodes = zip(lengths.tolist(), weights.tolist(), strict=True)
        return float(sum(weight * float(shares @ ndtr(effect - length * kth)) for length, weight in nodes))

    return lambda effect: share(effect) + share(-effect)


def _solve(power: Callable[[float], float]) -> float:
    """The effect at which the power is what is asked for; NaN where it stays below."""
    if power(FARTHEST) <= POWER:
        return math.nan
    return float(brentq(lambda effect: power(effect) - POWER, 0.0, FARTHEST, xtol=1e-4))


def _limit(step: int) -> float:
    """The column of infinitely many units: a normal test at a level that the random patterns draw."""
    shares = (np.arange(2_000) + 0.5) / 2_000
    levels = betaincinv(step, RANDOM_PATTERNS + 1 - step, shares)
    critical = -ndtri(levels / 2.0)
    return _solve(lambda effect: float((ndtr(effect - critical) + ndtr(-effect - critical)).mean()))


def _say(units: int) -> None:
    sys.stderr.write(f"{units} units done\n")


def _module(exact: dict[int, list[float]], drawn: dict[int, list[float]], limit: list[float]) -> str:
    first = "\n".join(_lines(exact_steps(), list(exact.values()), [str(units) for units in exact]))
    columns = [*drawn.values(), limit]
    second = "\n".join(_lines(random_steps(), columns, [*(str(units) for units in drawn), "inf"]))
    return _TEMPLATE.format(power=POWER, exact=first, random=second)


def _lines(steps: list[int], columns: list[list[float]], names: list[str]) -> Iterator[str]:
    yield " " * 5 + "".join(f"{name:>6}" for name in names)
    for row, step in enumerate(steps):
        cells = (column[row] if row < len(column) else math.nan for column in columns)
        yield f"{step:5d}" + "".join(f"{cell:6.3f}" if not cell >= 10 else f"{cell:6.2f}" for cell in cells)


_TEMPLATE = '''"""The smallest effects that sign flips find with a power of {power}, as a table.

Made by `benchmarks/sign_flip_power.py`; do not edit. Columns are numbers of units, rows the level in steps
of the smallest p: of 2 / 2^units where every pattern is counted, of 1 / 100,001 where patterns are drawn.
Entries are effects in standard errors of the mean of normal contributions, nan where no effect has that power
or the level is above three quarters.
"""

EXACT = """
{exact}
"""
RANDOM = """
{random}
"""
'''


if __name__ == "__main__":
    main()
