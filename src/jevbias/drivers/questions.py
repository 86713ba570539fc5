"""A question as System One words it on the wire; the other ways of asking build on it."""

from __future__ import annotations

from typing import Any

from jevbias.catalogue.models import Question


def question_content(question: Question) -> dict[str, Any]:
    """`{"type", "instructions", "criteria"}`, with nothing of the catalogue that is not asked."""
    criteria: object = question.criteria
    if question.kind == "noul":
        criteria = {"true": question.criteria.true, "false": question.criteria.false}
    return {"type": question.kind, "instructions": question.instructions, "criteria": criteria}
