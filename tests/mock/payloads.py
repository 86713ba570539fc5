"""Payloads about the cases of a catalogue, as a driver would send them."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence
from typing import Any

from jevbias.catalogue.catalogue import Catalogue
from jevbias.catalogue.models import ChoiceQuestion, Question, Scenario, Variant


def payload(
    catalogue: Catalogue,
    scenario: str = "hiring_screen",
    variant: Variant = "mid",
    person: Mapping[str, str] | None = None,
    **facts: object,
) -> bytes:
    """A request about one person (default: nobody) in one case; `facts` replace facts of the case."""
    decision = catalogue.scenarios[scenario]
    block = person or {"reference": f"The {decision.role}"}
    case = {**decision.variants[variant], **facts}
    content = {
        "model": "jev-latest",
        "state": {decision.case_key: case, decision.role_key: block},
        "questions": wire_questions(decision),
    }
    return json.dumps(content, ensure_ascii=False).encode()


def chat_payload(
    catalogue: Catalogue,
    scenario: str = "hiring_screen",
    variant: Variant = "mid",
    person: Mapping[str, str] | None = None,
    *,
    openrouter: bool = False,
    model: str = "jevbias/mock-chat",
    **more: object,
) -> dict[str, Any]:
    """The same as a chat with a strict schema; `more` replaces or adds keys of the body."""
    decision = catalogue.scenarios[scenario]
    block = person or {"reference": f"The {decision.role}"}
    questions = {key: {**asked, "answer": "a number"} for key, asked in wire_questions(decision).items()}
    case = compact({decision.case_key: decision.variants[variant]})
    system: Any = f"Judge.\n<case>\n{case}\n</case>\n<questions>\n{compact(questions)}\n</questions>"
    if openrouter:
        system = [{"type": "text", "text": system, "cache_control": {"type": "ephemeral"}}]
    strict = {"name": "answers", "strict": True, "schema": answer_schema(decision)}
    body = {
        "model": model,
        "messages": [
            {"role": "system", "content": system},
            {"role": "user", "content": compact({decision.role_key: block})},
        ],
        "response_format": {"type": "json_schema", "json_schema": strict},
        "max_tokens": 4096,
        **({"provider": {"require_parameters": True}} if openrouter else {}),
    }
    return {**body, **more}


def batch_payload(bodies: Sequence[Mapping[str, Any]], **changes: object) -> dict[str, Any]:
    """A batch of chats, whose own `model` is left out; their ids are `ask-1` and so on."""
    requests = [
        {"custom_id": f"ask-{n}", "body": {key: body[key] for key in body if key != "model"}}
        for n, body in zip(itertools.count(1), bodies, strict=False)
    ]
    batch = {"endpoint": "/v1/chat/completions", "model": "jevbias/mock-chat", "completion_window": "24h"}
    return {**batch, "requests": requests, **changes}


def answer_schema(scenario: Scenario) -> dict[str, Any]:
    """The strict schema of a scenario's answers."""
    return _object_schema(
        {
            key: _object_schema({option: {"type": "number"} for option in question.criteria})
            if isinstance(question, ChoiceQuestion)
            else {"type": "number"}
            for key, question in scenario.questions.items()
        }
    )


def _object_schema(properties: dict[str, Any]) -> dict[str, Any]:
    fixed = {"required": list(properties), "additionalProperties": False}
    return {"type": "object", "properties": properties, **fixed}


def compact(content: object) -> str:
    """JSON without white space."""
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"))


def wire_questions(scenario: Scenario) -> dict[str, Any]:
    """A scenario's questions in the wire format."""
    return {key: _wire(question) for key, question in scenario.questions.items()}


def _wire(question: Question) -> dict[str, Any]:
    dumped = question.model_dump(mode="json")
    return {"type": question.kind, "instructions": question.instructions, "criteria": dumped["criteria"]}


def full_block(catalogue: Catalogue, **levels: str) -> dict[str, str]:
    """Everyone's reference phrases under `full`, with these levels changed; the name stays anglo."""
    block = {"reference": "Andrew Aldridge"}
    for key, attribute in catalogue.person_attributes.items():
        if attribute.carried_by == "name":
            continue
        level = attribute.levels[levels.get(key, attribute.reference)]
        phrase = level.phrase or next(iter((level.by_gender or {}).values()), None)
        if phrase is not None:
            number = "34, " if attribute.measure is not None else ""
            block[attribute.field or key] = number + phrase
    return block


def favourability(catalogue: Catalogue, scenario: str, response: Mapping[str, Any]) -> dict[str, float]:
    """The favourability of each answer of a response, by the definition of the method."""
    found = {}
    for key, question in catalogue.scenarios[scenario].questions.items():
        answer = response["answers"][key]
        if question.kind == "noul":
            value = answer["noul"]
        else:
            probabilities = list(answer["probabilities"].values())
            value = sum(i * p for i, p in enumerate(probabilities)) / (len(probabilities) - 1)
        found[key] = value if question.direction == "+" else 1 - value
    return found


def written_favourability(catalogue: Catalogue, scenario: str, content: str) -> dict[str, float]:
    """The favourability of each answer that a chat wrote down."""
    found, written = {}, json.loads(content)
    for key, question in catalogue.scenarios[scenario].questions.items():
        value = written[key]
        if question.kind == "choice":
            value = sum(i * p for i, p in enumerate(value.values())) / (len(value) - 1)
        elif question.kind == "score":
            value = value / (len(question.criteria) - 1)
        found[key] = value if question.direction == "+" else 1 - value
    return found
