"""Replies of chat models that hold no answer: refusals, errors inside a success, and what stops a run."""

from __future__ import annotations

import json
from typing import Any

import pytest

from jevbias.drivers.base import Reply
from tests.drivers.asks import failure, small_ask, success
from tests.drivers.chat_replies import GOOD_TEXT, every_chat, read, said, values
from tests.drivers.every_driver import NOWHERE, chat_content, driver_called


@pytest.mark.parametrize(
    ("content", "kind", "line"),
    [
        (chat_content(None, refusal="I will not\njudge people."), "refused", "I will not judge people."),
        (chat_content([{"type": "refusal", "refusal": "No."}]), "refused", "No."),
        (chat_content("I cannot", finish="refusal"), "refusal", "I cannot"),
        (chat_content("", finish="content_filter"), "content_filter", "the model declined without a reason"),
        (chat_content(GOOD_TEXT, finish="content_filter"), "content_filter", GOOD_TEXT),
    ],
)
def test_a_model_that_declines_is_refused_and_what_it_took_is_kept(
    content: dict[str, Any], kind: str, line: str
) -> None:
    reading = read(content)
    assert (reading.verdict, reading.error_kind, reading.error) == ("refused", kind, line)
    assert (reading.answers, reading.cost) == ((), 0.0021)


@pytest.mark.parametrize("refusal", [None, "", " ", 0, []])
def test_an_empty_refusal_is_none(refusal: object) -> None:
    assert said(GOOD_TEXT, refusal=refusal).verdict == "answered"


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (403, {"code": 403, "message": "flagged", "metadata": {"reasons": ["hate"], "flagged_input": "…"}}),
        (400, {"code": "content_filter", "message": "flagged"}),
        (200, {"code": "content_filter", "message": "flagged"}),
        (400, {"type": "content_policy_violation", "message": "flagged"}),
    ],
)
def test_a_filter_before_the_model_refuses_one_probe_and_stops_nothing(status: int, error: object) -> None:
    reading = driver_called("openrouter").read(small_ask(), failure(status, {"error": error}))
    assert (reading.verdict, reading.error_kind) == ("refused", "content_filter")
    assert (reading.error or "").endswith("flagged")


# Errors


@every_chat
@pytest.mark.parametrize(
    ("content", "verdict", "kind"),
    [
        ({"choices": None, "error": {"code": 429, "message": "busy"}}, "retry", "http_429"),
        ({"choices": None, "error": {"code": "429", "message": "busy"}}, "retry", "http_429"),
        ({"choices": [], "error": {"code": 502, "message": "provider down"}}, "retry", "http_502"),
        ({"error": {"code": 402, "message": "no credit"}}, "stop", "http_402"),
        ({"error": {"code": "401"}}, "stop", "http_401"),
        ({"error": {"code": 400, "message": "bad"}}, "failed", "http_400"),
        ({"error": {"code": "rate_limit_exceeded", "message": "slow down"}}, "malformed", "error_in_reply"),
        ({"error": "text"}, "malformed", "error_in_reply"),
        ({"choices": [{"error": {"code": 503, "message": "gone"}, "message": {}}]}, "retry", "http_503"),
    ],
)
def test_an_error_inside_a_success_is_classified_by_its_own_code(
    name: str, content: object, verdict: str, kind: str
) -> None:
    reading = read(content, name)
    assert (reading.verdict, reading.error_kind) == (verdict, kind)


def test_an_error_beside_a_part_of_an_answer_counts_and_what_it_took_is_kept() -> None:
    content = chat_content(GOOD_TEXT, finish="error")
    content["choices"][0]["error"] = {"code": 502, "message": "the provider broke off"}
    reading = read(content)
    assert (reading.verdict, reading.answers, reading.cost) == ("retry", (), 0.0021)


@pytest.mark.parametrize("error", [None, "", {}, [], False])
def test_an_error_that_says_nothing_is_none(error: object) -> None:
    assert read({**chat_content(GOOD_TEXT), "error": error}).verdict == "answered"


def test_a_finish_for_an_error_that_nobody_explains_is_no_answer() -> None:
    reading = said(GOOD_TEXT, finish="error")
    assert (reading.verdict, reading.error_kind) == ("malformed", "error_in_reply")


@pytest.mark.parametrize(("name", "setting"), [("openrouter", "OPENROUTER"), ("openai", "OPENAI")])
@pytest.mark.parametrize(
    ("status", "advice"),
    [
        (401, "the key in {}_API_KEY is not accepted"),
        (402, "credit"),
        (403, "the key in {}_API_KEY may not use model some/model"),
        (404, "check {}_BASE_URL (it usually ends in /v1), and that there is a model some/model"),
        (307, "it redirects to https://example.org/moved: set {}_BASE_URL"),
    ],
)
def test_what_stops_a_run_names_the_settings_of_its_driver(
    name: str, setting: str, status: int, advice: str
) -> None:
    reply = failure(status, {"error": {"message": "no\nway"}}, location="https://example.org/moved")
    reading = driver_called(name).read(small_ask(), reply)
    assert (reading.verdict, reading.error_kind) == ("stop", f"http_{status}")
    error = reading.error or "\n"
    assert advice.format(setting) in error
    assert error.startswith(f"{NOWHERE}/chat/completions answered {status}")
    assert error.isprintable()
    assert "TYPESAFE" not in error


@pytest.mark.parametrize(("name", "setting"), [("openrouter", "OPENROUTER"), ("openai", "OPENAI")])
def test_a_server_that_wants_a_key_and_got_none_says_which(name: str, setting: str) -> None:
    reading = driver_called(name, key=None).read(small_ask(), failure(401, {}))
    assert (reading.error or "").endswith(f"no key was sent and the server wants one: set {setting}_API_KEY")


@pytest.mark.parametrize("field", ["code", "type"])
def test_a_429_of_an_account_without_credit_is_not_retried(field: str) -> None:
    error = {field: "insufficient_quota", "message": "You exceeded your current quota"}
    reading = driver_called("openai").read(small_ask(), failure(429, {"error": error}))
    assert (reading.verdict, reading.error_kind) == ("stop", "http_429")
    assert "no credit" in (reading.error or "")
    busy = driver_called("openai").read(small_ask(), failure(429, {"error": {"code": "rate_limit_exceeded"}}))
    assert busy.verdict == "retry"


@pytest.mark.parametrize(
    "reply",
    [
        failure(404, {"error": {"code": 404, "message": "No endpoints available"}}),
        failure(404, {"error": {"code": 404, "message": "No endpoints found that can handle the requested"}}),
        success(b'{"error": {"code": "404", "message": "No endpoints available"}}'),
    ],
)
def test_a_model_that_nobody_serves_under_strict_stops_and_is_named_with_what_it_lacks(reply: Reply) -> None:
    reading = driver_called("openrouter").read(small_ask(), reply)
    assert (reading.verdict, reading.error_kind) == ("stop", "http_404")
    error = reading.error or "\n"
    assert "some/model" in error
    assert "structured outputs" in error
    assert "No endpoints" in error
    assert "reasoning" not in error
    assert error.isprintable()
    thinking = driver_called("openrouter", reasoning_effort="low").read(small_ask(), reply)
    assert "reasoning" in (thinking.error or "")


def test_a_model_whose_providers_the_account_shuts_out_is_not_said_to_lack_anything() -> None:
    message = "No endpoints available matching your guardrail restrictions and data policy"
    reading = driver_called("openrouter").read(small_ask(), failure(404, {"error": {"message": message}}))
    assert reading.verdict == "stop"
    assert "privacy settings" in (reading.error or "")
    assert "structured outputs" not in (reading.error or "")


def test_a_providers_own_words_are_in_the_line() -> None:
    error = {
        "code": 400,
        "message": "Provider returned error",
        "metadata": {"raw": '{"error":{"message":"schema too large"}}', "provider_name": "Somebody"},
    }
    reading = driver_called("openrouter").read(small_ask(), failure(400, {"error": error}))
    assert reading.verdict == "failed"
    assert "Provider returned error" in (reading.error or "")
    assert "schema too large" in (reading.error or "")


@every_chat
def test_a_page_in_place_of_json_stops_and_names_the_address(name: str) -> None:
    for body in (b"<!doctype html><title>Welcome</title>", b"OK", b"[1, 2]", b"null"):
        reading = read(body, name)
        assert (reading.verdict, reading.error_kind) == ("stop", "wrong_address")
        assert f"{NOWHERE}/chat/completions" in (reading.error or "")
        assert "chat completions server" in (reading.error or "")


def test_white_space_that_keeps_a_connection_alive_is_no_answer_yet() -> None:
    assert values(read(b"\n   \n\n" + json.dumps(chat_content(GOOD_TEXT)).encode()))["approve"] == 0.7
    assert (read(b"\n \n").verdict, read(b"\n \n").error_kind) == ("retry", "truncated")
