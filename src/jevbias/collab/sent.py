"""What the ledger knows that no log of an episode does: requests that failed, and those of episodes that have
not ended.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from jevbias.collab.episode import EpisodeLog
from jevbias.collab.situation import Role, role_of
from jevbias.store.calls import StoredCall


@dataclass(frozen=True)
class Sent:
    """Requests that were sent, and what those of them cost, in US dollars, that were sent anew after they had
    failed, as far as their replies say.
    """

    requests: int = 0
    lost: float = 0.0


@dataclass(frozen=True)
class Ledger:
    """The requests of each arm on each level to each role, and how many are of episodes without an end."""

    by_arm: Mapping[tuple[str, str, Role], Sent] = field(default_factory=dict)
    unfinished: int = 0

    def of(self, arm: str, level: str) -> dict[Role, Sent]:
        """By role."""
        roles: tuple[Role, ...] = ("llm", "decision")
        return {role: self.by_arm.get((arm, level, role), Sent()) for role in roles}


def read_ledger(calls: Iterable[StoredCall], logs: Iterable[EpisodeLog]) -> Ledger:
    """Count the attempts that `Asking` and `OwnLlm` numbered, each once however often a killed process sent
    it: what a resumed bench counts equals what an uninterrupted one does.
    """
    ended = {(log.arm, log.level, log.number) for log in logs}
    attempts: dict[tuple[str, str, Role], dict[str, list[float]]] = {}
    unfinished = 0
    for call in calls:
        asked, _, _ = call.key.rpartition("#")
        level, number, arm, *_ = asked.split("/")
        if (arm, level, int(number)) not in ended:
            unfinished += 1
            continue
        cost = call.result.cost if call.result is not None else None
        place = attempts.setdefault((arm, level, role_of(asked)), {})
        place.setdefault(asked, []).append(cost or 0.0)
    return Ledger(
        {
            key: Sent(
                sum(map(len, asked.values())),
                math.fsum(cost for costs in asked.values() for cost in costs[:-1]),
            )
            for key, asked in attempts.items()
        },
        unfinished,
    )
