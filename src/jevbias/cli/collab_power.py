"""What a comparison of two arms needs, from rates that are expected or from a bench that was played."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from rich.text import Text
from sqlalchemy import Engine

from jevbias.collab.analyse import ALPHA, analyse_collab
from jevbias.errors import UsageError
from jevbias.stats.paired_difference import paired_difference
from jevbias.stats.paired_power import MOST_PAIRS, mcnemar_power, pairs_needed

SIZES = (10, 20, 30, 50, 100, 200, 500)
"""Episodes whose power is shown."""
_TIE = 1e-9


@dataclass(frozen=True)
class Expected:
    """Two arms as they are expected to do: the probability that just the first succeeds in an episode, and
    that just the second does. `called` says which arms and which level. `between` is the 95% interval of the
    second's rate less the first's where a bench's own episodes are all that is known of them.
    """

    called: str
    only_first: float
    only_second: float
    between: tuple[float, float] | None = None

    @property
    def ends(self) -> tuple[Expected, Expected] | None:
        """The greatest and the least difference that the interval holds, as often told apart as here."""
        if self.between is None:
            return None
        low, high = self.between
        greatest = max(low, high, key=abs)
        least = 0.0 if low <= 0 <= high else min(low, high, key=abs)
        return self._differing(greatest), self._differing(least)

    def _differing(self, difference: float) -> Expected:
        share = max(self.only_first + self.only_second, abs(difference))
        return Expected(self.called, (share - difference) / 2, (share + difference) / 2)


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
            paired_difference(row.only_first, row.only_second, row.episodes),
        )
        for row in report.comparisons
        if row.episodes
    ], len(report.levels)


def planned_json(expected: list[Expected], levels: int, power: float) -> list[dict[str, Any]]:
    """The figures, JSON-ready; null where no number of episodes up to 100,000 suffices, or where nothing is
    known. `episodes_needed_range` holds what the ends of `difference_interval` need, corrected.
    """
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
            "difference_interval": None if each.between is None else [round(end, 4) for end in each.between],
            "episodes_needed_range": None
            if each.ends is None
            else [_needed(end, ALPHA / levels, power) for end in each.ends],
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
        if math.isclose(row["only_first"], row["only_second"], abs_tol=_TIE):
            lines.append(
                "  the two succeed equally often: no number of episodes shows a difference that is not there"
            )
            lines += _uncertain(row)
            continue
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
        lines += _uncertain(row)
        at = [f"{size}: {both['corrected']:.0%}" for size, both in row["power_at"].items()]
        lines.append(f"  power with so many episodes{', corrected' if levels > 1 else ''}: {', '.join(at)}")
    lines.append(
        f"Exact McNemar test at p < {ALPHA:g}, on at least 5 episodes in which just one arm succeeds; levels "
        "are never pooled."
    )
    return Text("\n".join(lines))


def _uncertain(row: dict[str, Any]) -> list[str]:
    """How far what a bench says of itself can be trusted."""
    if row["difference_interval"] is None:
        return []
    low, high = (100 * end for end in row["difference_interval"])
    fewest, most = row["episodes_needed_range"]
    needs = f"{_count(fewest)} to {_count(most)} episodes"
    if most is None:
        least = f"{_count(fewest)} episodes" + (" at least" if fewest is not None else "")
        needs = f"{least}, and no number is sure to suffice"
    corrected = ", corrected" if row["levels"] > 1 else ""
    return [
        f"  the bench itself leaves the difference between {low:+.0f} and {high:+.0f} points (95%): {needs}"
        f"{corrected}"
    ]


def _needed(each: Expected, alpha: float, power: float) -> int | None:
    return pairs_needed(each.only_first, each.only_second, power=power, alpha=alpha)


def _count(episodes: int | None) -> str:
    return f"more than {MOST_PAIRS:,}" if episodes is None else f"{episodes:,}"
