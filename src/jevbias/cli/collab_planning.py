"""What a comparison of two arms needs, from rates that are expected or from a bench that was played."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rich.text import Text
from sqlalchemy import Engine

from jevbias.collab.analyse import ALPHA, analyse_collab
from jevbias.errors import UsageError
from jevbias.stats.paired_power import MOST_PAIRS, mcnemar_power, pairs_needed

SIZES = (10, 20, 30, 50, 100, 200, 500)
"""Episodes whose power is shown."""
_TIE = 1e-9


@dataclass(frozen=True)
class Expected:
    """Two arms as they are expected to do: the probability that just the first succeeds in an episode, and
    that just the second does. `called` says which arms and which level.
    """

    called: str
    only_first: float
    only_second: float


def expected_of_rates(first: float, second: float, discordant: float | None) -> Expected:
    """From two success rates and the share of episodes in which just one arm succeeds. Raises UsageError for
    shares that no two such rates can have.
    """
    for flag, rate in (("--first", first), ("--second", second)):
        if not 0 <= rate <= 1:
            raise UsageError(f"{flag}: {rate:g} is not allowed; give a success rate from 0 to 1")
    least, most = abs(first - second), min(first + second, 2 - first - second)
    share = first * (1 - second) + second * (1 - first) if discordant is None else discordant
    if not least - _TIE <= share <= most + _TIE:
        raise UsageError(
            f"--discordant: {share:g} is not allowed; rates of {first:g} and {second:g} differ in {least:g} "
            f"to {most:g} of episodes"
        )
    difference = second - first
    only_second = min(max((share + difference) / 2, 0.0), 1.0)
    return Expected(f"{first:g} against {second:g}", max(share - only_second, 0.0), only_second)


def expected_of_run(engine: Engine, name: str) -> tuple[list[Expected], int]:
    """From the shares that a bench has had, pair by pair and level by level; and the number of its levels."""
    report = analyse_collab(engine, name)
    return [
        Expected(
            f"{row.first} against {row.second}, {row.level} ({row.about})",
            row.only_first / row.episodes,
            row.only_second / row.episodes,
        )
        for row in report.comparisons
        if row.episodes
    ], len(report.levels)


def planned_json(expected: list[Expected], levels: int, power: float) -> list[dict[str, Any]]:
    """The figures, JSON-ready; null where no number of episodes up to 100,000 suffices."""
    return [
        {
            "called": each.called,
            "only_first": each.only_first,
            "only_second": each.only_second,
            "alpha": ALPHA,
            "levels": levels,
            "power": power,
            "episodes_needed": _needed(each, ALPHA, power),
            "episodes_needed_corrected": _needed(each, ALPHA / levels, power),
            "power_at": {
                str(size): {
                    "alone": round(mcnemar_power(size, each.only_first, each.only_second, ALPHA), 4),
                    "corrected": round(
                        mcnemar_power(size, each.only_first, each.only_second, ALPHA / levels), 4
                    ),
                }
                for size in SIZES
            },
        }
        for each in expected
    ]


def planned_text(expected: list[Expected], levels: int, power: float) -> Text:
    """The figures, in sentences."""
    lines = []
    for row in planned_json(expected, levels, power):
        lines.append(
            f"{row['called']}: just the first succeeds in {row['only_first']:.1%} of episodes, just the "
            f"second in {row['only_second']:.1%}"
        )
        lines.append(
            f"  episodes of this level for a power of {power:.0%}: {_count(row['episodes_needed'])} where it "
            f"is the only level"
            + (
                f", {_count(row['episodes_needed_corrected'])} corrected over {levels} levels (at the "
                f"strictest, {ALPHA / levels:.4g})"
                if levels > 1
                else ""
            )
        )
        at = [f"{size}: {both['corrected']:.0%}" for size, both in row["power_at"].items()]
        lines.append(f"  power with so many episodes{', corrected' if levels > 1 else ''}: {', '.join(at)}")
    lines.append(
        f"Exact McNemar test at p < {ALPHA:g}, on at least 5 episodes in which just one arm succeeds; levels "
        "are never pooled."
    )
    return Text("\n".join(lines))


def _needed(each: Expected, alpha: float, power: float) -> int | None:
    return pairs_needed(each.only_first, each.only_second, power=power, alpha=alpha)


def _count(episodes: int | None) -> str:
    return f"more than {MOST_PAIRS:,}" if episodes is None else f"{episodes:,}"
