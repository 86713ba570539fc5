"""How many tokens a chat takes, and which of them a provider's prefix cache serves."""

from __future__ import annotations

import time
from dataclasses import dataclass

from jevbias.mock.listing import Price

LIFETIME = 300.0
"""Seconds that an entry lives after its last use."""


@dataclass(frozen=True)
class Usage:
    """The tokens of one chat; cached ones are prompt tokens too, reasoning ones completion tokens too."""

    prompt: int
    completion: int
    cached: int
    reasoning: int = 0

    def content(self, price: Price | None) -> dict[str, object]:
        """The `usage` of a response, with `cost` (US dollars) where a price is given."""
        content: dict[str, object] = {
            "prompt_tokens": self.prompt,
            "completion_tokens": self.completion,
            "total_tokens": self.prompt + self.completion,
            "prompt_tokens_details": {"cached_tokens": self.cached},
            "completion_tokens_details": {"reasoning_tokens": self.reasoning},
        }
        if price is not None:
            content["cost"] = price.cost(self.prompt, self.completion, self.cached)
        return content


class PrefixCache:
    """Remembers the instructions that a model was given in the last five minutes."""

    def __init__(self) -> None:
        self._used: dict[tuple[str, str], float] = {}

    def cached_tokens(self, model: str, instructions: str) -> int:
        """How many tokens of these instructions need not be read again; notes that they were read."""
        now = time.monotonic()
        known = now - self._used.get((model, instructions), float("-inf")) <= LIFETIME
        self._used[model, instructions] = now
        return tokens(instructions) if known and instructions else 0


def tokens(text: str) -> int:
    """About how many tokens a text has."""
    return 1 + len(text.encode("utf-8", "surrogatepass")) // 4
