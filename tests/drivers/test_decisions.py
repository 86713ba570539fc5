"""Jev through OpenRouter: what is System One's, and what is not."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from jevbias.drivers.openrouter_decisions import decisions_root, render_decisions
from jevbias.drivers.select import choose_driver, open_driver, render_body
from jevbias.drivers.system_one import render_system_one
from jevbias.plan.model import Ask
from jevbias.settings import load_settings
from tests.drivers.asks import QUESTIONS, failure, small_ask, success
from tests.drivers.every_driver import driver_called, reply_content
from tests.drivers.loopback import http_reply, loopback


def with_objects() -> Ask:
    """An ask whose instructions and criteria hold more than text."""
    approve = QUESTIONS["approve"].model_copy(update={"instructions": {"ask": "Grant it?", "as": "cläim"}})
    risk = QUESTIONS["risk"].model_copy(update={"criteria": ["unlikely", {"means": "possible"}, ["likely"]]})
    rate = QUESTIONS["rate"].model_copy(update={"criteria": {"low": {"rate": 4}, "high": "14%"}})
    questions: Any = {"approve": approve, "risk": risk, "rate": rate}
    return Ask(replace(small_ask().frame, questions=questions), small_ask().person)


def test_of_plain_text_the_body_is_that_of_system_one() -> None:
    assert render_decisions("typesafe/jev-1.13", small_ask()) == render_system_one(
        "typesafe/jev-1.13", small_ask()
    )


def test_what_is_no_text_is_sent_as_its_json_to_openrouter_and_untouched_to_typesafe() -> None:
    routed = json.loads(render_body("openrouter-decisions", "m", with_objects()))["questions"]
    assert routed["approve"]["instructions"] == '{"ask":"Grant it?","as":"cläim"}'
    assert routed["risk"]["criteria"] == ["unlikely", '{"means":"possible"}', '["likely"]']
    assert routed["rate"]["criteria"] == {"low": '{"rate":4}', "high": "14%"}
    direct = json.loads(render_body("jev", "m", with_objects()))["questions"]
    assert direct["approve"]["instructions"] == {"ask": "Grant it?", "as": "cläim"}
    assert direct["risk"]["criteria"] == ["unlikely", {"means": "possible"}, ["likely"]]
    assert direct["rate"]["criteria"] == {"low": {"rate": 4}, "high": "14%"}


@pytest.mark.parametrize("driver", ["openrouter", "openai"])
def test_a_chat_model_reads_an_object_among_its_questions_as_one(driver: str) -> None:
    system = json.loads(render_body(driver, "m", with_objects()))["messages"][0]["content"]
    text = system if isinstance(system, str) else system[0]["text"]
    assert '"instructions":{"ask":"Grant it?","as":"cläim"}' in text


@pytest.mark.parametrize(
    ("base_url", "address"),
    [
        ("https://openrouter.ai/api/v1", "https://openrouter.ai/api/alpha/decisions"),
        ("http://127.0.0.1:8799/api/v1", "http://127.0.0.1:8799/api/alpha/decisions"),
        ("http://127.0.0.1:8799", "http://127.0.0.1:8799/alpha/decisions"),
        ("https://gateway.example/v1beta", "https://gateway.example/v1beta/alpha/decisions"),
    ],
)
def test_decisions_are_beside_the_version_and_not_below_it(base_url: str, address: str) -> None:
    assert f"{decisions_root(base_url)}/alpha/decisions" == address


def test_the_cost_that_openrouter_reports_is_the_cost() -> None:
    content = reply_content("openrouter-decisions")
    reading = driver_called("openrouter-decisions").read(small_ask(), success(json.dumps(content).encode()))
    assert (reading.verdict, reading.rejected) == ("answered", {})
    assert (reading.cost, reading.input_tokens, reading.output_tokens) == (0.0000341, 812, 24)
    assert reading.model_answered == "jev-1.13.0"
    del content["usage"]["cost"]
    free = driver_called("openrouter-decisions").read(small_ask(), success(json.dumps(content).encode()))
    assert free.cost is None


def test_what_stops_a_run_names_openrouters_settings() -> None:
    driver = driver_called("openrouter-decisions")
    refused = driver.read(small_ask(), failure(401, {"error": {"code": 401, "message": "no"}})).error or ""
    assert refused.endswith("the key in OPENROUTER_API_KEY is not accepted")
    unknown = driver.read(small_ask(), failure(404, {})).error or ""
    assert unknown.endswith("check OPENROUTER_BASE_URL, and that there is a model typesafe/jev-1.13")
    page = driver.read(small_ask(), success(b"<html>")).error or ""
    assert page.endswith(
        "/alpha/decisions answered 200 with something that is not JSON; is that OpenRouter's decisions API?"
    )


def test_a_run_asks_there_with_openrouters_key(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)  # no .env of whoever runs the tests
    body = json.dumps(reply_content("openrouter-decisions")).encode()

    async def run() -> None:
        async with loopback(http_reply(200, body)) as server:
            settings = load_settings(
                driver="openrouter-decisions",
                openrouter_base_url=f"{server.url}/api/v1/",
                openrouter_api_key="sk-or-1234567890",
                typesafe_api_key="sk-other-1234567890",
            )
            choice = choose_driver(settings)
            assert (choice.model, choice.base_url) == ("typesafe/jev-1.13", f"{server.url}/api/v1")
            async with open_driver(choice, settings) as driver:
                reading = driver.read(small_ask(), await driver.send(driver.render(small_ask())))
            assert reading.verdict == "answered"
            head, sent = server.requests[0]
            assert head.startswith("POST /api/alpha/decisions HTTP/1.1")
            assert "Bearer sk-or-1234567890\r\n" in head
            assert sent == render_decisions("typesafe/jev-1.13", small_ask())

    asyncio.run(run())
