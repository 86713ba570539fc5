"""What an LLM does here: it acts, or it proposes. Whoever can do that can be benched."""

from __future__ import annotations

from typing import Protocol

from jevbias.collab.situation import Doubt, Named, Proposed, Situation


class Actor(Protocol):
    """An LLM that picks an action freely."""

    async def act(self, situation: Situation, doubt: Doubt | None, key: str) -> Named:
        """The action to take now. `doubt` says why it is asked again; None the first time. `key` is what the
        call is stored under.
        """
        ...


class Proposer(Protocol):
    """An LLM that proposes a few actions, each with its reason."""

    async def propose(self, situation: Situation, most: int, doubt: Doubt | None, key: str) -> Proposed:
        """`most` actions or fewer, best first."""
        ...


class Llm(Actor, Proposer, Protocol):
    """An LLM that can do both. `model` names it; `is_real` is false for a stand-in that is no model."""

    model: str
    is_real: bool
