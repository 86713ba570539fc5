"""What a plan will cost, before a call is made."""

from __future__ import annotations

import math
from dataclasses import dataclass

from jevbias.catalogue.canonical import canonical_json
from jevbias.plan.model import Frame, Plan
from jevbias.plan.places import asked_times

BYTES_PER_TOKEN = 4.2
"""A rule of thumb for JSON in English. On the requests of this project five public tokenisers, of 32,000 to
200,000 tokens, lie between 3.7 and 4.4."""
TOKEN_MARGIN = 0.2
"""How far a tokeniser may lie from the rule of thumb, either way."""


@dataclass(frozen=True)
class TokenRange:
    """Tokens that lie between `low` and `high`."""

    low: int
    high: int

    @property
    def middle(self) -> int:
        """The middle of the range."""
        return round((self.low + self.high) / 2)


@dataclass(frozen=True)
class PlanEstimate:
    """People, calls and input tokens of a plan; tokens are estimated from the length of what is sent."""

    people: int
    calls: int
    answers: int
    input_tokens: int
    input_tokens_low: int
    input_tokens_high: int


def tokens_of(text_bytes: float) -> TokenRange:
    """How many tokens so many bytes of a request are, at the rule of thumb and its margin."""
    tokens = text_bytes / BYTES_PER_TOKEN
    return TokenRange(math.floor(tokens * (1 - TOKEN_MARGIN)), math.ceil(tokens * (1 + TOKEN_MARGIN)))


def estimate_plan(plan: Plan) -> PlanEstimate:
    """Count a plan. Tokens are the bytes of the case, the questions and the person, whoever will be asked."""
    frame_bytes: dict[str, int] = {}
    sent = answers = 0
    for ask, times in asked_times(plan):
        frame = ask.frame
        if frame.hash not in frame_bytes:
            frame_bytes[frame.hash] = _asked_bytes(frame)
        sent += times * (frame_bytes[frame.hash] + len(canonical_json(dict(ask.person))))
        answers += times * len(frame.questions)
    tokens = tokens_of(sent)
    return PlanEstimate(
        people=len(plan.people),
        calls=len(plan.probes),
        answers=answers,
        input_tokens=round(sent / BYTES_PER_TOKEN),
        input_tokens_low=tokens.low,
        input_tokens_high=tokens.high,
    )


def _asked_bytes(frame: Frame) -> int:
    content = frame.content
    parts = ("kind", "instructions", "criteria")
    questions = {key: {part: asked[part] for part in parts} for key, asked in content["questions"].items()}
    return len(canonical_json({"state": {frame.case_key: content["case"]}, "questions": questions}))
