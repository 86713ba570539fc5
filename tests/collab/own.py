"""LLMs that a user wrote."""

from __future__ import annotations

import asyncio
from typing import Any

from jevbias.collab.situation import Doubt, MadeCall, Named, Proposal, Proposed, Situation


class Walker:
    """Walks right, and counts how often it is asked."""

    model = "walker"
    asked = 0
    fails_after = 10**9

    async def act(self, situation: Situation, doubt: Doubt | None, key: str) -> Named:
        return Named(Proposal("right", "on"), self._call())

    async def propose(self, situation: Situation, most: int, doubt: Doubt | None, key: str) -> Proposed:
        return Proposed((Proposal("right"), Proposal("left")), self._call())

    def _call(self) -> MadeCall:
        type(self).asked += 1
        if type(self).asked > type(self).fails_after:
            raise RuntimeError("out\nof order")
        return MadeCall("llm", "mine", self.model, 7, 2, 0.25)


class Mute:
    """Returns what is no answer."""

    model = "mute"

    async def act(self, situation: Situation, doubt: Doubt | None, key: str) -> Any:
        return "right"

    async def propose(self, situation: Situation, most: int, doubt: Doubt | None, key: str) -> Any:
        return Proposed((Proposal(7),), MadeCall("llm", "mine", None))  # type: ignore[arg-type]


class Half:
    """Only acts."""

    model = "half"

    async def act(self, *_: object) -> None:
        return None


class Cancelled(Walker):
    """Ends as a task of the loop that is cancelled."""

    model = "cancelled"

    async def act(self, *_: object) -> Any:
        raise asyncio.CancelledError


class Puppet(Walker):
    """Answers what a test puts into it, and is no model."""

    model = "puppet"
    is_real = False
    answer: Any = None
    told: Any = None

    async def act(self, situation: Situation, doubt: Doubt | None, key: str) -> Any:
        type(self).told = situation
        return type(self).answer
