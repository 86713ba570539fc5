"""Chat completions: strict schemas kept, prose without one, tokens, caches, and the official client."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from pydantic import BaseModel

from jevbias.catalogue.catalogue import Catalogue
from jevbias.catalogue.models import VARIANTS, Variant
from jevbias.drivers.chat_prompt import render_chat
from jevbias.mock.effects import Effect
from jevbias.mock.model import MockModel
from jevbias.mock.serve import RunningMock, running_mock
from jevbias.plan.model import Ask, Frame
from tests.mock.http import post
from tests.mock.payloads import (
    answer_schema,
    chat_payload,
    favourability,
    full_block,
    payload,
    written_favourability,
)

if TYPE_CHECKING:
    from openai import OpenAI

COMPATIBLE, OPENROUTER = "/v1/chat/completions", "/api/v1/chat/completions"


def official(mock: RunningMock, url: str | None = None) -> OpenAI:
    """The client, imported where it is used: that takes more than a second in each process of tests."""
    from openai import OpenAI

    return OpenAI(api_key="any-key", base_url=url or mock.openai_url, max_retries=0)


def written(content: Any) -> str:
    return str(content["choices"][0]["message"]["content"])


# The official client


@pytest.mark.parametrize("face", ["openai_url", "openrouter_url"])
def test_the_official_client_works_unmodified_for_every_scenario(
    catalogue: Catalogue, exact_mock: RunningMock, face: str
) -> None:
    with official(exact_mock, getattr(exact_mock, face)) as client:
        for key, scenario in catalogue.scenarios.items():
            body = chat_payload(catalogue, key)
            completion = client.chat.completions.create(**body)
            content = completion.choices[0].message.content
            assert content is not None
            jsonschema.validate(json.loads(content), answer_schema(scenario))
            assert completion.choices[0].finish_reason == "stop"
            assert completion.model == "jevbias/mock-chat-20260101"
            assert completion.usage is not None
            assert completion.usage.prompt_tokens > 100
            assert completion.usage.completion_tokens > 0


def test_the_official_client_lists_the_models(exact_mock: RunningMock) -> None:
    with official(exact_mock) as client:
        assert "jevbias/mock-chat" in [model.id for model in client.models.list()]


def test_the_official_client_parses_a_schema_of_its_own(exact_mock: RunningMock) -> None:
    class Step(BaseModel):
        reason: str
        sure: bool

    class Verdict(BaseModel):
        share: float
        steps: list[Step]
        first: Step
        note: str | None

    with official(exact_mock) as client:
        messages: list[Any] = [{"role": "user", "content": "Anything."}]
        parsed = client.chat.completions.parse(model="any", messages=messages, response_format=Verdict)
    assert isinstance(parsed.choices[0].message.parsed, Verdict)


def test_the_official_client_reads_refusals(catalogue: Catalogue, exact_mock: RunningMock) -> None:
    from openai import BadRequestError, NotFoundError

    with official(exact_mock, exact_mock.openrouter_url) as client:
        with pytest.raises(BadRequestError, match="not a valid model ID"):
            client.chat.completions.create(**chat_payload(catalogue, model="nobody/knows"))
        lacking = chat_payload(catalogue, model="jevbias/mock-prose")
        required = {"provider": {"require_parameters": True}}
        with pytest.raises(NotFoundError, match="No endpoints found"):
            client.chat.completions.create(**lacking, extra_body=required)


# What is answered


def test_every_face_gives_answers_of_the_same_expected_value(catalogue: Catalogue) -> None:
    person = full_block(catalogue, religion="muslim")
    effects = [Effect(attribute="religion", level="muslim", size=-0.06)]
    with running_mock(MockModel(catalogue, noise=0, effects=effects)) as mock:
        for key in catalogue.scenarios:
            for variant in VARIANTS:
                direct = post(mock, "/v1/systemone", payload(catalogue, key, variant, person))
                decided = post(mock, "/api/alpha/decisions", payload(catalogue, key, variant, person))
                chatted = post(mock, COMPATIBLE, chat_payload(catalogue, key, variant, person))
                routed = post(
                    mock, OPENROUTER, chat_payload(catalogue, key, variant, person, openrouter=True)
                )
                expected = pytest.approx(favourability(catalogue, key, direct.content), abs=1e-12)
                assert favourability(catalogue, key, decided.content) == expected
                assert written_favourability(catalogue, key, written(chatted.content)) == expected
                assert written_favourability(catalogue, key, written(routed.content)) == expected


def test_the_projects_own_prompt_is_understood(catalogue: Catalogue, exact_mock: RunningMock) -> None:
    for key, scenario in catalogue.scenarios.items():
        facts = scenario.variants["mid"]
        frame = Frame(key, "mid", scenario.title, scenario.role, scenario.case_key, facts, scenario.questions)
        ask = Ask(frame, {"reference": f"The {scenario.role}"})
        direct = post(exact_mock, "/v1/systemone", payload(catalogue, key))
        for driver, path in (("openai", COMPATIBLE), ("openrouter", OPENROUTER)):
            reply = post(exact_mock, path, render_chat(driver, "jevbias/mock-chat", ask))
            assert reply.status == 200
            assert written_favourability(catalogue, key, written(reply.content)) == pytest.approx(
                favourability(catalogue, key, direct.content), abs=1e-12
            )


def test_the_noise_of_a_chat_is_keyed_by_its_body_and_its_count(catalogue: Catalogue) -> None:
    def three(seed: int) -> list[str]:
        with running_mock(MockModel(catalogue, seed=seed)) as mock:
            return [written(post(mock, COMPATIBLE, chat_payload(catalogue)).content) for _ in range(3)]

    first = three(7)
    assert len(set(first)) == 3
    assert three(7) == first
    assert not set(three(8)) & set(first)


@pytest.mark.parametrize("form", [None, {"type": "text"}, {"type": "json_object"}, "loose"])
def test_without_a_strict_schema_the_answer_is_prose(
    catalogue: Catalogue, exact_mock: RunningMock, form: object
) -> None:
    if form == "loose":
        form = {"type": "json_schema", "json_schema": {"name": "a", "schema": {"type": "object"}}}
    reply = post(exact_mock, COMPATIBLE, chat_payload(catalogue, response_format=form))
    assert reply.status == 200
    with pytest.raises(ValueError, match="Expecting value"):
        json.loads(written(reply.content))


def test_a_model_without_structured_outputs_writes_prose_where_nothing_is_required(
    catalogue: Catalogue, exact_mock: RunningMock
) -> None:
    reply = post(exact_mock, OPENROUTER, chat_payload(catalogue, model="jevbias/mock-prose"))
    assert reply.status == 200
    assert not written(reply.content).startswith("{")


def test_a_local_server_answers_to_any_name_and_a_router_to_those_it_lists(
    catalogue: Catalogue, exact_mock: RunningMock
) -> None:
    anything = chat_payload(catalogue, model="llama-of-mine")
    assert post(exact_mock, COMPATIBLE, anything).content["model"] == "jevbias/mock-chat-20260101"
    assert post(exact_mock, OPENROUTER, anything).status == 400
    dated = chat_payload(catalogue, model="jevbias/mock-chat-20260101")
    assert post(exact_mock, OPENROUTER, dated).status == 200
    for path in (COMPATIBLE, OPENROUTER):
        assert post(exact_mock, path, chat_payload(catalogue, model="jevbias/mock-decisions")).status == 404


# Tokens and money


def test_instructions_seen_before_come_from_the_cache(catalogue: Catalogue, exact_mock: RunningMock) -> None:
    def cached(variant: Variant, **more: Any) -> int:
        body = chat_payload(catalogue, "lending", variant, **more)
        usage = post(exact_mock, OPENROUTER, body).content["usage"]
        assert 0 <= usage["prompt_tokens_details"]["cached_tokens"] < usage["prompt_tokens"]
        return int(usage["prompt_tokens_details"]["cached_tokens"])

    assert cached("mid") == 0
    assert cached("mid", person=full_block(catalogue)) > 100
    assert cached("weak") == 0
    assert cached("mid", model="jevbias/mock-chat-sync") == 0


def test_a_router_reports_the_cost_of_its_prices_and_a_local_server_none(
    catalogue: Catalogue, exact_mock: RunningMock
) -> None:
    assert "cost" not in post(exact_mock, COMPATIBLE, chat_payload(catalogue)).content["usage"]
    for _ in range(2):
        usage = post(exact_mock, OPENROUTER, chat_payload(catalogue)).content["usage"]
        cached = usage["prompt_tokens_details"]["cached_tokens"]
        fresh = usage["prompt_tokens"] - cached
        expected = fresh * 1e-6 + cached * 1e-7 + usage["completion_tokens"] * 4e-6
        assert usage["cost"] == pytest.approx(expected, abs=1e-12)


def test_reasoning_takes_tokens_and_what_is_too_long_is_cut_off(
    catalogue: Catalogue, exact_mock: RunningMock
) -> None:
    high = post(exact_mock, COMPATIBLE, chat_payload(catalogue, reasoning_effort="high")).content
    assert high["usage"]["completion_tokens_details"]["reasoning_tokens"] == 256
    assert post(exact_mock, COMPATIBLE, chat_payload(catalogue, reasoning_effort="huge")).status == 400
    cut = post(exact_mock, COMPATIBLE, chat_payload(catalogue, max_tokens=10)).content
    assert cut["choices"][0]["finish_reason"] == "length"
    assert cut["usage"]["completion_tokens"] == 10
    assert high["choices"][0]["message"]["content"].startswith(written(cut))
    thought = chat_payload(catalogue, max_tokens=200, reasoning={"effort": "high"})
    assert written(post(exact_mock, OPENROUTER, thought).content) == ""


def test_a_required_parameter_that_a_model_lacks_finds_no_endpoint(
    catalogue: Catalogue, exact_mock: RunningMock
) -> None:
    asked: dict[str, Any] = {"openrouter": True, "reasoning": {"effort": "low"}}
    assert post(exact_mock, OPENROUTER, chat_payload(catalogue, **asked)).status == 200
    lacking = chat_payload(catalogue, model="jevbias/mock-chat-sync", **asked)
    assert post(exact_mock, OPENROUTER, lacking).status == 404


# What is refused


def test_what_is_not_of_the_catalogue_or_not_asked_for_is_refused(
    catalogue: Catalogue, exact_mock: RunningMock
) -> None:
    good = chat_payload(catalogue)
    system, user = good["messages"]

    def refusal(body: object) -> str:
        reply = post(exact_mock, COMPATIBLE, body)
        assert reply.status == 400
        assert set(reply.content["error"]) == {"code", "message", "type"}
        return str(reply.content["error"]["message"])

    def changed(old: str, new: str) -> dict[str, Any]:
        assert old in system["content"]
        return {
            **good,
            "messages": [{**system, "content": system["content"].replace(old, new)}, user],
        }

    assert "catalogue" in refusal(changed('"post"', '"other"'))
    assert "not JSON" in refusal(changed("<case>\n{", "<case>\n"))
    assert "no JSON object" in refusal({**good, "messages": [system, {**user, "content": "[]"}]})
    assert "user's message" in refusal({**good, "messages": [system]})
    lending = chat_payload(catalogue, "lending")["response_format"]
    assert "nothing of that name is asked" in refusal({**good, "response_format": lending})
    assert "stream" in refusal({**good, "stream": True})
    assert refusal({**good, "messages": []}).startswith("messages")
    assert refusal(b"{")
