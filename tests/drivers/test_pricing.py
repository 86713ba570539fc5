"""Money: from the price table, or unknown, and never free by accident."""

from __future__ import annotations

import pytest

from jevbias.catalogue.catalogue import Catalogue
from jevbias.catalogue.models import Price, Prices
from jevbias.drivers.pricing import find_price, price_of


def _price(model: str, input_per_million: float, output_per_million: float, driver: str = "jev") -> Price:
    return Price(
        driver=driver,
        model=model,
        input_per_million=input_per_million,
        output_per_million=output_per_million,
        source="a test",
        checked="2026-11-29",
    )


PRICES = Prices(prices=[_price("jev-1.13*", 0.05, 0), _price("jev-*", 0.042, 0), _price("chat-*", 1, 5)])


def test_the_first_entry_that_matches_counts() -> None:
    assert price_of(PRICES, "jev", "jev-1.13.0", 1_000_000, 500) == pytest.approx(0.05)
    assert price_of(PRICES, "jev", "jev-latest", 1_000_000, 500) == pytest.approx(0.042)


def test_both_sides_are_paid_for() -> None:
    assert price_of(PRICES, "jev", "chat-1", 1_000_000, 100_000) == pytest.approx(1.5)


@pytest.mark.parametrize(
    ("driver", "model", "tokens_in", "tokens_out"),
    [
        ("jev", "jevbias-mock-1", 100, 10),
        ("local", "jev-latest", 100, 10),
        ("jev", "jev-latest", 0, 0),
        ("jev", "jev-latest", None, None),
        ("jev", "jev-latest", None, 10),
        ("jev", "chat-1", 10, None),
    ],
)
def test_what_is_not_known_is_none_and_not_nothing(
    driver: str, model: str, tokens_in: int | None, tokens_out: int | None
) -> None:
    assert price_of(PRICES, driver, model, tokens_in, tokens_out) is None


def test_a_missing_count_whose_side_costs_nothing_does_not_matter() -> None:
    assert price_of(PRICES, "jev", "jev-latest", 1_000_000, None) == pytest.approx(0.042)


def test_without_a_table_nothing_has_a_price() -> None:
    assert price_of(None, "jev", "jev-latest", 100, 10) is None


def test_a_price_says_where_it_is_from_and_when_that_was_checked() -> None:
    price = find_price(PRICES, "jev", "jev-1.13.0")
    assert price is not None
    assert (price.input_per_million, price.output_per_million) == (0.05, 0)
    assert price.source == "a test, checked 2026-11-29"
    assert find_price(PRICES, "openai", "jev-1.13.0") is None
    assert find_price(None, "jev", "jev-1.13.0") is None


@pytest.mark.parametrize(
    ("driver", "model"),
    [
        ("jev", "jev-latest"),
        ("jev", "jev-1.13.0"),
        ("openrouter-decisions", "typesafe/jev-1.13"),
        ("openrouter-decisions", "typesafe/jev-1.13-20260917"),
    ],
)
def test_the_shipped_table_has_jev_both_ways(catalogue: Catalogue, driver: str, model: str) -> None:
    price = find_price(catalogue.prices, driver, model)
    assert price is not None
    assert (price.input_per_million, price.output_per_million) == (0.042, 0)


@pytest.mark.parametrize("driver", ["openrouter", "openai"])
def test_the_shipped_table_invents_no_price_of_a_chat_model(catalogue: Catalogue, driver: str) -> None:
    assert find_price(catalogue.prices, driver, "any/chat-model") is None
