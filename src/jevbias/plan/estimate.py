"""What a plan will cost, before a call is made."""

from __future__ import annotations

from dataclasses import dataclass

from jevbias.catalogue.canonical import canonical_json
from jevbias.plan.model import Plan

BYTES_PER_TOKEN = 4.2
"""A rule of thumb for JSON in English; tokenisers differ from it by about a fifth either way."""


@dataclass(frozen=True)
class PlanEstimate:
    """People, calls and input tokens of a plan; tokens are estimated from the length of what is sent."""

    people: int
    calls: int
    answers: int
    input_tokens: int


def estimate_plan(plan: Plan) -> PlanEstimate:
    """Count a plan. Tokens are the bytes of frame and person, at a rule of thumb of bytes per token."""
    frame_bytes: dict[str, int] = {}
    ask_bytes: dict[str, int] = {}
    for ask_hash, ask in plan.asks.items():
        frame = ask.frame
        if frame.hash not in frame_bytes:
            frame_bytes[frame.hash] = len(canonical_json(frame.content))
        ask_bytes[ask_hash] = frame_bytes[frame.hash] + len(canonical_json(dict(ask.person)))
    return PlanEstimate(
        people=len(plan.people),
        calls=len(plan.probes),
        answers=sum(len(plan.asks[probe.ask_hash].frame.questions) for probe in plan.probes),
        input_tokens=round(sum(ask_bytes[probe.ask_hash] for probe in plan.probes) / BYTES_PER_TOKEN),
    )
