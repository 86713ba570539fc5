"""No model at all: any legal action, each as likely. What an arm has to beat, and a check of the levels."""

from __future__ import annotations

from jevbias.collab.arms.arm import Choice, Notes, Tools
from jevbias.collab.situation import Situation
from jevbias.people.keyed import keyed_choice


class RandomPolicy:
    """Draws keyed by the episode and the step."""

    name = "random_policy"
    uses_llm = False
    uses_decision = False

    async def choose(self, situation: Situation, tools: Tools, notes: Notes, key: str) -> Choice:
        """Any legal action."""
        del notes, key
        return Choice(keyed_choice(list(situation.legal), tools.seed, "random policy", situation.place))
