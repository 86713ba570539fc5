"""The models that a driver can use, listed."""

from __future__ import annotations

import json

import pytest

from jevbias.mock.serve import RunningMock
from tests.cli.answering import Said, answering
from tests.cli.conftest import Jevbias
from tests.cli.doctor_checks import GOOD, addresses

# Models


def test_the_models_that_a_driver_can_use_are_listed_with_what_is_known_of_them(
    jevbias: Jevbias, mock: RunningMock
) -> None:
    at = addresses(mock.base_url)
    chat = jevbias("doctor", "--models", "--driver", "openrouter", **at)
    assert chat.code == 0
    assert [line.split() for line in chat.out.splitlines()] == [
        ["model", "context", "$/M", "in", "$/M", "out", "schema", "batch"],
        ["jevbias/mock-chat", "128,000", "1", "4", "yes", "yes"],
        ["jevbias/mock-chat-sync", "128,000", "1", "4", "yes", "no"],
    ]
    assert chat.err == "left out: 1 that support no structured outputs\n"
    decisions = jevbias("doctor", "--models", "--driver", "openrouter-decisions", "--json", **at).json
    assert [row["model"] for row in decisions] == ["jevbias/mock-decisions", "typesafe/jev-1.13"]
    jev = jevbias("doctor", "--models", "--driver", "jev", **at).out.splitlines()
    assert [line.split() for line in jev] == [
        ["model", "$/M", "in", "$/M", "out"],
        ["jev-latest", "0.042", "0"],
        ["jevbias-mock-1", "n/a", "n/a"],
    ]
    assert "sparrow-nano-general-v1.1" in jevbias("doctor", "--models", "--driver", "local").out.split()


def test_a_text_narrows_the_list_whatever_its_case(jevbias: Jevbias, mock: RunningMock) -> None:
    at = addresses(mock.base_url)
    one = jevbias("doctor", "--models", "MOCK-CHAT-S", "--driver", "openrouter", "--json", **at)
    assert [row["model"] for row in one.json] == ["jevbias/mock-chat-sync"]
    none = jevbias("doctor", "--models", "zzz", "--driver", "openrouter", **at)
    assert (none.code, none.out) == (0, "")
    assert "lists no such model" in none.err


LONG = "an-author/a-model-whose-name-does-not-fit-into-any-column-of-a-narrow-terminal-20260101"


def test_a_list_fits_eighty_columns_and_every_name_stays_whole(jevbias: Jevbias) -> None:
    rows = [
        {**GOOD, "id": name, "pricing": {"prompt": "0.0000001234", "completion": "0.00123"}}
        for name in (LONG, "a/b")
    ]
    with answering(lambda _: Said(body=json.dumps({"data": rows}).encode())) as server:
        result = jevbias("doctor", "--models", "--driver", "openai", OPENAI_BASE_URL=server.url, COLUMNS="80")
    lines = result.out.splitlines()
    assert LONG in lines
    assert all(len(line) <= 80 for line in lines if line != LONG)
    assert ["1,000", "0.1234", "1,230", "yes"] in [line.split()[-4:] for line in lines]


@pytest.mark.parametrize(
    ("reply", "code", "hint"),
    [
        (Said(404, b"{}"), 0, "lists no models; name one with --model"),
        (Said(200, b"<html>"), 0, "lists no models; name one with --model"),
        (Said(401, b"{}"), 1, "it wants a key: set OPENAI_API_KEY"),
        (Said(500, b'{"error": "broken"}'), 1, "500 Internal Server Error: broken"),
    ],
)
def test_a_server_that_lists_no_models_is_one_line(
    jevbias: Jevbias, reply: Said, code: int, hint: str
) -> None:
    with answering(lambda _: reply) as server:
        result = jevbias("doctor", "--models", "--driver", "openai", OPENAI_BASE_URL=server.url)
    assert (result.code, result.out) == (code, "")
    assert hint in result.err
    assert len(result.err.splitlines()) == 1
