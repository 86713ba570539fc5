"""Decisions as OpenRouter takes them: System One's questions, instructions and criteria as plain text."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

from jevbias.mock.listing import DECISION_MODEL
from jevbias.mock.model import MockModel
from jevbias.mock.refusal import RefusedRequest
from jevbias.mock.request import (
    AskedQuestion,
    NoulQuestion,
    ScoreQuestion,
    UnprocessableRequest,
    read_request,
)


def decide(model: MockModel, body: bytes) -> dict[str, Any]:
    """The response to a body: System One's, with an `id`, a `provider` and what it cost. Raises
    RefusedRequest (400).
    """
    try:
        answer = model.answer(body)
        questions = read_request(body).questions
    except UnprocessableRequest as invalid:
        fault = invalid.detail[0]
        where = ".".join(str(step) for step in fault["loc"][1:])
        raise RefusedRequest(400, f"{where}: {fault['msg']}" if where else fault["msg"]) from None
    for key, question in questions.items():
        if any(not isinstance(text, str | None) for text in _texts(question)):
            raise RefusedRequest(400, f"questions.{key}: instructions and criteria must be strings")
    usage, digest = answer["usage"], hashlib.sha256(body).hexdigest()
    cost = DECISION_MODEL.price.cost(usage["input_tokens"], usage["output_tokens"])
    return {
        "id": f"gen-{digest[:16]}-{model.times_asked(digest)}",
        "provider": "jevbias",
        **answer,
        "model": DECISION_MODEL.answers_as,
        "usage": {**usage, "cost": cost},
    }


def _texts(question: AskedQuestion) -> Iterator[object]:
    yield question.instructions
    if isinstance(question, NoulQuestion):
        if question.criteria is not None:
            yield from (question.criteria.true, question.criteria.false)
    elif isinstance(question, ScoreQuestion):
        yield from question.criteria
    else:
        yield from question.criteria.values()
