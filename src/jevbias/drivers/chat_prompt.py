"""What a chat model is told: the case and the questions first, the person alone in the last message.

The first message is the same, byte for byte, for every person of a scenario's variant, so that a provider's
cache serves it and two payloads differ in the person alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jevbias.catalogue.canonical import canonical_json
from jevbias.catalogue.models import ChoiceQuestion, NoulQuestion, Question
from jevbias.drivers.questions import question_content
from jevbias.drivers.sendable import sendable
from jevbias.plan.model import Ask, Frame

MOST_TOKENS = 4_096
"""What an answer may take, in tokens; one to the longest scenario takes some 200."""
MOST_TOKENS_REASONING = 16_384
"""The same where the model is asked to think first."""

_INSTRUCTIONS = """\
Below are a case and the questions to decide about it. The next message holds {subject}, as \
JSON. Answer every question.

Reply with one JSON object and nothing else. It has a key for each question; the question's "answer" says \
what belongs under it. Write plain numbers, without per cent signs and without words.
"""
"""No example of an answer: a number that is shown is a number that is given."""

_SUBJECTS = {"reply": "the reply to the message of the case"}
"""What the next message holds, by its role; every other is a person's."""


def render_chat(driver: str, model: str, ask: Ask, reasoning_effort: str | None = None) -> bytes:
    """The request body that `openrouter` or `openai` sends for an ask; the same ask gives the same bytes.

    Raises UnsendableText.
    """
    through_openrouter = driver == "openrouter"
    with sendable(ask):
        system: object = system_text(ask.frame)
        if through_openrouter:
            system = [{"type": "text", "text": system, "cache_control": {"type": "ephemeral"}}]
        body: dict[str, Any] = {
            "model": model,
            "messages": [
                {"role": "system", "content": system},
                {"role": "user", "content": user_text(ask)},
            ],
            "response_format": {
                "type": "json_schema",
                "json_schema": {
                    "name": "answers",
                    "strict": True,
                    "schema": answer_schema(ask.frame.questions),
                },
            },
            "max_tokens": most_tokens(reasoning_effort),
        }
        if through_openrouter:
            body["provider"] = {"require_parameters": True}
        if reasoning_effort is not None:
            effort = {"reasoning": {"effort": reasoning_effort}}
            body.update(effort if through_openrouter else {"reasoning_effort": reasoning_effort})
        return canonical_json(body)


def system_text(frame: Frame) -> str:
    """What is asked, and how to answer: all of an ask but the person."""
    case = canonical_json({frame.case_key: dict(frame.case)}).decode()
    asked = {
        key: {**question_content(question), "answer": _answer_wanted(question)}
        for key, question in frame.questions.items()
    }
    questions = canonical_json(asked).decode()
    instructions = _INSTRUCTIONS.format(subject=_SUBJECTS.get(frame.role, "the person in the case"))
    return f"{instructions}\n<case>\n{case}\n</case>\n<questions>\n{questions}\n</questions>"


def user_text(ask: Ask) -> str:
    """The person under their role, and nothing else."""
    return canonical_json({ask.frame.role_key: dict(ask.person)}).decode()


def answer_schema(questions: Mapping[str, Question]) -> dict[str, Any]:
    """The JSON Schema of an answer, in the keywords that every provider takes under strict; ranges are
    checked where the answer is read.
    """
    return _object_of({key: _answer_shape(question) for key, question in questions.items()})


def most_tokens(reasoning_effort: str | None) -> int:
    """The `max_tokens` of a request: what the answer may take, and the thinking before it."""
    return MOST_TOKENS if reasoning_effort in (None, "none") else MOST_TOKENS_REASONING


def _answer_wanted(question: Question) -> str:
    if isinstance(question, NoulQuestion):
        return 'a number from 0 to 1: the probability that the answer is "true"'
    if isinstance(question, ChoiceQuestion):
        return (
            "an object with a number from 0 to 1 under each key of the criteria: the probability that it is "
            "the answer; the numbers add up to 1"
        )
    last = len(question.criteria) - 1
    return (
        f"a number from 0 to {last}: the place in the criteria, from 0 for the first to {last} for the last; "
        "between two of them is allowed"
    )


def _answer_shape(question: Question) -> dict[str, Any]:
    if isinstance(question, ChoiceQuestion):
        return _object_of({option: {"type": "number"} for option in question.criteria})
    return {"type": "number"}


def _object_of(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
