"""Batches: how one is submitted, how it goes, and what it has to show."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from jevbias.catalogue.catalogue import Catalogue
from jevbias.mock.batch_submission import read_submission
from jevbias.mock.fault_plan import BatchLife, FaultPlan, FaultReply, FaultRule, When
from jevbias.mock.model import MockModel
from jevbias.mock.refusal import RefusedRequest
from jevbias.mock.serve import RunningMock, running_mock
from tests.mock.http import Got, get, post
from tests.mock.payloads import (
    batch_payload,
    chat_payload,
    compact,
    full_block,
    written_favourability,
)

BATCHES = "/api/v1/batches"


@contextmanager
def mock_with(
    catalogue: Catalogue, *lives: BatchLife, faults: tuple[FaultRule, ...] = ()
) -> Iterator[RunningMock]:
    plan = FaultPlan(faults=list(faults), batches=list(lives))
    with running_mock(MockModel(catalogue, noise=0), faults=plan) as running:
        yield running


def two_asks(catalogue: Catalogue) -> list[dict[str, Any]]:
    people = (None, full_block(catalogue))
    return [chat_payload(catalogue, person=person, openrouter=True) for person in people]


def submitted(mock: RunningMock, bodies: list[dict[str, Any]]) -> str:
    reply = post(mock, BATCHES, batch_payload(bodies))
    assert reply.status == 202
    return str(reply.content["id"])


def looks(mock: RunningMock, batch_id: str, count: int) -> list[Got]:
    return [get(mock, f"{BATCHES}/{batch_id}") for _ in range(count)]


# Submission


@pytest.mark.parametrize(
    ("change", "status", "said"),
    [
        ({"endpoint": "/v1/completions"}, 400, "endpoint"),
        ({"completion_window": "1h"}, 400, "completion_window"),
        ({"model": "nobody/knows"}, 400, "not a valid model ID"),
        ({"model": "jevbias/mock-chat-sync"}, 404, "batches"),
        ({"metadata": {}}, 400, "requests must be the last key"),
        ({"requests": []}, 400, "1 to 5000"),
        ({"requests": [{"custom_id": "a"}]}, 400, "requests[0]"),
        ({"requests": [{"custom_id": "a", "body": {"model": "m"}}]}, 400, "must not"),
        ({"requests": [{"custom_id": "a", "body": {"x": float("nan")}}]}, 400, "no JSON"),
        ({"requests": [{"custom_id": "a", "body": {}}, {"custom_id": "a", "body": {}}]}, 400, "twice"),
    ],
)
def test_a_batch_that_is_not_in_order_is_refused(change: dict[str, Any], status: int, said: str) -> None:
    with pytest.raises(RefusedRequest) as caught:
        read_submission(compact({**batch_payload([{"messages": []}]), **change}).encode())
    assert caught.value.status == status
    assert said in caught.value.message


def test_the_requests_have_to_come_last_and_be_at_most_five_thousand() -> None:
    batch = batch_payload([{"n": n} for n in range(5000)])
    assert len(read_submission(compact(batch).encode()).bodies) == 5000
    first = {"requests": batch["requests"], **{key: batch[key] for key in batch if key != "requests"}}
    with pytest.raises(RefusedRequest, match="last"):
        read_submission(compact(first).encode())
    with pytest.raises(RefusedRequest, match="5000"):
        read_submission(compact(batch_payload([{"n": n} for n in range(5001)])).encode())


# Life


def test_a_batch_passes_every_status_and_ends_with_a_result_for_each_request(
    catalogue: Catalogue, exact_mock: RunningMock
) -> None:
    bodies = two_asks(catalogue)
    batch_id = submitted(exact_mock, bodies)
    seen = looks(exact_mock, batch_id, 5)
    assert [look.content["status"] for look in seen] == [
        "validating",
        "in_progress",
        "finalizing",
        "completed",
        "completed",
    ]
    assert ["results" in look.content for look in seen] == [False, False, False, True, True]
    assert seen[3].content == seen[4].content
    assert seen[4].content["request_counts"] == {"total": 2, "completed": 2, "failed": 0}
    for row, body in zip(seen[4].content["results"], bodies, strict=True):
        assert set(row) == {"custom_id", "response", "error"}
        assert (row["error"], row["response"]["status_code"]) == (None, 200)
        alone = post(exact_mock, "/api/v1/chat/completions", body).content
        assert written_favourability(
            catalogue, "hiring_screen", row["response"]["body"]["choices"][0]["message"]["content"]
        ) == written_favourability(catalogue, "hiring_screen", alone["choices"][0]["message"]["content"])


def test_a_batch_costs_half(catalogue: Catalogue, exact_mock: RunningMock) -> None:
    body = chat_payload(catalogue, openrouter=True)
    alone = post(exact_mock, "/api/v1/chat/completions", body).content["usage"]
    batch_id = submitted(exact_mock, [body])
    row = looks(exact_mock, batch_id, 4)[-1].content["results"][0]
    usage = row["response"]["body"]["usage"]
    assert usage["prompt_tokens_details"]["cached_tokens"] > 0
    again = post(exact_mock, "/api/v1/chat/completions", body).content["usage"]
    assert usage["cost"] == pytest.approx(again["cost"] / 2, abs=1e-12)
    assert again["cost"] < alone["cost"]


def test_a_request_of_a_batch_fails_alone(catalogue: Catalogue, exact_mock: RunningMock) -> None:
    batch_id = submitted(exact_mock, [{"messages": []}, chat_payload(catalogue)])
    ended = looks(exact_mock, batch_id, 4)[-1].content
    assert [row["response"]["status_code"] for row in ended["results"]] == [400, 200]
    assert ended["request_counts"] == {"total": 2, "completed": 1, "failed": 1}


def test_the_listing_has_the_newest_first_and_brings_no_batch_further(
    catalogue: Catalogue, exact_mock: RunningMock
) -> None:
    ids = [submitted(exact_mock, [chat_payload(catalogue)]) for _ in range(3)]
    for _ in range(5):
        listing = get(exact_mock, BATCHES).content
    assert [row["id"] for row in listing["data"]] == ids[::-1]
    assert {row["status"] for row in listing["data"]} == {"validating"}
    page = get(exact_mock, f"{BATCHES}?limit=1&after={ids[2]}").content
    assert ([row["id"] for row in page["data"]], page["has_more"]) == ([ids[1]], True)


def test_a_batch_may_be_missing_at_first(catalogue: Catalogue) -> None:
    with mock_with(catalogue, BatchLife(not_found_gets=2)) as mock:
        batch_id = submitted(mock, two_asks(catalogue))
        assert [look.status for look in looks(mock, batch_id, 4)] == [404, 404, 200, 200]
        assert looks(mock, batch_id, 1)[0].content["status"] == "finalizing"
        assert get(mock, f"{BATCHES}/none").status == 404
    with mock_with(catalogue, BatchLife(not_found_seconds=600, listed=False)) as mock:
        assert looks(mock, submitted(mock, two_asks(catalogue)), 1)[0].status == 404
        assert get(mock, BATCHES).content["data"] == []


def test_an_expired_batch_has_the_first_of_its_results_and_a_failed_one_none(catalogue: Catalogue) -> None:
    lives = (
        BatchLife(nth=1, statuses=["expired"], answered=0.5),
        BatchLife(nth=2, statuses=["validating", "failed"]),
        BatchLife(statuses=["pondering", "completed"], looks=3, shows_requests=True),
    )
    with mock_with(catalogue, *lives) as mock:
        expired, failed, odd = (submitted(mock, two_asks(catalogue)) for _ in range(3))
        partial = looks(mock, expired, 1)[0].content
        assert (partial["status"], [row["custom_id"] for row in partial["results"]]) == ("expired", ["ask-1"])
        assert partial["request_counts"] == {"total": 2, "completed": 1, "failed": 0}
        ended = looks(mock, failed, 2)[-1].content
        assert ended["status"] == "failed"
        assert "results" not in ended
        assert ended["error"]["message"]
        statuses = [look.content["status"] for look in looks(mock, odd, 4)]
        assert statuses == ["pondering", "pondering", "pondering", "completed"]
        assert [row["custom_id"] for row in get(mock, BATCHES).content["data"][0]["requests"]] == [
            "ask-1",
            "ask-2",
        ]
        asked = [row["batch"] for row in get(mock, "/ledger").content if row["face"] == "batch_request"]
        assert asked == [expired, odd, odd], "a batch that failed asked nobody"


def test_the_ledger_has_a_row_for_the_batch_and_one_for_each_request(
    catalogue: Catalogue, exact_mock: RunningMock
) -> None:
    batch_id = submitted(exact_mock, two_asks(catalogue))
    whole, *requests = get(exact_mock, "/ledger").content
    assert (whole["face"], whole["path"], whole["status"]) == ("batch_submit", BATCHES, 202)
    assert [(row["face"], row["batch"], row["custom_id"], row["status"]) for row in requests] == [
        ("batch_request", batch_id, "ask-1", 200),
        ("batch_request", batch_id, "ask-2", 200),
    ]


# Faults


def test_a_batch_can_be_taken_although_its_reply_is_lost(catalogue: Catalogue) -> None:
    import httpx

    lost = FaultRule(when=When(face="batch_submit", nth=1), reply=FaultReply(cut="close"))
    with mock_with(catalogue, faults=(lost,)) as mock:
        with pytest.raises(httpx.RemoteProtocolError):
            post(mock, BATCHES, batch_payload(two_asks(catalogue)))
        assert len(get(mock, BATCHES).content["data"]) == 1


def test_faults_befall_single_requests_of_a_batch(catalogue: Catalogue) -> None:
    faults = (
        FaultRule(when=When(face="batch_request", nth=1), reply=FaultReply(status=429)),
        FaultRule(when=When(face="batch_request", nth=2), reply=FaultReply(cut="close")),
    )
    with mock_with(catalogue, BatchLife(statuses=["completed"]), faults=faults) as mock:
        batch_id = submitted(mock, [*two_asks(catalogue), chat_payload(catalogue)])
        first, second, third = looks(mock, batch_id, 1)[0].content["results"]
        assert (first["response"]["status_code"], first["error"]) == (429, None)
        assert (second["response"], second["error"]["code"]) == (None, "request_failed")
        assert third["response"]["status_code"] == 200
