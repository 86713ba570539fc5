"""Scores on a scale of their own, such as a reward model's, in a store whose answers lie on [0, 1].

The reply that is stored holds the score as it came, and that is what the battery reads. The answer beside it
is the score on (0, 1) by a strictly increasing curve, flagged, so that it keeps its rank.
"""

from __future__ import annotations

import json
import math
import numbers

from jevbias.drivers.base import Answer, Reading, Reply
from jevbias.drivers.json_text import BrokenJson, read_json

RESCALED = "rescaled"
LARGEST = 1e100
"""A score's size at most: squares of larger ones are no numbers any more."""


def score_body(score: object) -> bytes:
    """The reply that a score is stored as; one that is no finite number is stored as the reason."""
    fault = score_fault(score)
    content = {"fault": fault} if fault else {"score": float(score)}  # type: ignore[arg-type]
    return json.dumps(content).encode()


def failure_body(message: str) -> bytes:
    """The reply that a scorer's failure is stored as."""
    return json.dumps({"failed": message}).encode()


def score_fault(score: object) -> str | None:
    """What is wrong with a score; None for a finite number."""
    if score is None:
        return "no score"
    if isinstance(score, bool) or not isinstance(score, numbers.Real):
        return f"the score is no number but {type(score).__name__}"
    try:
        value = float(score)
    except (OverflowError, ValueError):
        return "the score is out of range"
    if not math.isfinite(value):
        return f"the score is {value}"
    return None if abs(value) <= LARGEST else f"the score {value:g} is out of range"


def read_score(question: str, reply: Reply) -> Reading:
    """What a stored reply means."""
    content = _content(reply.body)
    if "failed" in content:
        return Reading("failed", error_kind="scorer_failed", error=str(content["failed"]))
    score = stored_score(reply.body)
    if score is None:
        fault = str(content.get("fault", "no score"))
        return Reading("malformed", rejected={question: fault}, error_kind="no_score", error=fault)
    value = 0.5 + 0.5 * score / (1 + abs(score))
    return Reading("answered", (Answer(question, "score", value, value, flags=(RESCALED,)),))


def stored_score(body: bytes) -> float | None:
    """The score of a stored reply as it came; None where there is none."""
    score = _content(body).get("score")
    return float(score) if isinstance(score, int | float) and not isinstance(score, bool) else None


def _content(body: bytes) -> dict[str, object]:
    try:
        content = read_json(body)
    except BrokenJson:
        return {}
    return dict(content) if isinstance(content, dict) else {}
