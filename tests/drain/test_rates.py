"""Rates as a user writes them."""

from __future__ import annotations

import pytest

from jevbias.drain.options import DrainOptions, parse_rate, parse_token_rate
from jevbias.errors import UsageError


@pytest.mark.parametrize(
    ("text", "a_minute"),
    [
        ("1200/min", 1200.0),
        ("1200", 1200.0),
        ("20/s", 1200.0),
        (" 20 / sec ", 1200.0),
        ("0.5/second", 30.0),
        ("1200/minute", 1200.0),
        ("72000/h", 1200.0),
        ("90/HOUR", 1.5),
        ("7/min", 7.0),
    ],
)
def test_a_rate_is_read_as_requests_a_minute(text: str, a_minute: float) -> None:
    assert parse_rate(text) == a_minute


@pytest.mark.parametrize(
    ("text", "a_second"), [("250000", 250_000.0), ("250000/s", 250_000.0), ("15000000/min", 250_000.0)]
)
def test_a_rate_of_tokens_is_read_as_tokens_a_second(text: str, a_second: float) -> None:
    assert parse_token_rate(text) == a_second


@pytest.mark.parametrize(
    "text", ["", "0", "0/s", "-3", "nan", "inf", "1e3", "12/day", "12/", "/min", "1,200", "20 per s", "٣/s"]
)
def test_what_is_no_rate_is_refused_and_the_line_says_what_is_one(text: str) -> None:
    with pytest.raises(UsageError, match=r"--rate: .*1200/min, 20/s or 1200"):
        parse_rate(text)
    with pytest.raises(UsageError, match=r"--tokens-per-second: .*250000/s"):
        parse_token_rate(text)


@pytest.mark.parametrize("limit", [0.0, -1.0, float("nan"), float("inf")])
def test_a_limit_on_cost_is_an_amount_of_money(limit: float) -> None:
    with pytest.raises(UsageError, match="--max-cost"):
        DrainOptions(max_cost=limit)
