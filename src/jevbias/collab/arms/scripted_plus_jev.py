"""Code lists the legal actions, and the decision model chooses among them; no LLM takes part."""

from __future__ import annotations

from jevbias.collab.arms.arm import Choice, Notes, Tools
from jevbias.collab.decision_model import choice
from jevbias.collab.situation import Situation
from jevbias.people.keyed import keyed_shuffle

PICK = "pick"


class ScriptedPlusJev:
    """The option with the highest probability is taken, however high: there is nobody to ask instead. Options
    are put in an order drawn for each step, so that a place in the list favours no action. Where only one
    action is legal nobody is asked.
    """

    name = "scripted_plus_jev"
    uses_llm = False
    uses_decision = True

    async def choose(self, situation: Situation, tools: Tools, notes: Notes, key: str) -> Choice:
        """The decision model's choice among everything that is legal."""
        if len(situation.legal) == 1:
            return Choice(next(iter(situation.legal)))
        order = keyed_shuffle(list(situation.legal), tools.seed, "order", situation.place, "scripted")
        question = choice(situation.question, {action: situation.legal[action] for action in order})
        judgment = await tools.a_decision_model.judge(
            f"{key}/decide-1", PICK, situation.shown, {"action": question}
        )
        notes.calls.append(judgment.call)
        if "action" not in judgment.choices:
            notes.unusable += 1
            return Choice(None, f"the decision model gave no usable answer: {judgment.fault}", "unusable")
        probabilities = judgment.choices["action"]
        action = max(order, key=lambda option: probabilities[option])
        notes.confidences.append(probabilities[action])
        return Choice(action)
