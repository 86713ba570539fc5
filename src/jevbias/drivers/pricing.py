"""What a reply cost, from the price table."""

from __future__ import annotations

from fnmatch import fnmatchcase

from jevbias.catalogue.models import Prices


def price_of(
    prices: Prices | None, driver: str, model: str, input_tokens: int | None, output_tokens: int | None
) -> float | None:
    """The cost of one reply in US dollars; the first entry of the table that matches driver and model counts.

    None, never 0, where the table has no such model or the server counted no tokens (0 and 0 is not counting,
    and so is a count of only one side whose other side has a price).
    """
    if prices is None or not (input_tokens or output_tokens):
        return None
    for price in prices.prices:
        if price.driver != driver or not fnmatchcase(model, price.model):
            continue
        sides = ((input_tokens, price.input_per_million), (output_tokens, price.output_per_million))
        if any(tokens is None and per_million > 0 for tokens, per_million in sides):
            return None
        return sum((tokens or 0) * per_million for tokens, per_million in sides) / 1e6
    return None
