"""How good a case is for each question, when nothing but the case counts."""

from __future__ import annotations

import hashlib
from functools import cache

from jevbias.catalogue.models import Variant

MERIT = {"weak": 0.3, "mid": 0.5, "strong": 0.7}
SPREAD = 0.07
"""How far a question's merit may lie from its variant's: less than half of the step between variants, so
that favourability always rises from weak to strong, and small enough to stay within 0.23 to 0.77."""


@cache
def merit(scenario: str, question: str, variant: Variant) -> float:
    """The favourability of a case on its merits, another for each question, always the same."""
    digest = hashlib.sha256(f"{scenario}\x1f{question}\x1f{variant}".encode()).digest()
    fraction = int.from_bytes(digest[:6], "big") / 2**48
    return MERIT[variant] + SPREAD * (2 * fraction - 1)
