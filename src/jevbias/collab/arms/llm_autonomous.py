"""The LLM alone: it picks freely, and what it names is done."""

from __future__ import annotations

from jevbias.collab.arms.arm import Choice, Notes, Tools
from jevbias.collab.checked_task import UNREADABLE
from jevbias.collab.situation import Doubt, Named, Situation


class LlmAutonomous:
    """An illegal action is counted, not prevented: it takes a step and changes nothing."""

    name = "llm_autonomous"
    uses_llm = True
    uses_decision = False

    async def choose(self, situation: Situation, tools: Tools, notes: Notes, key: str) -> Choice:
        """What the LLM names."""
        named = await tools.an_llm.act(situation, None, f"{key}/llm-1")
        return Choice(noted(named, situation, notes))


def noted(named: Named, situation: Situation, notes: Notes) -> str:
    """The action that was named, with its call and its legality noted."""
    notes.calls.append(named.call)
    notes.named += 1
    action = UNREADABLE if named.proposal is None else named.proposal.action
    if action not in situation.legal:
        notes.illegal.append("" if named.proposal is None else action)
    return action


def unreadable(named: Named) -> Doubt:
    """Why an LLM is asked again whose answer named no action that could be read."""
    why = f"Your last answer could not be read: {named.fault or 'it names no action'}."
    return Doubt(why, kind="nothing_legal")
