"""The models, in every shape at once."""

from __future__ import annotations

import pytest
from typesafe_sdk._schemas.models import ModelMetadataList

from jevbias.catalogue.catalogue import Catalogue
from jevbias.mock.listing import CHAT_MODEL, LISTED, PROSE_MODEL, SYNCHRONOUS_MODEL
from jevbias.mock.serve import RunningMock
from tests.mock.http import get, post
from tests.mock.payloads import batch_payload, chat_payload


@pytest.mark.parametrize("path", ["/v1/models", "/api/v1/models"])
def test_a_listing_has_every_clients_shape(exact_mock: RunningMock, path: str) -> None:
    from openai.types import Model

    listing = get(exact_mock, path).content
    ModelMetadataList.model_validate(listing)
    assert listing["object"] == "list"
    for row in listing["data"]:
        Model.model_validate(row)
        assert {"id", "name", "context_length", "pricing", "supported_parameters"} <= set(row)
        assert set(row["pricing"]) >= {"prompt", "completion"}
        assert all(float(price) >= 0 and "e" not in price for price in row["pricing"].values())


def test_decision_models_are_listed_where_they_are_asked_for(exact_mock: RunningMock) -> None:
    def names(query: str) -> set[str]:
        return {row["id"] for row in get(exact_mock, f"/api/v1/models{query}").content["data"]}

    assert names("") == {"jevbias/mock-chat", "jevbias/mock-chat-sync", "jevbias/mock-prose"}
    assert names("?output_modalities=decisions") == {"jevbias/mock-decisions", "typesafe/jev-1.13"}


def test_a_model_can_do_what_its_row_says(catalogue: Catalogue, exact_mock: RunningMock) -> None:
    rows = {row["id"]: row for row in get(exact_mock, "/api/v1/models").content["data"]}
    for name, row in rows.items():
        chat = post(
            exact_mock,
            "/api/v1/chat/completions",
            chat_payload(catalogue, openrouter=True, model=name),
        )
        assert (chat.status == 200) == ("structured_outputs" in row["supported_parameters"])
        batch = post(exact_mock, "/api/v1/batches", batch_payload([chat_payload(catalogue)], model=name))
        assert (batch.status == 202) == row["supports_batch"]


def test_the_kinds_that_a_client_must_tell_apart_are_all_there() -> None:
    assert CHAT_MODEL.structured
    assert CHAT_MODEL.batch
    assert SYNCHRONOUS_MODEL.structured
    assert not SYNCHRONOUS_MODEL.batch
    assert not PROSE_MODEL.structured
    assert any(not model.chats for model in LISTED)
