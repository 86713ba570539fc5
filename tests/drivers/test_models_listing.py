"""Listings of models, in every shape in use and in none."""

from __future__ import annotations

import asyncio
import json
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jevbias.drivers.models_listing import (
    PATHS,
    ListedModel,
    Listing,
    fetch_listing,
    find_listed,
    near_names,
    read_listing,
)
from jevbias.drivers.providers import PROVIDERS
from tests.drivers.loopback import Loopback, http_reply, loopback, open_transport

OPENROUTER = {
    "id": "acme/large-2",
    "canonical_slug": "acme/large-2-20260301",
    "name": "Acme: Large 2",
    "context_length": 200_000,
    "architecture": {"input_modalities": ["text", "image"], "output_modalities": ["text"]},
    "pricing": {"prompt": "0.00000125", "completion": "0.00001", "request": "0"},
    "supported_parameters": ["max_tokens", "reasoning", "response_format", "structured_outputs"],
    "reasoning": {"mandatory": True, "supported_efforts": ["high", "low", "none", None]},
}


def read(content: object, driver: str = "openrouter") -> tuple[ListedModel, ...] | None:
    return read_listing(json.dumps(content).encode(), driver)


def test_openrouters_listing_gives_prices_per_million_parameters_and_efforts() -> None:
    assert read({"data": [OPENROUTER]}) == (
        ListedModel(
            name="acme/large-2",
            other_name="acme/large-2-20260301",
            context=200_000,
            input_price=1.25,
            output_price=10.0,
            parameters=frozenset({"max_tokens", "reasoning", "response_format", "structured_outputs"}),
            efforts=frozenset({"high", "low"}),
            outputs=frozenset({"text"}),
        ),
    )


@pytest.mark.parametrize(
    ("content", "names"),
    [
        ({"object": "list", "data": [{"id": "b", "object": "model"}, {"id": "a"}]}, ["a", "b"]),
        ({"object": "list", "data": [{"id": "llama3.2:latest", "owned_by": "library"}]}, ["llama3.2:latest"]),
        (
            {"models": [{"name": "jev-latest", "description": "", "release_date": "2026-09-15"}]},
            ["jev-latest"],
        ),
        ([{"id": "bare/list"}], ["bare/list"]),
        ({"data": ["by-name-alone"]}, ["by-name-alone"]),
        ({"data": []}, []),
        (
            {"data": [{"id": 7}, None, {"id": ""}, {"id": "a\nb"}, {"id": "x" * 300}, {"id": "good"}]},
            ["good"],
        ),
        ({"data": [{"id": "twice"}, {"id": "twice", "context_length": 5}]}, ["twice"]),
    ],
)
def test_every_shape_in_use_is_read_and_entries_without_a_usable_name_are_passed_over(
    content: object, names: list[str]
) -> None:
    models = read(content)
    assert models is not None
    assert [model.name for model in models] == names


def test_where_a_server_lists_in_two_shapes_the_drivers_own_counts() -> None:
    both = {"data": [{"id": "chat"}], "models": [{"name": "jev"}]}
    assert [[model.name for model in read(both, driver) or ()] for driver in ("jev", "openai")] == [
        ["jev"],
        ["chat"],
    ]


@pytest.mark.parametrize(
    "body", [b"", b"<html>", b'"text"', b"7", b"{}", b'{"data": 3}', b"\xff", b"[" * 9999]
)
def test_what_is_no_listing_is_none(body: bytes) -> None:
    assert read_listing(body, "openai") is None


@pytest.mark.parametrize(
    ("price", "per_million"),
    [
        ("0.000000042", 0.042),
        ("0", 0.0),
        (3e-6, 3.0),
        ("-1", None),
        ("nan", None),
        ("inf", None),
        ("1e400", None),
        ("", None),
        (None, None),
        (True, None),
        ([], None),
        (10**400, None),
    ],
)
def test_a_price_that_is_none_is_not_known_rather_than_free(price: object, per_million: float | None) -> None:
    (model,) = read({"data": [{"id": "m", "pricing": {"prompt": price}}]}) or ()
    assert model.input_price == per_million


@pytest.mark.parametrize("field", ["context_length", "context_window", "max_model_len", "max_context_length"])
def test_the_context_is_found_under_the_names_it_goes_by(field: str) -> None:
    (model,) = read({"data": [{"id": "m", field: 8192}]}) or ()
    assert model.context == 8192


HOSTILE = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.sampled_from(["nan", "-inf", "1e999", "\ud83d", "\x1b[2J"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["data", "models", "id", "name", *OPENROUTER, "prompt", "supports_batch"])
            | st.text(),
            inner,
            max_size=8,
        )
    ),
    max_leaves=12,
)


@settings(derandomize=True, deadline=None, max_examples=60)
@given(HOSTILE)
def test_whatever_a_server_lists_names_are_printable_and_numbers_finite(entry: Any) -> None:
    for content in (entry, {"data": [entry]}, {"data": [{"id": "m", "pricing": entry, "reasoning": entry}]}):
        for model in read(content) or ():
            assert model.name.isprintable()
            assert 0 < len(model.name) <= 200
            for number in (model.context, model.input_price, model.output_price):
                assert number is None or (math.isfinite(number) and number >= 0)
            assert model.lacks("high") in (None, "structured_outputs", "reasoning", "effort")


@settings(derandomize=True, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_are_a_listing_or_none(body: bytes) -> None:
    assert isinstance(read_listing(body, "jev"), tuple | None)


def test_a_model_is_found_by_its_other_name_and_without_a_routing_suffix() -> None:
    models = (ListedModel("a/m", other_name="a/m-1"), ListedModel("a/m:free"), ListedModel("a/m-1:free"))
    for name, found in (("a/m", 0), ("a/m-1", 0), ("a/m:nitro", 0), ("a/m:free", 1), ("a/m-1:floor", 0)):
        assert find_listed(models, name) is models[found]
    assert find_listed(models, "m") is None
    assert find_listed(models, ":nitro") is None
    assert find_listed(models, "a/m:extended") is None


@pytest.mark.parametrize(
    ("typed", "likeliest"),
    [
        ("claude-sonnet-9", "anthropic/claude-sonnet-9"),
        ("Anthropic/Claude-Sonnet-9", "anthropic/claude-sonnet-9"),
        ("antropic/claude-sonet-9", "anthropic/claude-sonnet-9"),
        ("opus", "anthropic/claude-opus-9"),
    ],
)
def test_near_names_are_those_the_user_may_have_meant(typed: str, likeliest: str) -> None:
    names = ["anthropic/claude-opus-9", "anthropic/claude-sonnet-9", "google/gemini-9", "x/y"]
    assert near_names(names, typed)[0] == likeliest
    assert near_names(names, "qqqqqqqq") == []


def test_what_a_driver_can_use_follows_from_what_comes_out_of_a_model() -> None:
    chat = ListedModel("c", parameters=frozenset({"structured_outputs"}), outputs=frozenset({"text"}))
    prose = ListedModel("p", parameters=frozenset({"max_tokens"}), outputs=frozenset({"text"}))
    decides = ListedModel("d", parameters=frozenset(), outputs=frozenset({"decisions"}))
    unknown = ListedModel("u")
    for driver, usable in (
        ("openrouter", {"c", "u"}),
        ("openai", {"c", "u"}),
        ("openrouter-decisions", {"d", "u"}),
        ("jev", {"c", "p", "d", "u"}),
    ):
        assert {m.name for m in (chat, prose, decides, unknown) if m.is_usable(driver)} == usable


def test_every_driver_with_a_server_has_a_place_where_models_are_listed() -> None:
    assert set(PATHS) == {name for name, provider in PROVIDERS.items() if provider.address is not None}


def fetch(reply: bytes, driver: str) -> tuple[Listing, Loopback]:
    async def run() -> tuple[Listing, Loopback]:
        async with loopback(reply) as server:
            transport = open_transport(server.url)
            try:
                return await fetch_listing(transport, driver), server
            finally:
                await transport.aclose()

    return asyncio.run(run())


def test_each_driver_asks_where_its_server_lists_its_models() -> None:
    good = http_reply(200, b'{"data": [{"id": "m"}]}')
    for driver, path in (
        ("jev", "/v1/models"),
        ("openai", "/models"),
        ("openrouter", "/models"),
        ("openrouter-decisions", "/models?output_modalities=decisions"),
    ):
        listing, server = fetch(good, driver)
        assert listing.models == (ListedModel("m"),)
        assert server.requests[0][0].startswith(f"GET {path} HTTP/1.1\r\n")


@pytest.mark.parametrize("status", [301, 401, 404, 405, 429, 500])
def test_a_server_that_answers_anything_but_a_success_lists_no_models(status: int) -> None:
    listing, _ = fetch(http_reply(status, b'{"data": [{"id": "m"}]}'), "openai")
    assert (listing.models, listing.reply.status) == (None, status)
