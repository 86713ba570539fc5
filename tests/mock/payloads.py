"""Payloads about the cases of a catalogue, as a driver would send them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from jevbias.catalogue.catalogue import Catalogue
from jevbias.catalogue.models import Question, Scenario, Variant

BLIND = {"reference": "The candidate"}


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
