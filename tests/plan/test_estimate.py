"""Tokens of a plan: a range told from what is sent, before anybody is asked."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jevbias.catalogue.catalogue import Catalogue
from jevbias.catalogue.lookup import find_profile
from jevbias.drivers.system_one import render_system_one
from jevbias.plan.build import build_plan
from jevbias.plan.estimate import BYTES_PER_TOKEN, estimate_plan, tokens_of

MEASURED = {"32,768-token Mistral": 3.74, "131,072-token Mistral": 4.01, "Claude 2": 4.25, "o200k": 4.35}
"""Bytes a token over requests of the shipped profiles: the extremes of public tokenisers."""


@pytest.mark.parametrize("bytes_per_token", MEASURED.values(), ids=MEASURED.keys())
def test_the_range_holds_what_public_tokenisers_make_of_the_requests(bytes_per_token: float) -> None:
    tokens = tokens_of(1_000_000)
    assert tokens.low <= 1_000_000 / bytes_per_token <= tokens.high


@given(st.integers(0, 10**12))
def test_a_range_lies_around_the_rule_of_thumb(text_bytes: int) -> None:
    tokens = tokens_of(text_bytes)
    assert tokens.low <= text_bytes / BYTES_PER_TOKEN <= tokens.high
    assert tokens.low <= tokens.middle <= tokens.high


@pytest.mark.parametrize("profile", ["smoke", "pilot", "factorial"])
def test_a_plan_is_as_long_as_the_requests_that_it_makes(catalogue: Catalogue, profile: str) -> None:
    key, wanted = find_profile(catalogue, profile)
    plan = build_plan(catalogue, key, wanted, 7)
    estimate = estimate_plan(plan)
    sent = sum(len(render_system_one("jev-latest", plan.asks[probe.ask_hash])) for probe in plan.probes)
    assert estimate.calls == len(plan.probes)
    assert estimate.input_tokens == pytest.approx(sent / BYTES_PER_TOKEN, rel=0.05)
    assert estimate.input_tokens_low < estimate.input_tokens < estimate.input_tokens_high
    assert estimate.input_tokens_high == pytest.approx(1.2 * estimate.input_tokens, rel=0.001)
