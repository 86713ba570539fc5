"""The rows of a report that stand for one arm on one level."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from jevbias.collab.episode import EpisodeLog
from jevbias.report.collab import ArmRow, UseRow
from jevbias.stats.intervals import wilson


def arm_row(arm: str, level: str, about: str, logs: Sequence[EpisodeLog]) -> ArmRow:
    """What an arm did on a level, from its episodes there."""
    known = [log for log in logs if log.outcome != "broken"]
    steps = [step for log in known for step in log.steps]
    won = [log for log in known if log.outcome == "success"]
    illegal = [name for step in steps for name in step["illegal"]]
    confidences = [value for step in steps for value in step["confidences"]]

    def total(of: str) -> int:
        return sum(step[of] for step in steps)

    def ended(outcome: str) -> int:
        return sum(log.outcome == outcome for log in known)

    return ArmRow(
        id=f"arms/{arm}/{level}",
        arm=arm,
        level=level,
        about=about,
        episodes=len(known),
        broken=len(logs) - len(known),
        successes=len(won),
        rate=_share(len(won), len(known)),
        interval=wilson(len(won), len(known)),
        failures=ended("failure"),
        out_of_steps=ended("out_of_steps"),
        stopped=ended("stopped"),
        efficiency=_mean([log.optimal / len(log.steps) for log in won if log.optimal is not None]),
        steps=_mean([len(log.steps) for log in known]),
        illegal=len(illegal),
        illegal_per_step=_share(len(illegal), len(steps)),
        unreadable=illegal.count(""),
        escalations=total("escalations"),
        vetoes=total("vetoes"),
        loops=total("loops"),
        rejections=total("rejections"),
        unusable=total("unusable"),
        confidence=_mean(confidences),
        judgments=len(confidences),
    )


def use_rows(arm: str, level: str, about: str, logs: Sequence[EpisodeLog]) -> list[UseRow]:
    """What each model took in an arm on a level. Broken episodes count too: their
    calls were made.
    """
    calls: dict[tuple[Any, str], list[dict[str, Any]]] = {}
    for log in logs:
        for call in made_calls([log]):
            calls.setdefault((call["role"], call["model"] or "not named"), []).append(call)
    return [
        UseRow(
            id=f"use/{arm}/{level}/{role}/{model}",
            arm=arm,
            level=level,
            role=role,
            model=model,
            about=about,
            calls=len(made),
            calls_per_episode=len(made) / len(logs),
            input_tokens=_counted(made, "input_tokens"),
            output_tokens=_counted(made, "output_tokens"),
            cost=_priced(made),
        )
        for (role, model), made in sorted(calls.items())
    ]


def made_calls(logs: Iterable[EpisodeLog]) -> list[dict[str, Any]]:
    """The calls of episodes, in the order in which they were made."""
    return [call for log in logs for step in log.steps for call in step["calls"]]


def _mean(values: Sequence[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _counted(calls: Sequence[dict[str, Any]], name: str) -> int | None:
    """A sum of tokens; None where a call says nothing, as the sum would be too small."""
    values = [call[name] for call in calls]
    return None if None in values else sum(values)


def _priced(calls: Sequence[dict[str, Any]]) -> float | None:
    values = [call["cost"] for call in calls]
    return None if None in values else math.fsum(values)
