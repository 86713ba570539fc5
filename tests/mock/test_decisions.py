"""Decisions: System One's answers with an id, a provider and a cost, and plain strings only."""

from __future__ import annotations

import json
from typing import Any

import pytest

from jevbias.catalogue.catalogue import Catalogue
from jevbias.mock.serve import RunningMock
from tests.mock.http import post
from tests.mock.payloads import payload

DECISIONS = "/api/alpha/decisions"


def test_the_answers_are_those_of_system_one_with_what_openrouter_adds(
    catalogue: Catalogue, exact_mock: RunningMock
) -> None:
    body = payload(catalogue)
    direct, decided = (post(exact_mock, path, body).content for path in ("/v1/systemone", DECISIONS))
    assert set(decided) == {"id", "provider", "model", "answers", "usage"}
    assert decided["answers"] == direct["answers"]
    assert decided["model"] == "jevbias/mock-decisions-20260101"
    usage = decided["usage"]
    assert usage["cost"] == pytest.approx(usage["input_tokens"] * 4.2e-8, abs=1e-12)
    assert decided["id"] != post(exact_mock, DECISIONS, body).content["id"]


@pytest.mark.parametrize(
    ("question", "key", "value"),
    [
        ("advance", "instructions", {"ask": "Advance?"}),
        ("advance", "criteria", {"true": {"a": "b"}, "false": "no"}),
        ("competence", "criteria", [["a"], "b", "c", "d"]),
        ("salary_band", "instructions", ["one", "two"]),
    ],
)
def test_instructions_and_criteria_that_are_no_strings_are_refused(
    catalogue: Catalogue, exact_mock: RunningMock, question: str, key: str, value: object
) -> None:
    body: dict[str, Any] = json.loads(payload(catalogue))
    body["questions"][question][key] = value
    assert post(exact_mock, "/v1/systemone", body).status == 200, "TypeSafe takes them"
    reply = post(exact_mock, DECISIONS, body)
    assert reply.status == 400
    assert reply.content["error"]["message"] == (
        f"questions.{question}: instructions and criteria must be strings"
    )


def test_what_is_no_request_is_refused_in_openrouters_words(exact_mock: RunningMock) -> None:
    reply = post(exact_mock, DECISIONS, b"{}")
    assert (reply.status, reply.content["error"]["code"]) == (400, 400)
    assert post(exact_mock, "/api/alpha/elsewhere", b"{}").content["error"]["code"] == 404
