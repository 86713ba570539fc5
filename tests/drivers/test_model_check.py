"""A model that cannot take a run is refused before anything is spent on it, and never because of a server."""

from __future__ import annotations

import asyncio
import json
import socket

import pytest

from jevbias.drivers.model_check import check_model
from jevbias.drivers.select import choose_driver
from jevbias.errors import UsageError
from jevbias.settings import Settings
from tests.drivers.loopback import Reaction, http_reply, loopback

LISTED = {
    "data": [
        {"id": "acme/large", "supported_parameters": ["max_tokens", "structured_outputs", "response_format"]},
        {
            "id": "acme/thinks",
            "canonical_slug": "acme/thinks-1",
            "supported_parameters": ["structured_outputs", "reasoning"],
            "reasoning": {"mandatory": True, "supported_efforts": ["none", "low", "high"]},
        },
        {"id": "acme/plain", "supported_parameters": ["max_tokens", "response_format"]},
        {"id": "acme/silent"},
    ]
}
LISTING = http_reply(200, json.dumps(LISTED).encode())


def complaint(
    model: str, reply: bytes | Reaction = LISTING, effort: str | None = None, driver: str = "openrouter"
) -> str | None:
    """What `check_model` says of it, None where it passes."""

    async def run() -> str | None:
        async with loopback(reply) as server:
            address = {"OPENROUTER_BASE_URL": server.url, "OPENAI_BASE_URL": server.url}
            wanted = {"JEVBIAS_DRIVER": driver, "JEVBIAS_MODEL": model, "JEVBIAS_REASONING_EFFORT": effort}
            settings = Settings.model_validate({**address, **wanted, "JEVBIAS_TIMEOUT": 1})
            try:
                await check_model(choose_driver(settings), settings)
            except UsageError as error:
                return str(error)
            return None

    return asyncio.run(run())


@pytest.mark.parametrize("model", ["acme/large", "acme/large:nitro", "acme/thinks-1", "acme/silent"])
def test_a_listed_model_that_can_be_held_to_a_schema_passes(model: str) -> None:
    assert complaint(model) is None


def test_a_model_without_structured_outputs_is_refused_with_that_parameter_named() -> None:
    said = complaint("acme/plain")
    assert said is not None
    for part in ("acme/plain", "structured_outputs", "doctor --driver openrouter --models"):
        assert part in said


def test_a_model_that_is_not_listed_is_refused_with_those_it_may_have_been() -> None:
    said = complaint("large")
    assert said is not None
    assert "lists no 'large'; did you mean acme/large?" in said
    assert "did you mean" not in (complaint("zzzzzzzzzzzz") or "")


@pytest.mark.parametrize(
    ("model", "effort", "said"),
    [
        ("acme/large", "high", "acme/large lacks reasoning"),
        ("acme/thinks", "medium", "acme/thinks does not take medium; it takes low, high"),
        ("acme/thinks", "none", "acme/thinks does not take none; it takes low, high"),
        ("acme/thinks", "high", None),
        ("acme/silent", "high", None),
    ],
)
def test_a_reasoning_effort_that_a_model_does_not_take_is_refused(
    model: str, effort: str, said: str | None
) -> None:
    refused = complaint(model, effort=effort)
    assert refused is None if said is None else said in (refused or "")


@pytest.mark.parametrize(
    "reply",
    [
        http_reply(500, b"broken"),
        http_reply(404, b'{"error": {"code": 404}}'),
        http_reply(401, b'{"error": {"code": 401}}'),
        http_reply(302, b"", "Location: https://elsewhere.example/"),
        http_reply(200, b"<html>"),
        http_reply(200, b'{"data": []}'),
        http_reply(200, b'{"data": [{"id":'),
        http_reply(200, b'{"error": {"code": 429, "message": "busy"}}'),
        b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\nConnection: close\r\n\r\n{",
        b"\x00\x01\x02 not http\r\n\r\n",
    ],
)
def test_a_listing_that_cannot_be_had_is_no_hindrance(reply: bytes) -> None:
    assert complaint("no/such-model", reply) is None


def test_a_server_that_says_nothing_is_not_waited_for_beyond_the_timeout() -> None:
    async def silent(_: asyncio.StreamWriter) -> None:
        await asyncio.sleep(30)

    assert complaint("no/such-model", silent) is None


def test_a_server_that_is_not_there_is_no_hindrance() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    settings = Settings.model_validate(
        {"OPENROUTER_BASE_URL": address, "JEVBIAS_DRIVER": "openrouter", "JEVBIAS_MODEL": "no/such"}
    )
    asyncio.run(check_model(choose_driver(settings), settings))


def test_other_servers_do_not_list_what_models_support_and_every_model_passes() -> None:
    assert complaint("llama3.2", driver="openai") is None
    assert complaint("typesafe/jev-1.13", driver="openrouter-decisions") is None
