"""What calls will take: tokens and money with a range that holds the truth, and no price that is made up."""

from __future__ import annotations

import json
from typing import Any

import pytest

from jevbias.catalogue.catalogue import Catalogue
from jevbias.catalogue.lookup import find_profile
from jevbias.drivers.chat_prompt import MOST_TOKENS_REASONING, system_text, user_text
from jevbias.drivers.pricing import TokenPrice
from jevbias.drivers.providers import find_provider
from jevbias.drivers.select import DriverChoice
from jevbias.drivers.spending import CACHE_WRITES, estimate_spending
from jevbias.drivers.system_one import render_system_one
from jevbias.plan.build import build_plan
from jevbias.plan.model import Ask

PRICE = TokenPrice(5.0, 25.0, "a test")
FREE_OUTPUT = TokenPrice(0.042, 0.0, "a test")


def choice(driver: str, effort: str | None = None) -> DriverChoice:
    return DriverChoice(
        find_provider(driver), "m-1", "https://there.example/v1", needs_key=True, reasoning_effort=effort
    )


@pytest.fixture(scope="module")
def asks(catalogue: Catalogue) -> list[tuple[Ask, int]]:
    key, profile = find_profile(catalogue, "pilot")
    return [(ask, 2) for ask in build_plan(catalogue, key, profile, 3).asks.values()]


def test_input_is_counted_from_the_very_requests(asks: list[tuple[Ask, int]]) -> None:
    spending = estimate_spending(asks, choice("jev"), None)
    sent = sum(times * len(render_system_one("m-1", ask)) for ask, times in asks)
    assert spending.calls == 2 * len(asks)
    assert spending.input_tokens.low == pytest.approx(0.8 * sent / 4.2, rel=0.002)
    assert spending.input_tokens.high == pytest.approx(1.2 * sent / 4.2, rel=0.002)


@pytest.mark.parametrize("driver", ["openrouter", "openai"])
def test_a_chat_is_counted_from_what_the_model_reads_and_the_schema_is_charged_or_not(
    asks: list[tuple[Ask, int]], driver: str
) -> None:
    spending = estimate_spending(asks, choice(driver), None)
    read = sum(times * len((system_text(ask.frame) + user_text(ask)).encode()) for ask, times in asks)
    assert spending.input_tokens.low == pytest.approx(0.8 * read / 4.2, rel=0.002)
    assert 1.2 * read / 4.2 < spending.input_tokens.high < 1.2 * 1.5 * read / 4.2


@pytest.mark.parametrize("driver", ["jev", "openrouter-decisions", "openrouter", "openai"])
def test_without_a_price_there_is_no_cost(asks: list[tuple[Ask, int]], driver: str) -> None:
    spending = estimate_spending(asks, choice(driver), None)
    assert (spending.cost, spending.dearest_call) == (None, None)


def test_output_is_told_from_the_questions(asks: list[tuple[Ask, int]]) -> None:
    spending = estimate_spending(asks, choice("openai"), None)
    fewest = most = 0.0
    for ask, times in asks:
        fewest += times * len(_answer(ask, 0.5, None)) / 2.65
        most += times * len(_answer(ask, 0.125, 2)) / 1.55
    assert fewest <= spending.output_tokens.low < spending.output_tokens.high <= most


def _answer(ask: Ask, number: float, indent: int | None) -> str:
    answer: dict[str, Any] = {
        key: dict.fromkeys(question.criteria, number) if question.kind == "choice" else number
        for key, question in ask.frame.questions.items()
    }
    separators = (",", ":") if indent is None else None
    return json.dumps(answer, indent=indent, separators=separators)


def test_a_model_that_is_asked_to_think_may_write_all_that_it_is_allowed(asks: list[tuple[Ask, int]]) -> None:
    spending = estimate_spending(asks, choice("openai", "high"), PRICE)
    assert spending.output_tokens.high == spending.calls * MOST_TOKENS_REASONING
    plain = estimate_spending(asks, choice("openai", "none"), PRICE)
    assert plain.output_tokens == estimate_spending(asks, choice("openai"), PRICE).output_tokens
    assert spending.output_tokens.low == plain.output_tokens.low


def test_the_cost_is_the_price_of_both_ends(asks: list[tuple[Ask, int]]) -> None:
    spending = estimate_spending(asks, choice("jev"), FREE_OUTPUT)
    assert spending.cost is not None
    assert spending.cost.low == pytest.approx(spending.input_tokens.low * 0.042e-6)
    assert spending.cost.high == pytest.approx(spending.input_tokens.high * 0.042e-6)


def test_writing_to_the_cache_may_cost_more(asks: list[tuple[Ask, int]]) -> None:
    plain = estimate_spending(asks, choice("openai"), TokenPrice(5.0, 0.0, "a test")).cost
    marked = estimate_spending(asks, choice("openrouter"), TokenPrice(5.0, 0.0, "a test")).cost
    assert plain is not None
    assert marked is not None
    assert marked.high == pytest.approx(CACHE_WRITES * plain.high)
    assert marked.low == plain.low


def test_a_share_of_the_price_is_charged_in_batches(asks: list[tuple[Ask, int]]) -> None:
    whole = estimate_spending(asks, choice("openrouter"), PRICE)
    half = estimate_spending(asks, choice("openrouter"), PRICE, share=0.5)
    assert whole.cost is not None
    assert half.cost is not None
    assert (half.cost.low, half.cost.high) == (whole.cost.low / 2, whole.cost.high / 2)
    assert half.dearest_call == (whole.dearest_call or 0.0) / 2


def test_the_dearest_call_is_dearer_than_the_mean_and_cheaper_than_all(asks: list[tuple[Ask, int]]) -> None:
    spending = estimate_spending(asks, choice("openai"), PRICE)
    assert spending.cost is not None
    assert spending.dearest_call is not None
    assert spending.cost.high / spending.calls <= spending.dearest_call < spending.cost.high / 10
