"""What tokens cost, from the price table."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase

from jevbias.catalogue.models import Prices


@dataclass(frozen=True)
class TokenPrice:
    """US dollars per million tokens, and who says so and when, in a few words."""

    input_per_million: float
    output_per_million: float
    source: str

    def cost(self, input_tokens: float, output_tokens: float) -> float:
        """What so many tokens cost, in US dollars."""
        return (input_tokens * self.input_per_million + output_tokens * self.output_per_million) / 1e6


def find_price(prices: Prices | None, driver: str, model: str) -> TokenPrice | None:
    """The first entry of the table that matches driver and model; None where none does."""
    for price in prices.prices if prices is not None else ():
        if price.driver == driver and fnmatchcase(model, price.model):
            source = f"{price.source}, checked {price.checked}"
            return TokenPrice(price.input_per_million, price.output_per_million, source)
    return None


def price_of(
    prices: Prices | None, driver: str, model: str, input_tokens: int | None, output_tokens: int | None
) -> float | None:
    """The cost of one reply in US dollars, from the table.

    None, never 0, where the table has no such model or the server counted no tokens (0 and 0 is not counting,
    and so is a count of only one side whose other side has a price).
    """
    if not (input_tokens or output_tokens):
        return None
    price = find_price(prices, driver, model)
    if price is None:
        return None
    sides = ((input_tokens, price.input_per_million), (output_tokens, price.output_per_million))
    if any(tokens is None and per_million > 0 for tokens, per_million in sides):
        return None
    return price.cost(input_tokens or 0, output_tokens or 0)
