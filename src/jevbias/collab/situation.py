"""What an arm is told at one step, and what comes back to it from models."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Role = Literal["llm", "decision"]
DoubtKind = Literal["unsure", "unusable", "nothing_legal"]
"""The decision model was not sure enough; it gave no usable answer; the LLM named nothing that is legal."""


def role_of(key: str) -> Role:
    """Whom a call was made to, by the key that an arm gave it."""
    return "llm" if key.rpartition("/")[2].startswith("llm-") else "decision"


@dataclass(frozen=True)
class Past:
    """A step that was taken: the action that was named, and whether it was legal."""

    action: str
    legal: bool


@dataclass(frozen=True)
class Situation:
    """One step of one episode. `legal` maps each legal action to what it does; an LLM is not shown it.
    `seen_before` counts how often this very state was met before in the episode.
    """

    instructions: str
    question: str
    level: str
    number: int
    step: int
    state: bytes
    shown: Any
    legal: Mapping[str, str]
    past: tuple[Past, ...] = ()
    seen_before: int = 0

    @property
    def place(self) -> str:
        """Where this is, for messages and keys."""
        return f"{self.level}/{self.number}/{self.step}"


@dataclass(frozen=True)
class Doubt:
    """Why an LLM is asked again: what was doubtful about its last answer, in a sentence or two, the actions
    in question, and what the decision model made of each (a probability), where it was asked. `kind` is what
    an arm that stops for it has stopped for.
    """

    why: str
    actions: tuple[str, ...] = ()
    judged: Mapping[str, float] = field(default_factory=dict)
    kind: DoubtKind = "unsure"


@dataclass(frozen=True)
class MadeCall:
    """What one call took. Tokens and cost (US dollars) are None where nobody said, the latency (milliseconds)
    where nothing was sent.
    """

    role: Role
    purpose: str
    model: str | None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    latency_ms: float | None = None


@dataclass(frozen=True)
class Proposal:
    """An action that an LLM names, and why."""

    action: str
    rationale: str = ""


def without_repeats(proposals: Iterable[Proposal]) -> tuple[Proposal, ...]:
    """The proposals in their order, each action once: as it came first."""
    first: dict[str, Proposal] = {}
    for proposal in proposals:
        first.setdefault(proposal.action, proposal)
    return tuple(first.values())


@dataclass(frozen=True)
class Named:
    """The action that an LLM picked; None where none could be read, and then `fault` says why."""

    proposal: Proposal | None
    call: MadeCall
    fault: str | None = None


@dataclass(frozen=True)
class Proposed:
    """The actions that an LLM proposes, best first, none twice; empty where none could be read."""

    proposals: tuple[Proposal, ...]
    call: MadeCall
    fault: str | None = None
