"""What every arm is: at each step it chooses an action, or stops rather than guess."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

from jevbias.collab.actors import Llm
from jevbias.collab.decision_model import DecisionModel
from jevbias.collab.situation import Doubt, DoubtKind, MadeCall, Situation


@dataclass
class Notes:
    """What happened at one step besides the action itself."""

    named: int = 0
    """Actions that the LLM named, proposals too; an answer in which none could be read counts as one."""
    illegal: list[str] = field(default_factory=list)
    """Actions that the LLM named and that were not legal; an empty name where none could be read."""
    escalations: int = 0
    """How often the LLM was asked again because the decision model was unsure."""
    vetoes: int = 0
    loops: int = 0
    rejections: int = 0
    unusable: int = 0
    """Judgments in which the decision model gave no usable answer."""
    confidences: list[float] = field(default_factory=list)
    """How far the decision model spoke for the action, at each judgment: the probability of what it chose, or
    that what it was asked about is sound."""
    calls: list[MadeCall] = field(default_factory=list)

    def content(self) -> dict[str, Any]:
        """The notes as JSON-ready data."""
        return {**vars(self), "calls": [dict(vars(call)) for call in self.calls]}


@dataclass(frozen=True)
class Choice:
    """The action to take, legal or not; None where the arm stops, and then `stopped` says why in a line and
    `stopped_for` of what kind that is.
    """

    action: str | None
    stopped: str | None = None
    stopped_for: DoubtKind | None = None


def stop(doubt: Doubt) -> Choice:
    """Stop rather than guess, for this doubt."""
    return Choice(None, doubt.why, doubt.kind)


@dataclass(frozen=True)
class Tools:
    """What arms work with. `llm` and `decision` are None where no arm of the bench needs them.

    `threshold` is the confidence from which the decision model's word counts, `escalations` how often an LLM
    is asked again within a step, `proposals` how many actions it proposes.
    """

    llm: Llm | None
    decision: DecisionModel | None
    seed: int
    threshold: float
    escalations: int
    proposals: int

    @property
    def an_llm(self) -> Llm:
        """The LLM, of an arm that needs one."""
        if self.llm is None:
            raise RuntimeError("this arm needs an LLM")
        return self.llm

    @property
    def a_decision_model(self) -> DecisionModel:
        """The decision model, of an arm that needs one."""
        if self.decision is None:
            raise RuntimeError("this arm needs a decision model")
        return self.decision


class Arm(Protocol):
    """One way of acting; it keeps nothing from one step to the next."""

    name: str
    uses_llm: bool
    uses_decision: bool

    async def choose(self, situation: Situation, tools: Tools, notes: Notes, key: str) -> Choice:
        """What to do at a step. Calls are stored under keys that begin with `key`; what happens on the way
        goes into `notes`.
        """
        ...
