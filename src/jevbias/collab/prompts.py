"""What an LLM is told: the task once, then the state, what was done, and why it is asked again."""

from __future__ import annotations

from typing import Any

from jevbias.catalogue.canonical import canonical_json
from jevbias.collab.situation import Doubt, Situation

MOST_PAST = 20
"""Steps before this one that it is shown."""

_ACT = (
    'Pick the action to take now. Reply with one JSON object and nothing else: "action" is the name of the '
    'action, exactly as the task spells it, and "rationale" the reason in one sentence.'
)
_PROPOSE = (
    "Propose the {most} best actions to take now, the best one first, or fewer where fewer make sense. Reply "
    'with one JSON object and nothing else: "proposals" is a list of objects in which "action" is the name '
    'of an action, exactly as the task spells it, and "rationale" the reason in one sentence. Another model '
    "will choose among your proposals."
)


def system_text(situation: Situation, most: int | None) -> str:
    """The task and how to answer; `most` proposals, None where it acts. The same at every step."""
    how = _ACT if most is None else _PROPOSE.format(most=most)
    return f"{situation.instructions}\n\n{how}"


def user_text(situation: Situation, doubt: Doubt | None) -> str:
    """The state, the steps before it, and the doubt, as one JSON object."""
    content: dict[str, Any] = {"step": situation.step + 1, "state": situation.shown}
    if situation.past:
        content["steps_before"] = [
            past.action if past.legal else f"{past.action} (was not legal: nothing happened)"
            for past in situation.past[-MOST_PAST:]
        ]
    if doubt is not None:
        content["you_are_asked_again_because"] = doubt.why
        if doubt.actions:
            content["your_last_answer"] = list(doubt.actions)
        if doubt.judged:
            content["the_decision_model_said"] = {
                action: round(probability, 2) for action, probability in doubt.judged.items()
            }
    return canonical_json(content).decode()


def answer_schema(most: int | None) -> dict[str, Any]:
    """The JSON Schema of an answer, in the keywords that every provider takes under strict."""
    action = _object_of({"action": {"type": "string"}, "rationale": {"type": "string"}})
    return action if most is None else _object_of({"proposals": {"type": "array", "items": action}})


def _object_of(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
