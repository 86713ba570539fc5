"""What someone else needs to write a mock of their own: the cases, and which way an answer is better."""

from __future__ import annotations

from typing import Any

from jevbias.catalogue.catalogue import Catalogue
from jevbias.catalogue.models import VARIANTS, ChoiceQuestion, NoulQuestion, Question


def export_variants(catalogue: Catalogue) -> dict[str, Any]:
    """Every scenario's cases, from weak to strong, and questions with their kind, direction and ordered
    options, as JSON-ready data. A case is recognised by its facts under `case_key`, `career_field` left out.
    """
    return {
        "version": 1,
        "scenarios": {
            key: {
                "role_key": scenario.role_key,
                "case_key": scenario.case_key,
                "career_field": scenario.career_field,
                "variants": {variant: scenario.variants[variant] for variant in VARIANTS},
                "questions": {name: _question(question) for name, question in scenario.questions.items()},
            }
            for key, scenario in catalogue.scenarios.items()
        },
    }


def _question(question: Question) -> dict[str, Any]:
    return {"kind": question.kind, "direction": question.direction, "options": _options(question)}


def _options(question: Question) -> list[str]:
    """What probabilities are keyed by, from least to most of the thing asked about."""
    if isinstance(question, NoulQuestion):
        return ["false", "true"]
    if isinstance(question, ChoiceQuestion):
        return list(question.criteria)
    return [str(level) for level in range(len(question.criteria))]
