"""What every reading keeps to, whatever was read."""

from __future__ import annotations

import math
from typing import get_args

from jevbias.drivers.base import Reading, Verdict
from tests.drivers.asks import QUESTIONS


def check_honest(reading: Reading) -> None:
    """One verdict of those there are, values in range, counts that are counts, messages of one short line."""
    assert reading.verdict in get_args(Verdict)
    assert (reading.verdict == "answered") == bool(reading.answers)
    answered = [answer.question for answer in reading.answers]
    assert len(answered) == len(set(answered))
    if answered:
        assert {*answered, *reading.rejected} == set(QUESTIONS)
        assert not set(answered) & set(reading.rejected)
    for answer in reading.answers:
        assert 0 <= answer.value <= 1
        assert 0 <= answer.favourability <= 1
        assert answer.confidence is None or 0 <= answer.confidence <= 1
    texts = [reading.error or "", reading.error_kind or "", reading.model_answered or ""]
    texts += reading.rejected.values()
    assert all(text.isprintable() and len(text) <= 700 for text in texts)
    assert reading.verdict == "answered" or (reading.error and reading.error_kind)
    for count in (reading.input_tokens, reading.output_tokens, reading.cached_tokens):
        assert count is None or (isinstance(count, int) and 0 <= count < 2**63)
    assert reading.cost is None or (math.isfinite(reading.cost) and reading.cost >= 0)
