"""The rows of a report that stand for a level: can it say anything, and is it as hard as it is declared?"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from scipy.special import stdtrit

from jevbias.collab.episode import EpisodeLog
from jevbias.report.collab import ArmRow, LevelFlag, LevelRow
from jevbias.stats.intervals import wilson

RANDOM = "random_policy"
EASY = 0.9
"""Where random actions succeed so often there is hardly anything to decide."""
BEYOND = 2.0
"""Standard errors by which random actions have to do better for a declared difficulty to be in doubt."""


def level_rows(
    levels: Sequence[str], arms: Sequence[ArmRow], random_logs: Mapping[str, Sequence[EpisodeLog]]
) -> list[LevelRow]:
    """One row for each level, in the order declared; `random_logs` are the random policy's episodes."""
    rows: list[LevelRow] = []
    before: tuple[str, float, float] | None = None
    for level in levels:
        logs = [log for log in random_logs.get(level, ()) if log.rollouts]
        shares = [log.rollouts_won / log.rollouts for log in logs]
        optimal = [log.optimal for log in logs if log.optimal is not None]
        mean, error = _mean_and_error(shares)
        doubt = None
        if mean is not None:
            doubt = _doubt(level, mean, error, before)
            before = (level, mean, error or 0.0)
        rows.append(
            LevelRow(
                id=f"levels/{level}",
                level=level,
                flag=_flag([row for row in arms if row.level == level and row.arm != RANDOM]),
                optimal_steps=math.fsum(optimal) / len(optimal) if optimal else None,
                random_share=mean,
                random_interval=_interval(mean, error, len(shares)),
                random_games=sum(log.rollouts for log in logs),
                doubt=doubt,
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


def _mean_and_error(shares: Sequence[float]) -> tuple[float | None, float | None]:
    """The mean over instances and its standard error: games on one instance are no independent evidence."""
    if not shares:
        return None, None
    mean = math.fsum(shares) / len(shares)
    if len(shares) < 2:
        return mean, None
    squares = math.fsum((share - mean) ** 2 for share in shares)
    return mean, math.sqrt(squares / (len(shares) - 1) / len(shares))


def _interval(mean: float | None, error: float | None, number: int) -> tuple[float, float] | None:
    if mean is None:
        return None
    if not error:  # Instances that all agree say nothing of their spread: take the most that there may be.
        return wilson(mean * number, number)
    half = float(stdtrit(number - 1, 0.975)) * error
    return max(0.0, mean - half), min(1.0, mean + half)


def _doubt(
    level: str, mean: float, error: float | None, before: tuple[str, float, float] | None
) -> str | None:
    if before is not None:
        easier, share, other = before
        if mean - share > BEYOND * math.hypot(error or 0.0, other) and mean > share:
            return (
                f"{level} is declared harder than {easier}, and random actions do better on it "
                f"({mean:.0%} against {share:.0%})."
            )
    if mean >= EASY:
        return f"Random actions succeed in {mean:.0%} of games: there is hardly anything to decide."
    return None
