"""Which models a figure is about, in a few words that stand in its row."""

from __future__ import annotations

from jevbias.collab.arms.choose import ARMS
from jevbias.collab.mock_llm import MOCK_LLM

_NO_REAL_MODEL = ": about no real model"


def about_arm(arm: str, llm: str | None, decision: str | None, *, llm_is_real: bool) -> str:
    """Whom an arm's figures are about."""
    kind = ARMS[arm]
    who = [
        *([llm or "an LLM"] if kind.uses_llm and llm_is_real else []),
        *([decision or "a decision model"] if kind.uses_decision else []),
    ]
    if kind.uses_llm and not llm_is_real:
        return about_stand_in(llm or MOCK_LLM)
    return " with ".join(who) or "no model"


def about_stand_in(llm: str) -> str:
    """Whom everything is about that a stand-in for an LLM took part in."""
    return f"{llm}{_NO_REAL_MODEL}"


def about_pair(first: str, second: str) -> str:
    """Whom a comparison is about, from what its two arms are about."""
    for about in (first, second):
        if about.endswith(_NO_REAL_MODEL):
            return about
    parts = dict.fromkeys(part for part in (first, second))
    return "; ".join(parts)
