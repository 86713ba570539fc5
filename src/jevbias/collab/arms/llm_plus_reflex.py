"""The LLM acts, and the decision model is its reflex: it may veto an action, and it may notice a loop."""

from __future__ import annotations

from typing import Any

from jevbias.collab.arms.arm import Choice, Notes, Tools
from jevbias.collab.arms.llm_autonomous import noted, unreadable
from jevbias.collab.decision_model import yes_or_no
from jevbias.collab.situation import Doubt, Situation

REFLEX = "reflex"
RECENT = 8
QUESTIONS = ("mistake", "loop")


class LlmPlusReflex:
    """One call with two yes/no questions before each action. At the threshold or above it counts: the LLM is
    told and acts again. A reflex delays, it does not decide: after as many vetoes as there may be
    escalations, what the LLM names is done.
    """

    name = "llm_plus_reflex"
    uses_llm = True
    uses_decision = True

    async def choose(self, situation: Situation, tools: Tools, notes: Notes, key: str) -> Choice:
        """An action of the LLM's that is not vetoed, or its last one."""
        doubt: Doubt | None = None
        action = ""
        for attempt in range(1, tools.escalations + 2):
            named = await tools.an_llm.act(situation, doubt, f"{key}/llm-{attempt}")
            action = noted(named, situation, notes)
            if attempt > tools.escalations:
                break
            judgment = await tools.a_decision_model.judge(
                f"{key}/reflex-{attempt}", REFLEX, _shown(situation, action), _questions(action)
            )
            notes.calls.append(judgment.call)
            notes.unusable += len(judgment.values) < len(QUESTIONS)
            mistake, loop = judgment.values.get("mistake", 0.0), judgment.values.get("loop", 0.0)
            notes.confidences += [1.0 - value for value in judgment.values.values()]
            vetoed, looping = mistake >= tools.threshold, loop >= tools.threshold
            notes.vetoes += vetoed
            notes.loops += looping
            if not (vetoed or looping):
                break
            said = [
                *([f"a mistake ({mistake:.2f})"] if vetoed else []),
                *([f"going round in circles ({loop:.2f})"] if looping else []),
            ]
            if named.proposal is None:
                doubt = unreadable(named)
                continue
            doubt = Doubt(
                f"Before {action} was done, a check called it {' and '.join(said)}. Act again; name it once "
                "more if you are sure.",
                (action,),
                {action: 1.0 - mistake} if "mistake" in judgment.values else {},
            )
        return Choice(action)


def _shown(situation: Situation, action: str) -> dict[str, Any]:
    return {
        "about_to_do": action,
        "legal": action in situation.legal,
        "state": situation.shown,
        "steps_before": [past.action for past in situation.past[-RECENT:]],
        "times_this_state_was_met_before": situation.seen_before,
    }


def _questions(action: str) -> dict[str, Any]:
    return {
        "mistake": yes_or_no(
            f"Is it a mistake to do this now: {action}?",
            "yes, it is not legal or leads away from the aim",
            "no, it is a sound action",
        ),
        "loop": yes_or_no(
            "Do the last steps and this action go round in circles?",
            "yes, the same states or actions come again and again",
            "no, there is progress",
        ),
    }
