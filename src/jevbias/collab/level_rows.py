"""The rows of a report that stand for a level: can it say anything, and is it as hard as it is declared?"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scipy.special import stdtrit

from jevbias.collab.episode import EpisodeLog
from jevbias.report.collab import ArmRow, LevelFlag, LevelRow
from jevbias.stats.intervals import wilson

RANDOM = "random_policy"
EASY = 0.9
"""Where random actions succeed so often there is hardly anything to decide."""
FEWEST = 5
"""On fewer episodes of a level nothing is doubted."""
DOUBTED_WRONGLY = 0.025
"""The chance, over all pairs of levels, that a true order is put in doubt."""


@dataclass(frozen=True)
class _AtRandom:
    """The share of random games that succeed on each instance of a level."""

    level: str
    shares: tuple[float, ...]

    @property
    def mean(self) -> float | None:
        return math.fsum(self.shares) / len(self.shares) if self.shares else None

    @property
    def error(self) -> float | None:
        """The standard error of the mean over instances: games on one are no independent evidence."""
        mean, number = self.mean, len(self.shares)
        if mean is None or number < 2:
            return None
        return math.sqrt(math.fsum((share - mean) ** 2 for share in self.shares) / (number - 1) / number)

    @property
    def interval(self) -> tuple[float, float] | None:
        """Student's 95% interval of the mean."""
        mean, error, number = self.mean, self.error, len(self.shares)
        if mean is None:
            return None
        if (
            not error
        ):  # Instances that all agree say nothing of their spread: take the most that there may be.
            return wilson(mean * number, number)
        half = float(stdtrit(number - 1, 0.975)) * error
        return max(0.0, mean - half), min(1.0, mean + half)


def level_rows(
    levels: Sequence[str], arms: Sequence[ArmRow], random_logs: Mapping[str, Sequence[EpisodeLog]]
) -> list[LevelRow]:
    """One row for each level, in the order declared; `random_logs` are the random policy's episodes."""
    played = {level: [log for log in random_logs.get(level, ()) if log.rollouts] for level in levels}
    at_random = [
        _AtRandom(level, tuple(log.rollouts_won / log.rollouts for log in played[level])) for level in levels
    ]
    rows: list[LevelRow] = []
    for place, this in enumerate(at_random):
        optimal = [log.optimal for log in played[this.level] if log.optimal is not None]
        rows.append(
            LevelRow(
                id=f"levels/{this.level}",
                level=this.level,
                flag=_flag([row for row in arms if row.level == this.level and row.arm != RANDOM]),
                optimal_steps=math.fsum(optimal) / len(optimal) if optimal else None,
                random_share=this.mean,
                random_interval=this.interval,
                random_games=sum(log.rollouts for log in played[this.level]),
                doubt=_doubt(this, at_random[:place], math.comb(len(levels), 2)),
            )
        )
    return rows


def _flag(rows: Sequence[ArmRow]) -> LevelFlag | None:
    """Whether the arms with a model do all alike at an end of the scale; not where the episodes of one of
    them all broke off, as nothing is known of it.
    """
    played = [row for row in rows if row.episodes]
    if not played or any(row.broken and not row.episodes for row in rows):
        return None
    if all(row.successes == 0 for row in played):
        return "floor"
    return "ceiling" if all(row.successes == row.episodes for row in played) else None


def _doubt(this: _AtRandom, easier: Sequence[_AtRandom], pairs: int) -> str | None:
    """Against every level that is declared easier, the one with the greatest difference named."""
    mean = this.mean
    if mean is None or len(this.shares) < FEWEST:
        return None
    beaten = [other for other in easier if _does_better(this, other, DOUBTED_WRONGLY / pairs)]
    if beaten:
        least = min(beaten, key=lambda other: other.mean or 0.0)
        return (
            f"{this.level} is declared harder than {least.level}, and random actions do better on it "
            f"({mean:.0%} against {least.mean:.0%})."
        )
    if mean >= EASY:
        return f"Random actions succeed in {mean:.0%} of games: there is hardly anything to decide."
    return None


def _does_better(this: _AtRandom, other: _AtRandom, alpha: float) -> bool:
    """Whether random actions do better on this one: Welch's one-sided t-test over instances. Welch (1947),
    "The generalization of 'Student's' problem when several different population variances are involved".
    """
    if len(other.shares) < FEWEST or this.mean is None or other.mean is None:
        return False
    parts = [(each.error or 0.0) ** 2 for each in (this, other)]
    if not any(parts):
        mine, others = this.interval, other.interval
        return mine is not None and others is not None and mine[0] > others[1]
    freedom = sum(parts) ** 2 / sum(
        part**2 / (len(each.shares) - 1) for part, each in zip(parts, (this, other), strict=True)
    )
    return this.mean - other.mean > float(stdtrit(freedom, 1 - alpha)) * math.sqrt(sum(parts))
