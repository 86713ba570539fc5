"""Inputs that broke tools like this one, put to every driver that speaks to a server."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from jevbias.catalogue.models import ChoiceQuestion, Question
from jevbias.drivers.base import Reading, Reply
from jevbias.drivers.sendable import UnsendableText
from jevbias.plan.model import Ask
from tests.drivers.asks import QUESTIONS, failure, small_ask, success
from tests.drivers.every_driver import SERVED, chat_content, driver_called, reply_content
from tests.drivers.loopback import http_reply, loopback, open_transport

every_driver = pytest.mark.parametrize("name", SERVED)


def exchange(name: str, reply: bytes, ask: Ask) -> tuple[Reply, Reading, bytes]:
    """Send the ask to a real server that answers so: the reply, its meaning, and what the server got."""

    async def run() -> tuple[Reply, Reading, bytes]:
        async with loopback(reply) as server:
            driver = driver_called(name, open_transport(server.url, key="sk-1234567890"))
            came = await driver.send(driver.render(ask))
            await driver.aclose()
            return came, driver.read(ask, came), server.requests[0][1]

    return asyncio.run(run())


@every_driver
@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"detail": "Too many score levels"}, "Too many score levels"),
        ({"detail": {"error_type": "max_tokens_exceeded"}}, "max_tokens_exceeded"),
        ({"detail": [{"loc": ["body", "model"], "msg": "too long", "type": "x"}]}, "model: too long"),
        ({"error": {"message": "minimum not supported"}}, "minimum not supported"),
        ({"error": "no such thing"}, "no such thing"),
    ],
)
def test_a_request_that_is_at_fault_fails_for_good_with_its_own_message(
    name: str, body: object, said: str
) -> None:
    reading = driver_called(name).read(small_ask(), failure(400, body))
    assert (reading.verdict, reading.error_kind) == ("failed", "http_400")
    assert reading.error == f"400 Bad Request: {said}"


@every_driver
@pytest.mark.parametrize("code", [429, "429"])
def test_an_error_in_a_success_is_classified_by_the_bodys_code(name: str, code: object) -> None:
    body = {"choices": None, "error": {"code": code, "message": "busy"}}
    reading = driver_called(name).read(small_ask(), success(json.dumps(body).encode()))
    assert (reading.verdict, reading.error_kind) == ("retry", "http_429")
    assert reading.error == "429 Too Many Requests: busy"


@every_driver
def test_a_413_is_not_retried_and_gives_the_reason_without_its_page(name: str) -> None:
    reading = driver_called(name).read(small_ask(), failure(413, b"<html>413</html>"))
    assert (reading.verdict, reading.error) == ("failed", "413 Request Entity Too Large")


@every_driver
def test_no_request_holds_a_range_that_a_strict_server_refuses(name: str) -> None:
    body = driver_called(name).render(small_ask())
    for keyword in (b"minimum", b"maximum", b"exclusiveM", b"multipleOf", b"pattern", b"minItems"):
        assert keyword not in body


@every_driver
def test_a_404_without_endpoints_stops_and_names_the_model(name: str) -> None:
    body = {"error": {"code": 404, "message": "No endpoints available"}}
    driver = driver_called(name)
    reading = driver.read(small_ask(), failure(404, body))
    assert reading.verdict == "stop"
    assert driver.model in (reading.error or "")
    assert ("structured outputs" in (reading.error or "")) == (name == "openrouter")


@pytest.mark.parametrize("name", ["openrouter", "openai"])
def test_one_outer_fence_is_stripped_and_flagged(name: str) -> None:
    question = {"p": QUESTIONS["approve"]}
    ask = asking(question)
    body = json.dumps(chat_content('```json\n{"p":0.7}\n```')).encode()
    reading = driver_called(name).read(ask, success(body))
    assert [(answer.value, answer.flags) for answer in reading.answers] == [(0.7, ("repaired",))]


@pytest.mark.parametrize("name", ["openrouter", "openai"])
def test_an_answer_cut_off_is_truncated_never_zero_and_its_cost_is_kept(name: str) -> None:
    body = {"choices": [{"finish_reason": "length", "message": {"content": ""}}], "usage": {"cost": 0.03}}
    reading = driver_called(name).read(small_ask(), success(json.dumps(body).encode()))
    assert (reading.verdict, reading.error_kind, reading.answers) == ("malformed", "truncated", ())
    assert reading.cost == 0.03


@every_driver
def test_names_arrive_intact_and_half_a_surrogate_pair_is_refused_before_it_is_sent(name: str) -> None:
    good = http_reply(200, json.dumps(reply_content(name)).encode())
    _, reading, sent = exchange(name, good, small_ask({"reference": "Ọlá Łuczak"}))
    assert reading.verdict == "answered"
    assert "Ọlá Łuczak".encode() in sent
    for broken in (
        small_ask({"reference": "Ana \ud83d"}),
        Ask(replace(small_ask().frame, case={"note": "Ana \ud83d"}), {"reference": "Ana"}),
        asking({"p": QUESTIONS["approve"].model_copy(update={"instructions": "Grant \udc00 it?"})}),
    ):
        with pytest.raises(UnsendableText) as caught:
            driver_called(name).render(broken)
        assert "small_loan, mid" in str(caught.value)
        assert str(caught.value).isprintable()


@every_driver
@pytest.mark.parametrize("missing", [8, 1, 40])
def test_a_gzip_body_without_its_end_is_a_fault_of_the_way_and_no_answer(name: str, missing: int) -> None:
    packed = gzip.compress(json.dumps(reply_content(name)).encode())
    reply, reading, _ = exchange(
        name, http_reply(200, packed[:-missing], "Content-Encoding: gzip"), small_ask()
    )
    assert (reply.status, reply.fault, reply.possibly_billed) == (None, "truncated", True)
    assert (reading.verdict, reading.error_kind, reading.answers) == ("retry", "truncated", ())
    whole, answered, _ = exchange(name, http_reply(200, packed, "Content-Encoding: gzip"), small_ask())
    assert (whole.status, answered.verdict) == (200, "answered")


@every_driver
def test_probabilities_that_nearly_add_up_are_renormalised_and_percents_are_rejected(name: str) -> None:
    option = {"kind": "choice", "direction": "+", "measures": "m", "instructions": "Which?"}
    ask = asking(
        {"pick": ChoiceQuestion.model_validate({**option, "criteria": {"a": "A", "b": "B", "c": "C"}})}
    )
    near = driver_called(name).read(ask, picked(name, {"a": 0.33, "b": 0.33, "c": 0.33}))
    assert [(answer.value, answer.flags) for answer in near.answers] == [(0.5, ("renormalised",))]
    percents = driver_called(name).read(ask, picked(name, {"a": 33, "b": 33, "c": 34}))
    assert (percents.verdict, percents.answers) == ("malformed", ())
    assert "not from 0 to 1" in percents.rejected["pick"]


def asking(questions: Mapping[str, Question]) -> Ask:
    """The small ask with other questions."""
    return Ask(replace(small_ask().frame, questions=questions), small_ask().person)


def picked(name: str, probabilities: Mapping[str, float]) -> Reply:
    """A success that gives one choice, under the key `pick`, these probabilities."""
    content: dict[str, Any] = reply_content(name)
    if "answers" in content:
        content["answers"] = {"pick": {"type": "choice", "choice": "a", "probabilities": probabilities}}
    else:
        content = chat_content(json.dumps({"pick": probabilities}))
    return success(json.dumps(content).encode())
