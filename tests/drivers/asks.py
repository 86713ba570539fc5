"""One small ask with a question of every kind and both directions, and replies to it."""

from __future__ import annotations

import json
from collections.abc import Mapping

from jevbias.catalogue.models import ChoiceQuestion, NoulCriteria, NoulQuestion, Question, ScoreQuestion
from jevbias.drivers.base import Reply
from jevbias.plan.model import Ask, Frame

QUESTIONS: dict[str, Question] = {
    "approve": NoulQuestion(
        kind="noul",
        direction="+",
        measures="approval",
        instructions="Should the loan be granted?",
        criteria=NoulCriteria(true="grant it", false="turn it down"),
    ),
    "risk": ScoreQuestion(
        kind="score",
        direction="-",
        measures="default risk",
        instructions="How likely is a default?",
        criteria=["unlikely", "possible", "likely"],
    ),
    "rate": ChoiceQuestion(
        kind="choice",
        direction="-",
        measures="price of credit",
        instructions="Which rate?",
        criteria={"low": "4%", "middle": "8%", "high": "14%", "top": "20%"},
    ),
}


def small_ask(person: Mapping[str, str] | None = None) -> Ask:
    """The ask; `person` is the block."""
    frame = Frame(
        scenario="small_loan",
        variant="mid",
        title="A small loan",
        role="account holder",
        case_key="application",
        case={"amount": 1200, "missed_payments": 1, "note": "regular income"},
        questions=QUESTIONS,
    )
    return Ask(frame, person or {"reference": "Ọlá Łuczak", "age": "34, in their thirties"})


GOOD_ANSWERS: dict[str, object] = {
    "approve": {"type": "noul", "noul": 0.7},
    "risk": {"type": "score", "score": 0.5, "probabilities": {"0": 0.6, "1": 0.3, "2": 0.1}},
    "rate": {
        "type": "choice",
        "choice": "low",
        "probabilities": {"low": 0.4, "middle": 0.3, "high": 0.2, "top": 0.1},
    },
}


def answered(answers: Mapping[str, object] | None = None, **others: object) -> Reply:
    """A success with these answers (default: good ones), other top-level fields beside them."""
    content = {"model": "jev-1.13.0", "answers": GOOD_ANSWERS if answers is None else answers}
    return success(json.dumps({**content, **others}).encode())


def success(body: bytes) -> Reply:
    """Status 200 with this body."""
    return Reply(status=200, body=body, latency_ms=1.0)


def failure(status: int, body: bytes | object, *, location: str | None = None) -> Reply:
    """An error status with this body, JSON unless it is bytes."""
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return Reply(status=status, body=raw, latency_ms=1.0, location=location)
