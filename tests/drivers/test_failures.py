"""What a reply without an answer means, and its reason in one line."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jevbias.drivers.failures import (
    MESSAGE_LIMIT,
    error_message,
    one_line,
    verdict_of_fault,
    verdict_of_status,
)
from tests.drivers.asks import failure


@pytest.mark.parametrize(
    ("statuses", "verdict"),
    [
        ((408, 409, 425, 429, 500, 502, 503, 504, 529, 599), "retry"),
        ((401, 402, 403, 404, 301, 302, 307, 308), "stop"),
        ((400, 405, 406, 410, 413, 415, 422, 451, 100, 600, 999), "failed"),
    ],
)
def test_what_can_pass_is_retried_and_what_nobody_could_do_stops(
    statuses: tuple[int, ...], verdict: str
) -> None:
    assert {verdict_of_status(status) for status in statuses} == {verdict}


@pytest.mark.parametrize(
    ("fault", "verdict"),
    [
        ("timeout", "retry"),
        ("connection", "retry"),
        ("dns", "retry"),
        ("truncated", "retry"),
        ("tls", "stop"),
        ("server_died", "stop"),
        ("invalid", "failed"),
    ],
)
def test_faults_of_the_way_there(fault: str, verdict: str) -> None:
    assert verdict_of_fault(fault) == verdict


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"detail": "Too many score levels"}, "Too many score levels"),
        ({"detail": {"error_type": "max_tokens_exceeded"}}, "max_tokens_exceeded"),
        ({"detail": {"error_type": "bad", "message": "Too long"}}, "bad: Too long"),
        (
            {
                "detail": [
                    {"loc": ["body", "questions", "advance", 0], "msg": "Field required", "type": "missing"}
                ]
            },
            "questions.advance.0: Field required",
        ),
        (
            {"detail": [{"loc": ["body", n], "msg": "no", "type": "t"} for n in "abcde"]},
            "a: no; b: no; c: no (and 2 more)",
        ),
        ({"error": "not found"}, "not found"),
        ({"error": {"message": "minimum not supported"}}, "minimum not supported"),
        ({"error": {"type": "invalid", "message": "no such thing", "code": 400}}, "invalid: no such thing"),
        ({"message": "bare"}, "bare"),
        ({"error_type": "kind", "message": "both"}, "kind: both"),
        ("just text", "just text"),
        (b"plain text\nof a proxy", "plain text of a proxy"),
        (b"<html>413</html>", ""),
        (b"", ""),
        ({"unknown": 1}, '{"unknown": 1}'),
        ({"detail": [1, {"msg": 3}], "error": None}, '{"detail": [1, {"msg": 3}], "error": null}'),
    ],
)
def test_every_shape_of_an_error_gives_its_own_message(body: object, message: str) -> None:
    assert error_message(failure(400, body)) == message


def test_control_characters_are_stripped_and_the_length_is_bounded() -> None:
    hostile = {"detail": "\x1b[2J\x07red\r\nline \u202e\ud83d" + "x" * 100_000}
    message = error_message(failure(400, json.dumps(hostile).encode()))
    assert message.startswith("[2J red line")
    assert message.isprintable()
    assert len(message) == MESSAGE_LIMIT


def test_a_body_that_nests_without_end_has_a_message_too() -> None:
    assert error_message(failure(400, b'{"detail":' * 50_000)).startswith('{"detail"')
    deep = b'{"error":' * 300 + b"1" + b"}" * 300
    assert error_message(failure(400, deep)).startswith('{"error"')


@settings(derandomize=True, deadline=None, max_examples=150)
@given(
    st.binary(max_size=200) | st.text(max_size=200).map(lambda text: json.dumps({"detail": text}).encode())
)
def test_any_body_is_one_bounded_printable_line(body: bytes) -> None:
    message = error_message(failure(500, body))
    assert message.isprintable()
    assert len(message) <= MESSAGE_LIMIT


def test_one_line_keeps_the_letters_of_every_language() -> None:
    assert one_line("Ọlá  Łuczak\n李") == "Ọlá Łuczak 李"
