"""Which case of the catalogue a payload is about."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from jevbias.catalogue.catalogue import Catalogue
from jevbias.catalogue.models import Question, Scenario, Variant
from jevbias.mock.request import AskedQuestion, SystemOneRequest, UnprocessableRequest


@dataclass(frozen=True)
class FoundCase:
    """A case with the person's block as the payload shows it."""

    key: str
    scenario: Scenario
    variant: Variant
    person: Mapping[str, JsonValue]


class CaseBook:
    """The cases of a catalogue, found again by their facts; the fact that claims a career may be capped."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._scenarios = catalogue.scenarios
        self._known = {
            _fingerprint(scenario, facts): (key, variant)
            for key, scenario in catalogue.scenarios.items()
            for variant, facts in scenario.variants.items()
        }

    def find(self, request: SystemOneRequest) -> FoundCase:
        """The case of a request. Raises UnprocessableRequest for one that the catalogue does not have."""
        state = request.state
        if isinstance(state, dict):
            for scenario in self._scenarios.values():
                facts, person = state.get(scenario.case_key), state.get(scenario.role_key)
                if not isinstance(facts, dict) or not isinstance(person, dict):
                    continue
                if found := self._known.get(_fingerprint(scenario, facts)):
                    key, variant = found
                    return FoundCase(key, self._scenarios[key], variant, person)
        raise UnprocessableRequest.at(
            ["state"], "The mock answers cases of its catalogue only", "unknown_case"
        )


def asked_question(case: FoundCase, key: str, asked: AskedQuestion) -> Question:
    """The catalogue's question of that name, kind and options. Raises UnprocessableRequest."""
    question = case.scenario.questions.get(key)
    if question is None:
        message = f"The mock knows no question '{key[:60]}' in {case.key}"
        raise UnprocessableRequest.at(["questions", key], message, "unknown_question")
    if question.kind != asked.type or _options(question.criteria) != _options(asked.criteria):
        message = f"The mock knows '{key}' in {case.key} as a {question.kind} with other options"
        raise UnprocessableRequest.at(["questions", key], message, "unknown_question")
    return question


def _options(criteria: object) -> object:
    """What makes two questions the same to answer: option names in order, or the number of levels."""
    if isinstance(criteria, Mapping):
        return list(criteria)
    return len(criteria) if isinstance(criteria, list) else None


def _fingerprint(scenario: Scenario, facts: Mapping[str, JsonValue]) -> str:
    kept = {key: value for key, value in facts.items() if key != scenario.career_field}
    return json.dumps([scenario.case_key, scenario.role_key, kept], sort_keys=True)
