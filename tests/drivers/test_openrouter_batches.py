"""The protocol of OpenRouter's batches, against bytes on loopback."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jevbias.drivers.openrouter_batches import (
    BatchRequest,
    Fate,
    Listing,
    Look,
    OpenRouterBatches,
    Submission,
    batch_body,
)
from jevbias.drivers.provider_batch import ProviderBatch, read_batch
from tests.drivers.loopback import Loopback, Reaction, http_reply, loopback, open_transport

T = TypeVar("T")
KEY = "sk-or-secret-of-the-user"


def talk(
    do: Callable[[OpenRouterBatches], Awaitable[T]], *replies: bytes | Reaction, timeout: float = 5.0
) -> tuple[T, Loopback]:
    """Do something with batches at a server that answers so."""

    async def run() -> tuple[T, Loopback]:
        async with loopback(*replies) as server:
            transport = open_transport(server.url, key=KEY, timeout=timeout)
            try:
                return await do(OpenRouterBatches(transport, "chat/model")), server
            finally:
                await transport.aclose()

    return asyncio.run(run())


def submit(*replies: bytes | Reaction, timeout: float = 5.0) -> Submission:
    request = BatchRequest("one", b'{"model":"chat/model","max_tokens":5}')
    return talk(lambda client: client.submit([request]), *replies, timeout=timeout)[0]


def look(*replies: bytes | Reaction) -> Look:
    return talk(lambda client: client.get("b/1"), *replies)[0]


def listing(*replies: bytes | Reaction) -> tuple[Listing, Loopback]:
    return talk(lambda client: client.list(), *replies)


def json_reply(status: int, content: Any, *headers: str) -> bytes:
    return http_reply(status, json.dumps(content).encode(), *headers)


JSON_OBJECT = st.dictionaries(
    st.text(max_size=8), st.none() | st.booleans() | st.integers() | st.text(max_size=8), max_size=5
)


@given(st.lists(st.tuples(st.text(min_size=1, max_size=9), JSON_OBJECT), min_size=1, max_size=6), st.text())
def test_requests_come_last_and_single_bodies_carry_no_model(
    requests: list[tuple[str, dict[str, Any]]], model: str
) -> None:
    bodies = [BatchRequest(name, json.dumps({"model": model, **body}).encode()) for name, body in requests]
    content = json.loads(batch_body(model, bodies))
    assert list(content) == ["endpoint", "model", "completion_window", "requests"]
    assert content["model"] == model
    assert content["requests"] == [
        {"custom_id": name, "body": {key: value for key, value in body.items() if key != "model"}}
        for name, body in requests
    ]


def test_the_body_of_a_request_keeps_its_order_byte_for_byte() -> None:
    body = '{"model":"m","messages":[{"role":"system","content":"Ọlá"}],"a":1,"b":0.10}'
    sent = batch_body("m", [BatchRequest("x", body.encode())]).decode()
    assert '"body":{"messages":[{"role":"system","content":"Ọlá"}],"a":1,"b":0.1}' in sent


def test_a_202_with_an_id_is_accepted() -> None:
    accepted = submit(json_reply(202, {"id": "batch_1", "status": "validating"}))
    assert accepted == Submission(Fate.ACCEPTED, ProviderBatch("batch_1", "validating"))
    wrapped = submit(json_reply(200, {"data": {"id": "batch_1", "status": "validating"}}))
    assert wrapped.batch == accepted.batch


@pytest.mark.parametrize(
    ("reply", "fate"),
    [
        (json_reply(400, {"error": {"message": "requests must be last"}}), Fate.REFUSED),
        (json_reply(401, {"error": {"message": "no"}}), Fate.REFUSED),
        (json_reply(402, {"error": {"code": 402, "message": "no credit"}}), Fate.REFUSED),
        (json_reply(404, {"error": {"message": "cannot be batched"}}), Fate.REFUSED),
        (http_reply(307, b"", "location: https://elsewhere.example/batches"), Fate.REFUSED),
        (http_reply(413, b"<html>413</html>"), Fate.TOO_LARGE),
        (json_reply(422, {"detail": "no"}), Fate.REFUSED),
        (http_reply(408), Fate.UNKNOWN),
        (json_reply(409, {"error": {"message": "this batch exists"}}), Fate.UNKNOWN),
        (http_reply(499), Fate.UNKNOWN),
        (json_reply(202, {"id": "req_1", "error": {"message": "try later"}}), Fate.UNKNOWN),
        (json_reply(202, {"id": "x" * 201, "status": "validating"}), Fate.UNKNOWN),
        (json_reply(202, {"id": "a\nb", "status": "validating"}), Fate.UNKNOWN),
        (json_reply(429, {"error": "busy"}), Fate.BUSY),
        (http_reply(500), Fate.UNKNOWN),
        (http_reply(502, b"<html>"), Fate.UNKNOWN),
        (http_reply(529), Fate.UNKNOWN),
        (http_reply(202, b'{"status": "validating"}'), Fate.UNKNOWN),
        (http_reply(200, b"<html>hello</html>"), Fate.UNKNOWN),
        (b"HTTP/1.1 202 Accepted\r\nContent-Length: 50\r\nConnection: close\r\n\r\n{", Fate.UNKNOWN),
    ],
)
def test_what_became_of_a_submission_is_refused_only_where_the_server_says_so(
    reply: bytes, fate: Fate
) -> None:
    submission = submit(reply)
    assert submission.fate is fate
    assert submission.error
    assert "\n" not in submission.error


def test_a_submission_without_an_answer_may_have_arrived_and_one_without_a_connection_has_not() -> None:
    async def silent(_: asyncio.StreamWriter) -> None:
        await asyncio.sleep(0.5)

    async def closing(_: asyncio.StreamWriter) -> None:
        pass

    assert submit(silent, timeout=0.2).fate is Fate.UNKNOWN
    assert submit(closing).fate is Fate.UNKNOWN

    async def to_nobody() -> Submission:
        transport = open_transport("http://127.0.0.1:9")
        try:
            return await OpenRouterBatches(transport, "m").submit_body(b"{}")
        finally:
            await transport.aclose()

    assert asyncio.run(to_nobody()).fate is Fate.REFUSED


def test_a_hint_to_wait_is_passed_on_and_an_echoed_key_is_not() -> None:
    reply = json_reply(429, {"error": {"message": f"key {KEY} is busy"}}, "retry-after-ms: 1500")
    submission = submit(reply)
    assert submission.retry_after == 1.5
    assert KEY not in repr(submission)
    assert "busy" in submission.error


def test_a_look_says_what_the_batch_is_or_why_it_cannot_be_seen() -> None:
    seen, server = talk(lambda client: client.get("b/1"), json_reply(200, {"id": "b/1", "status": "X Y"}))
    assert server.requests[0][0].startswith("GET /batches/b%2F1 ")
    assert seen.batch is not None
    assert (seen.batch.status, seen.batch.is_final) == ("x y", False)
    missing = look(json_reply(404, {"error": {"message": "unknown"}}))
    assert (missing.batch, missing.missing, missing.stop) == (None, True, False)
    assert look(http_reply(401)).stop
    assert look(http_reply(302)).stop
    for passing in (http_reply(500), http_reply(429), http_reply(200, b"<html>"), http_reply(200, b"[]")):
        seen = look(passing)
        assert (seen.batch, seen.missing, seen.stop) == (None, False, False)
        assert seen.error


def test_results_larger_than_one_reply_may_be_otherwise_are_read() -> None:
    text = "x" * 9_000_000
    body = json.dumps({"id": "b", "status": "completed", "results": [{"custom_id": "one", "pad": text}]})

    async def run() -> Look:
        from jevbias.drivers.http import HttpTransport
        from jevbias.drivers.openrouter_batches import LARGEST_REPLY

        async with loopback(http_reply(200, body.encode())) as server:
            transport = HttpTransport(
                server.url, key=None, timeout=20.0, connections=1, largest_reply=LARGEST_REPLY
            )
            try:
                return await OpenRouterBatches(transport, "m").get("b")
            finally:
                await transport.aclose()

    seen = asyncio.run(run())
    assert seen.batch is not None
    assert seen.batch.results is not None


def test_a_listing_is_read_page_by_page() -> None:
    pages = [
        {"data": [{"id": "b3", "status": "completed"}, {"id": "b2"}], "has_more": True},
        {"data": [{"nothing": 1}, {"id": "b1"}], "has_more": False},
    ]
    found, server = listing(*(json_reply(200, page) for page in pages))
    assert [batch.provider_id for batch in found.batches] == ["b3", "b2", "b1"]
    assert not found.error
    assert [head.split(" ")[1] for head, _ in server.requests] == [
        "/batches?limit=100",
        "/batches?limit=100&after=b2",
    ]


def test_a_listing_that_goes_round_in_circles_ends() -> None:
    found, server = listing(json_reply(200, {"data": [{"id": "b1"}], "has_more": True}))
    assert [batch.provider_id for batch in found.batches] == ["b1"]
    assert "instead of the rest" in found.error
    assert len(server.requests) == 2


def test_a_full_page_that_does_not_say_whether_it_is_the_last_is_followed_by_another_look() -> None:
    pages = [{"data": [{"id": f"b{number}"} for number in range(100)]}, {"data": [{"id": "last"}]}]
    found, server = listing(*(json_reply(200, page) for page in pages))
    assert (len(found.batches), found.error, len(server.requests)) == (101, "", 2)


def test_another_batch_than_the_one_asked_for_is_not_taken_for_it() -> None:
    seen, _ = talk(lambda client: client.get("mine"), json_reply(200, {"id": "other", "status": "completed"}))
    assert seen.batch is None
    assert "another batch, other" in seen.error


@pytest.mark.parametrize(
    ("said", "status"),
    [
        (200, 200),
        ("200", 200),
        (200.0, 200),
        ("429", 429),
        ("2e2", None),
        (99, None),
        (True, None),
        ("", None),
    ],
)
def test_the_status_of_a_result_is_read_however_it_is_written(said: object, status: int | None) -> None:
    result = {"custom_id": "x", "response": {"status_code": said, "body": {}}}
    batch = read_batch({"id": "b", "results": [result]})
    assert batch is not None
    assert batch.results is not None
    reply = batch.results[0].reply
    assert (None if reply is None else reply.status) == status


@pytest.mark.parametrize("reply", [http_reply(500), http_reply(200, b"nope"), json_reply(200, {"data": 7})])
def test_a_listing_that_cannot_be_had_says_so(reply: bytes) -> None:
    found, _ = listing(reply)
    assert found.error
    assert not found.stop


def test_a_batch_is_read_by_what_is_needed_of_it() -> None:
    raw = {
        "id": "b",
        "status": "Expired",
        "model": "chat/model",
        "created_at": "2026-10-21T07:28:00Z",
        "request_counts": {"total": 3, "completed": 1, "failed": True},
        "requests": [{"custom_id": "x"}, {"custom_id": 7}, None],
        "errors": {"data": [{"message": "first"}, {"message": "second"}]},
        "results": [{"custom_id": "x", "response": {"status_code": 200, "body": {"a": 1}}, "error": None}],
        "later": "more",
    }
    batch = read_batch(raw)
    assert batch is not None
    assert (batch.status, batch.is_final, batch.created_at) == ("expired", True, 1792567680.0)
    assert (batch.requests, batch.completed, batch.failed) == (3, 1, None)
    assert (batch.custom_ids, batch.error) == (frozenset({"x"}), "first")
    assert batch.results is not None
    (result,) = batch.results
    assert result.reply is not None
    assert (result.reply.status, json.loads(result.reply.body)) == (200, {"a": 1})


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
_NAMES = ("status", "model", "created_at", "request_counts", "requests", "results", "error", "errors")


@given(st.fixed_dictionaries({"id": st.just("b")}, optional=dict.fromkeys(_NAMES, JSON)) | JSON)
def test_whatever_a_provider_says_is_read_or_is_no_batch(raw: Any) -> None:
    batch = read_batch(raw)
    if batch is not None:
        assert batch.provider_id
        assert batch.status == batch.status.strip().lower() != ""
        assert "\n" not in batch.status + (batch.error or "")
