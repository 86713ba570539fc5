"""The mock over HTTP: the official client, the models, the ledger, refusals."""

from __future__ import annotations

import hashlib
import json
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest
from typesafe_sdk import RetryPolicy, TypeSafeClient
from typesafe_sdk._core.errors import TypeSafeUnprocessableEntityError
from typesafe_sdk._schemas.models import HTTPValidationError, ModelMetadataList

from jevbias.catalogue.catalogue import Catalogue
from jevbias.mock.model import MockModel
from jevbias.mock.serve import RunningMock, running_mock
from tests.mock.payloads import payload, wire_questions


@pytest.fixture
def mock(catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch) -> Iterator[RunningMock]:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with running_mock(MockModel(catalogue)) as running:
        yield running


def get(url: str) -> Any:
    with urllib.request.urlopen(url) as response:
        return json.load(response)


def post(url: str, body: bytes) -> tuple[int, Any, str | None]:
    request = urllib.request.Request(url, data=body, method="POST")
    try:
        with urllib.request.urlopen(request) as response:
            return response.status, json.load(response), response.headers["x-typesafe-request-id"]
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error), error.headers["x-typesafe-request-id"]


def client_of(mock: RunningMock) -> TypeSafeClient:
    return TypeSafeClient(api_key="any-key", base_url=mock.base_url, retry=RetryPolicy(max_retries=0))


def test_the_official_client_works_unmodified_for_every_scenario(
    catalogue: Catalogue, mock: RunningMock
) -> None:
    with client_of(mock) as client:
        for key, scenario in catalogue.scenarios.items():
            state = json.loads(payload(catalogue, key))["state"]
            result = client.system_one(state=state, questions=wire_questions(scenario))
            assert set(result.answers) == set(scenario.questions)
            for name, question in scenario.questions.items():
                answer = result.answers[name]
                assert answer.type == question.kind
        assert "jev-latest" in [model.name for model in client.models.list().models]


def test_the_official_client_reads_a_refusal(catalogue: Catalogue, mock: RunningMock) -> None:
    with (
        client_of(mock) as client,
        pytest.raises(TypeSafeUnprocessableEntityError, match="catalogue") as caught,
    ):
        client.system_one(state="text", questions={"a": {"type": "noul", "instructions": "Is it?"}})
    assert caught.value.request_id is not None
    HTTPValidationError.model_validate(caught.value.body)


def test_models_are_listed_in_the_official_schema(mock: RunningMock) -> None:
    ModelMetadataList.model_validate(get(f"{mock.base_url}/v1/models"))


def test_the_ledger_has_one_row_per_request_with_its_bodys_hash_and_count(
    catalogue: Catalogue, mock: RunningMock
) -> None:
    url = f"{mock.base_url}/v1/systemone"
    good, bad = payload(catalogue), b"{}"
    began = time.time()
    ids = {post(url, body)[2] for body in (good, bad, good)}
    ledger = get(f"{mock.base_url}/ledger")
    digests = [hashlib.sha256(body).hexdigest() for body in (good, bad, good)]
    assert [row["sha256"] for row in ledger] == digests
    assert [row["status"] for row in ledger] == [200, 422, 200]
    assert [row["n"] for row in ledger] == [1, 1, 2]
    assert all(began <= row["at"] <= time.time() for row in ledger)
    assert {(row["face"], row["path"]) for row in ledger} == {("systemone", "/v1/systemone")}
    assert len(ids) == 3


def test_refusals_have_the_documented_shape(mock: RunningMock) -> None:
    status, content, _ = post(f"{mock.base_url}/v1/systemone", b'{"model": "m"}')
    assert status == 422
    assert {tuple(fault["loc"]) for fault in content["detail"]} == {("body", "state"), ("body", "questions")}
    assert post(f"{mock.base_url}/v1/elsewhere", b"{}")[:2] == (404, {"detail": "Not Found"})
    assert post(f"{mock.base_url}/v1/models", b"{}")[:2] == (405, {"detail": "Method Not Allowed"})


def test_latency_is_added_to_every_answer(catalogue: Catalogue) -> None:
    with running_mock(MockModel(catalogue), latency_ms=150) as mock:
        started = time.monotonic()
        post(f"{mock.base_url}/v1/systemone", payload(catalogue))
        assert time.monotonic() - started >= 0.15
