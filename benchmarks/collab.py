"""Does `collab` call nothing significant that is not there, and as much of what is there as it says?

    python benchmarks/collab.py [--benches 2000] [--seed 7]

Each bench draws matched episodes of two arms on three levels and goes through the very function that makes
the rows of a report. True nulls: the chance of any significant level, computed exactly, must not exceed 5%.
Planted differences: the power of a level is computed exactly too. Holm's procedure rejects a level if, and
only if, of every set of levels that it is in, the smallest p is below alpha over the size of the set; and
levels are independent. The share of simulated benches must lie within 3 standard errors of either figure.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr
from scipy.stats import binom

from jevbias.collab.episode import EpisodeLog
from jevbias.collab.paired_rows import paired_rows
from jevbias.report.collab import PairedRow
from jevbias.stats.paired_power import mcnemar_power

ALPHA = 0.05
LEVELS = ("easy", "middle", "hard")
ARMS = ("first", "second")
ERRORS = 3.0


@dataclass(frozen=True)
class Truth:
    """What is true of one level: how probably both arms succeed, just the first, just the second."""

    both: float
    first: float
    second: float

    @property
    def is_null(self) -> bool:
        """Whether the arms succeed equally often."""
        return self.first == self.second

    def p_below(self, episodes: int, level: float) -> float:
        """The probability that the test's p is below `level`, on so many episodes."""
        return mcnemar_power(episodes, self.first, self.second, level)


@dataclass(frozen=True)
class Case:
    """A bench to draw again and again."""

    name: str
    episodes: int
    truths: tuple[Truth, Truth, Truth]


def independent(first: float, second: float) -> Truth:
    """Arms that succeed independently of each other, at these rates."""
    return Truth(first * second, first * (1 - second), (1 - first) * second)


NULLS = (
    *(
        Case(f"equal rates of {rate:g}, independent", episodes, (independent(rate, rate),) * 3)
        for rate in (0.05, 0.3, 0.5, 0.8)
        for episodes in (10, 30, 100)
    ),
    Case("equal rates, mostly the same episodes", 30, (Truth(0.45, 0.05, 0.05),) * 3),
    Case("equal rates, never the same episode", 30, (Truth(0.0, 0.5, 0.5),) * 3),
    Case(
        "easy, middling and hard", 50, (independent(0.9, 0.9), independent(0.5, 0.5), independent(0.1, 0.1))
    ),
)
PLANTED = (
    Case(
        "one level of three differs",
        30,
        (Truth(0.3, 0.05, 0.4), independent(0.5, 0.5), independent(0.2, 0.2)),
    ),
    Case(
        "one level differs, few episodes",
        12,
        (Truth(0.1, 0.0, 0.8), independent(0.5, 0.5), Truth(0.5, 0.1, 0.1)),
    ),
    Case("all differ", 40, (Truth(0.4, 0.05, 0.3), Truth(0.2, 0.1, 0.4), Truth(0.1, 0.02, 0.25))),
    Case(
        "one level, the other way round",
        60,
        (Truth(0.3, 0.3, 0.1), independent(0.9, 0.9), independent(0.1, 0.1)),
    ),
    Case("opposite differences", 50, (Truth(0.2, 0.4, 0.1), Truth(0.2, 0.1, 0.4), independent(0.5, 0.5))),
)


def holm_power(case: Case, level: int) -> float:
    """The exact power of one level of three after Holm."""
    target, (one, other) = case.truths[level], [t for at, t in enumerate(case.truths) if at != level]
    third, half, whole = (
        [truth.p_below(case.episodes, ALPHA / size) for truth in (target, one, other)] for size in (3, 2, 1)
    )
    any_third = 1 - (1 - third[1]) * (1 - third[2])
    both_half = half[1] * half[2] - (half[1] - third[1]) * (half[2] - third[2])
    return third[0] + (half[0] - third[0]) * any_third + (whole[0] - half[0]) * both_half


def drawn(case: Case, random: np.random.Generator) -> list[PairedRow]:
    """The rows of one bench."""
    grouped: dict[tuple[str, str], list[EpisodeLog]] = {}
    for level, truth in zip(LEVELS, case.truths, strict=True):
        shares = [truth.both, truth.first, truth.second, 1 - truth.both - truth.first - truth.second]
        kinds = random.choice(4, size=case.episodes, p=np.clip(shares, 0, 1))
        for arm, wins in zip(ARMS, ((0, 1), (0, 2)), strict=True):
            grouped[(arm, level)] = [
                EpisodeLog(arm, level, number, "success" if kind in wins else "failure", None, 1)
                for number, kind in enumerate(kinds.tolist())
            ]
    return paired_rows(grouped, ARMS, LEVELS, dict.fromkeys(ARMS, "a simulation"), ALPHA)


def significant(case: Case, benches: int, seed: int) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
    """Which levels came out, of each bench."""
    random = np.random.default_rng(seed)
    return np.array([[row.significant for row in drawn(case, random)] for _ in range(benches)])


def check(benches: int, seed: int) -> Iterator[tuple[str, bool]]:
    """Each line of the table, and whether it is as it must be."""
    for place, case in enumerate(NULLS):
        share, chance = (
            float(significant(case, benches, seed + place).any(axis=1).mean()),
            any_rejection(case),
        )
        yield (
            f"null     {case.name}, {case.episodes} episodes, any level: {_beside(share, chance, benches)}",
            chance <= ALPHA and _agrees(share, chance, benches),
        )
    for place, case in enumerate(PLANTED, start=1000):
        came_out = significant(case, benches, seed + place)
        for level, truth in enumerate(case.truths):
            if truth.is_null:
                continue
            power, share = holm_power(case, level), float(came_out[:, level].mean())
            figures = _beside(share, power, benches)
            yield (
                f"planted  {case.name}, {case.episodes} episodes, {LEVELS[level]}: {figures}",
                _agrees(share, power, benches),
            )


def any_rejection(case: Case) -> float:
    """The exact chance of any significant level: that the smallest p is below alpha over three."""
    return 1 - math.prod(1 - truth.p_below(case.episodes, ALPHA / 3) for truth in case.truths)


def _agrees(share: float, exact: float, benches: int) -> bool:
    """Within 3 standard errors, or, for shares so near an end that no normal curve fits, what has the same
    chance among binomial counts.
    """
    low, high = (float(binom.ppf(float(ndtr(end)), benches, exact)) / benches for end in (-ERRORS, ERRORS))
    within = abs(share - exact) <= ERRORS * _error(exact, benches)
    return bool(within or low <= share <= high)


def _error(share: float, benches: int) -> float:
    return math.sqrt(share * (1 - share) / benches)


def _beside(share: float, exact: float, benches: int) -> str:
    error = _error(exact, benches)
    off = f"{(share - exact) / error:+.1f}" if error else "0.0"
    return f"{share:.2%} of benches, exactly {exact:.2%}, {off} standard errors"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; exit code 1 where a line is not as it must be."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--benches", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=7)
    given = parser.parse_args(arguments)
    failed = 0
    for line, passed in check(given.benches, given.seed):
        failed += not passed
        sys.stdout.write(f"{'ok  ' if passed else 'FAIL'} {line}\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
