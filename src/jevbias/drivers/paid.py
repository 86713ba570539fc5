"""What a reply says about who answered and what it took."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from jevbias.catalogue.models import Prices
from jevbias.drivers.base import Reading, Reply
from jevbias.drivers.failures import one_line
from jevbias.drivers.json_text import BrokenJson, read_json
from jevbias.drivers.pricing import price_of

LARGEST_COUNT = 2**53
LARGEST_COST = 1e3
"""US dollars; what is said to have cost more than that is no cost of one reply."""


@dataclass(frozen=True)
class Paid:
    """The model that answered, its tokens, and the cost in US dollars; None where nobody said."""

    model_answered: str | None
    input_tokens: int | None
    output_tokens: int | None
    cached_tokens: int | None
    cost: float | None

    def on(self, reading: Reading) -> Reading:
        """The reading, with what it took."""
        return replace(
            reading,
            model_answered=self.model_answered,
            input_tokens=self.input_tokens,
            output_tokens=self.output_tokens,
            cached_tokens=self.cached_tokens,
            cost=self.cost,
        )


NOTHING_SAID = Paid(None, None, None, None, None)


def paid_of_reply(reply: Reply, driver: str, model: str, prices: Prices | None) -> Paid:
    """What a reply as it came says about who answered and what it took; see `read_paid`."""
    try:
        content = read_json(reply.body)
    except BrokenJson:
        return NOTHING_SAID
    return read_paid(content, driver, model, prices) if isinstance(content, Mapping) else NOTHING_SAID


def read_paid(content: Mapping[str, object], driver: str, model: str, prices: Prices | None) -> Paid:
    """Read `model` and `usage` of a reply; a cost that is not reported comes from the price table.

    Takes the names of System One (`input_tokens`) and of chat servers (`prompt_tokens`). 0 input tokens is
    not counting. `model` is the one that was asked, whose price counts where the reply names none.
    """
    answered = content.get("model")
    named = one_line(answered, 120) if isinstance(answered, str) else ""
    usage = _object(content.get("usage"))
    tokens_in = _count(usage, "input_tokens", "prompt_tokens") or None
    tokens_out = _count(usage, "output_tokens", "completion_tokens")
    if tokens_in is None:
        tokens_out = tokens_out or None
    details = _object(usage.get("prompt_tokens_details")) or _object(usage.get("input_tokens_details"))
    cached = _count(details, "cached_tokens")
    cost = _cost(usage.get("cost"))
    if cost is None:
        cost = price_of(prices, driver, named or model, tokens_in, tokens_out)
    return Paid(
        named or None, tokens_in, tokens_out, cached if (cached or 0) <= (tokens_in or 0) else None, cost
    )


def _object(raw: object) -> Mapping[str, object]:
    return raw if isinstance(raw, Mapping) else {}


def _count(usage: Mapping[str, object], *names: str) -> int | None:
    """A count of tokens under the first of the names that is there; None for what is no whole number."""
    raw = next((usage[name] for name in names if usage.get(name) is not None), None)
    if isinstance(raw, bool) or not isinstance(raw, int | float) or not 0 <= raw <= LARGEST_COUNT:
        return None
    return int(raw) if raw == int(raw) else None


def _cost(raw: object) -> float | None:
    if isinstance(raw, bool) or not isinstance(raw, int | float) or not 0 <= raw <= LARGEST_COST:
        return None
    return float(raw)
