"""The rows of a report that stand for one arm on one level."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from jevbias.collab.episode import EpisodeLog
from jevbias.collab.sent import Sent
from jevbias.collab.situation import Role
from jevbias.report.collab import STOP_KINDS, ArmRow, UseRow
from jevbias.stats.intervals import wilson

NOT_NAMED = "not named"
"""In place of a model that no reply named."""


def arm_row(arm: str, level: str, about: str, logs: Sequence[EpisodeLog]) -> ArmRow:
    """What an arm did on a level, from its episodes there."""
    known = [log for log in logs if log.outcome != "broken"]
    steps = [step for log in known for step in log.steps]
    won = [log for log in known if log.outcome == "success"]
    illegal = [name for step in steps for name in step["illegal"]]
    named = [step.get("named") for step in steps]
    paths = [log.optimal / len(log.steps) for log in won if log.optimal is not None]
    stops = Counter(log.stopped_for for log in known)
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
        stopped_for={kind: stops[kind] for kind in STOP_KINDS if stops[kind]},
        efficiency=_mean(paths),
        efficiency_episodes=len(paths),
        steps=_mean([len(log.steps) for log in known]),
        illegal=len(illegal),
        named=None if None in named else sum(named),
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


def use_rows(
    arm: str, level: str, about: str, logs: Sequence[EpisodeLog], sent: Mapping[Role, Sent]
) -> list[UseRow]:
    """What each model took in an arm on a level; `sent` is what the ledger says of each role. Broken episodes
    count too: their calls were made. A request that failed names no model: it counts for the only one that
    has answered in its role, else for one that is not named.
    """
    calls: dict[tuple[Role, str], list[dict[str, Any]]] = {}
    for call in made_calls(logs):
        calls.setdefault((call["role"], call["model"] or NOT_NAMED), []).append(call)
    failed: dict[tuple[Role, str], Sent] = {}
    for role, known in sent.items():
        models = [model for each, model in calls if each == role]
        number = known.requests - sum(len(calls[role, model]) for model in models)
        if number > 0:
            failed[role, models[0] if len(models) == 1 else NOT_NAMED] = Sent(number, known.lost)
    for key in failed:
        calls.setdefault(key, [])
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
            sent=len(made) + failed.get((role, model), Sent()).requests,
            input_tokens=_counted(made, "input_tokens"),
            output_tokens=_counted(made, "output_tokens"),
            cost=_priced(made, failed.get((role, model), Sent()).lost),
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


def _priced(calls: Sequence[dict[str, Any]], lost: float) -> float | None:
    values = [call["cost"] for call in calls]
    return None if None in values else math.fsum([*values, lost])
