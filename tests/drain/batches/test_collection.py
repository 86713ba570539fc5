"""Collecting: each result read as if its request had gone alone, and nothing lost that did not come."""

from __future__ import annotations

import json
import zlib
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine

from jevbias.drain.batches.collection import CollectionSummary, collect_batches
from jevbias.drain.batches.context import BatchContext
from jevbias.drain.batches.results import outcome_of_result
from jevbias.drain.batches.submission import submit_pending
from jevbias.drivers.chat import ChatDriver
from jevbias.drivers.provider_batch import read_batch
from jevbias.errors import ModelError
from jevbias.store.batches import BatchShare, batch_share
from jevbias.store.connections import reading
from jevbias.store.progress import run_progress
from jevbias.store.tables import Run
from tests.drain.batches.conftest import MODEL, with_batches
from tests.drain.batches.looking import everything, stored
from tests.drain.batches.provider import Answer, HeldBatch, Provider, answered, chat_body
from tests.drain.draining import answers, attempts, probes, run_row, statuses
from tests.drivers.loopback import open_transport
from tests.store.small import small_plan

PlanBatched = Callable[..., Run]
DRIVER = ChatDriver("openrouter", MODEL, open_transport("http://127.0.0.1:1"))
"""Reads, and never sends."""


def submit(engine: Engine, run: Run, provider: Provider, size: int = 500) -> None:
    async def do(context: BatchContext) -> object:
        return await submit_pending(context, size=size)

    with_batches(engine, run, provider.url, do)


def collect(engine: Engine, run: Run, provider: Provider, **given: Any) -> CollectionSummary:
    return with_batches(engine, run, provider.url, collect_batches, **given)


@pytest.fixture
def handed_over(engine: Engine, provider: Provider, plan_batched: PlanBatched) -> tuple[Run, HeldBatch]:
    """A run of six probes in one batch."""
    run = plan_batched(6)
    submit(engine, run, provider)
    return run, provider.only


def probe_of(engine: Engine, name: str) -> Any:
    return next(row for row in probes(engine) if f"-{row.id}-" in name)


def test_answers_are_stored_as_those_of_any_probe(
    engine: Engine, provider: Provider, handed_over: tuple[Run, HeldBatch]
) -> None:
    run, batch = handed_over
    batch.complete()
    (one,) = collect(engine, run, provider).collected
    assert (one.status, one.answered, one.missing, one.strangers) == ("completed", 6, 0, 0)
    assert statuses(engine) == {"answered": 6}
    assert len(answers(engine)) == 12
    assert {answer.value for answer in answers(engine)} == {0.625}
    for row in probes(engine):
        assert (row.model_answered, row.request_id, row.attempts) == ("chat/model-1", "req-1", 1)
        assert (row.input_tokens, row.cached_tokens, row.output_tokens, row.cost) == (100, 80, 7, 0.25)
        assert (row.lease_owner, row.latency_ms) == (None, None), "nobody said how long it took"
        assert json.loads(zlib.decompress(row.response)) == chat_body()
    for attempt in attempts(engine):
        assert (attempt.outcome, attempt.http_status, attempt.possibly_billed) == ("answered", 200, False)
        assert attempt.body_sha256
    (kept,) = stored(engine)
    assert (kept.status, kept.answered, kept.unanswered, kept.cost) == ("collected", 6, 0, 1.5)
    assert run_row(engine).status == "finished"
    with reading(engine) as connection:
        share = batch_share(connection, run.id or 0)
    assert share == BatchShare(alone=0, in_batches=6, batches=1)


def test_collecting_twice_changes_nothing(
    engine: Engine, provider: Provider, handed_over: tuple[Run, HeldBatch]
) -> None:
    run, batch = handed_over
    batch.complete(status="expired", only=4)
    collect(engine, run, provider)
    once = everything(engine)
    looks = provider.looks
    assert collect(engine, run, provider) == CollectionSummary()
    assert everything(engine) == once
    assert provider.looks == looks


@pytest.mark.parametrize("status", ["expired", "completed", "cancelled"])
def test_what_an_ended_batch_brings_is_kept_and_the_rest_is_pending_again(
    engine: Engine, provider: Provider, handed_over: tuple[Run, HeldBatch], status: str
) -> None:
    """Row 17 of the faults: partial results of an expired batch are ingested by their names."""
    run, batch = handed_over
    batch.complete(status=status, only=1)
    (one,) = collect(engine, run, provider).collected
    assert (one.answered, one.missing) == (1, 5)
    assert statuses(engine) == {"answered": 1, "pending": 5}
    assert probe_of(engine, batch.custom_ids[0]).status == "answered"
    for row in probes(engine):
        if row.status == "pending":
            assert (row.attempts, row.lease_owner, row.batch_id, row.not_before) == (0, None, None, None)
            assert row.error_kind == f"batch_{status}"
    lost = [a for a in attempts(engine) if a.outcome == f"batch_{status}"]
    assert len(lost) == 5, "what was sent stays in the log"
    assert {a.possibly_billed for a in lost} == {status == "completed"}
    (kept,) = stored(engine)
    assert (kept.answered, kept.unanswered, kept.cost) == (1, 5, 0.25)
    assert run_row(engine).status == "stopped"
    submit(engine, run, provider)
    assert len(provider.batches["batch_2"].custom_ids) == 5
    provider.batches["batch_2"].complete()
    collect(engine, run, provider)
    assert statuses(engine) == {"answered": 6}
    assert {row.attempts for row in probes(engine)} == {1}


@pytest.mark.parametrize("status", ["failed", "cancelled", "expired"])
def test_a_batch_that_ends_without_results_gives_its_probes_back_unbilled(
    engine: Engine, provider: Provider, handed_over: tuple[Run, HeldBatch], status: str
) -> None:
    run, batch = handed_over
    batch.status = status
    (one,) = collect(engine, run, provider).collected
    assert one.missing == 6
    assert statuses(engine) == {"pending": 6}
    assert {(a.outcome, a.possibly_billed) for a in attempts(engine)} == {(f"batch_{status}", False)}
    progress = run_progress(engine, run.id or 0)
    assert (progress.sends, progress.possible_sends, progress.in_batches) == (0, 0, 0)


def test_a_batch_that_has_not_ended_is_waited_for_whatever_its_status(
    engine: Engine, provider: Provider, handed_over: tuple[Run, HeldBatch]
) -> None:
    run, batch = handed_over
    for status in ("validating", "in_progress", "finalizing", "cancelling", "musing"):
        batch.status = status
        summary = collect(engine, run, provider)
        assert [word for _, word in summary.waiting] == [status]
        assert statuses(engine) == {"running": 6}
        assert [(row.status, row.provider_status) for row in stored(engine)] == [("submitted", status)]


@pytest.mark.parametrize(
    ("status", "results", "completed"), [("completed", None, 0), ("completed", [], 6), ("expired", None, 3)]
)
def test_an_ended_batch_that_hides_its_results_is_left_alone_because_it_is_paid_for(
    engine: Engine,
    provider: Provider,
    handed_over: tuple[Run, HeldBatch],
    status: str,
    results: Any,
    completed: int,
) -> None:
    run, batch = handed_over
    batch.status, batch.results = status, results
    counts = {"total": 6, "completed": completed}
    provider.look = (200, {**batch.shown(whole=True), "request_counts": counts})
    ((_, error),) = collect(engine, run, provider).unseen
    assert error == f"batch_1 is {status} and shows no results yet"
    assert statuses(engine) == {"running": 6}
    assert stored(engine)[0].error == error
    provider.look = None
    batch.complete()
    collect(engine, run, provider)
    assert statuses(engine) == {"answered": 6}, "once it shows them"


def test_names_of_others_are_ignored_and_of_several_results_the_first_counts(
    engine: Engine, provider: Provider, handed_over: tuple[Run, HeldBatch]
) -> None:
    run, batch = handed_over
    first, *rest = batch.custom_ids
    key, other = first.split("-")[1], "0" * 24
    strangers = ["whatever", "", f"jevbias-{other}-1-1", f"jevbias-{key}-999999-1", f"jevbias-{key}-01-1"]
    batch.results = [
        answered(first, 0.25),
        answered(first, 0.75),
        *(answered(name, 0.9) for name in strangers),
        "no object",
        {"custom_id": 7},
        *(answered(name, 0.5) for name in rest),
    ]
    batch.status = "completed"
    (one,) = collect(engine, run, provider).collected
    assert (one.answered, one.repeated, one.strangers) == (6, 1, 4)
    assert Counter(answer.value for answer in answers(engine)) == {0.25: 2, 0.5: 10}


def test_results_of_other_requests_than_ours_bring_nothing_and_lose_nothing(
    engine: Engine, provider: Provider, handed_over: tuple[Run, HeldBatch]
) -> None:
    run, batch = handed_over
    batch.status, batch.results = "completed", [answered("not-ours")]
    ((_, error),) = collect(engine, run, provider).unseen
    assert "other requests than ours" in error
    assert statuses(engine) == {"running": 6}


def error_result(name: str, error: Any, response: Any = None) -> dict[str, Any]:
    return {"custom_id": name, "response": response, "error": error}


PENDING, FAILED, REFUSED, MALFORMED = "pending", "failed", "refused", "malformed"
CASES: list[tuple[str, Any, Any]] = [
    (PENDING, None, None),
    (PENDING, None, {"code": "batch_expired", "message": "too late"}),
    (PENDING, None, {"code": 429, "message": "busy"}),
    (PENDING, None, {"code": "503", "message": "down"}),
    (PENDING, None, {"code": "rate_limit_exceeded", "message": "busy"}),
    (PENDING, None, {"code": "request_failed", "message": "The request was not answered."}),
    (PENDING, None, "something went wrong"),
    (PENDING, None, {"code": 402, "message": "no credit"}),
    (FAILED, None, {"code": 400, "message": "bad schema"}),
    (FAILED, None, {"code": "invalid_request_error", "message": "bad schema"}),
    (FAILED, None, {"code": "context_length_exceeded", "message": "too long"}),
    (PENDING, {"status_code": 500, "body": {"error": {"message": "oops"}}}, None),
    (PENDING, {"status_code": 429, "body": None}, None),
    (PENDING, {"status_code": 401, "body": {"error": {"message": "who?"}}}, None),
    (FAILED, {"status_code": 400, "body": {"error": {"message": "minimum not supported"}}}, None),
    (FAILED, {"status_code": 413, "body": "<html>"}, None),
    (PENDING, {"status_code": 200, "body": {"choices": None, "error": {"code": 429, "message": "b"}}}, None),
    (MALFORMED, {"status_code": 200, "body": {"choices": []}}, None),
    (REFUSED, {"status_code": 200, "body": {"choices": [{"message": {"refusal": "No."}}]}}, None),
    (PENDING, {"status_code": "fine", "body": {}}, None),
]


def test_each_result_means_what_it_would_mean_alone(
    engine: Engine, provider: Provider, plan_batched: PlanBatched
) -> None:
    run = plan_batched(len(CASES) + 1)
    submit(engine, run, provider)
    *names, last = provider.only.custom_ids
    provider.only.status = "completed"
    cases = list(zip(names, CASES, strict=True))
    provider.only.results = [error_result(name, error, response) for name, (_, response, error) in cases]
    provider.only.results.append(answered(last))
    (one,) = collect(engine, run, provider).collected
    assert (one.answered, one.first_error) == (
        1,
        "the batch holds neither a reply nor a reason for this request",
    )
    outcomes = {attempt.probe_id: attempt.outcome for attempt in attempts(engine)}
    for name, (status, response, error) in cases:
        row = probe_of(engine, name)
        assert row.status == status, (response, error)
        assert row.error_kind
        assert "\n" not in row.error
        assert outcomes[row.id] not in (None, "unknown", "answered")
        assert (row.attempts, row.batch_id) == ((0, None) if status == PENDING else (1, 1))


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**12), 10**12)
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from([200, 400, 429, "\ud83d", "expired", "content_filter", "x" * 9999]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                [
                    "response",
                    "error",
                    "status_code",
                    "body",
                    "choices",
                    "message",
                    "content",
                    "code",
                    "usage",
                    "cost",
                ]
            ),
            inner,
            max_size=6,
        )
    ),
    max_leaves=12,
)


@settings(max_examples=100, deadline=None)
@given(response=JSON, error=JSON, status=st.sampled_from([200, 200, 400, 500, None, "200", True, 10**9]))
def test_no_result_whatever_it_holds_breaks_a_collection(response: Any, error: Any, status: Any) -> None:
    ask = next(iter(small_plan(1).asks.values()))
    row = {"custom_id": "x", "response": {"status_code": status, "body": response}, "error": error}
    raw = json.loads(json.dumps({"id": "b", "status": "completed", "results": [row, response, error]}))
    batch = read_batch(raw)
    assert batch is not None
    assert batch.results
    outcome = outcome_of_result(DRIVER, ask, batch.results[0], 1.0)
    assert outcome.reading.verdict in ("answered", "refused", "malformed", "failed", "retry")
    assert outcome.reading.verdict == "answered" or outcome.error_kind
    assert all(0 <= answer.value <= 1 for answer in outcome.reading.answers)


def test_a_batch_that_cannot_be_looked_at_stays_as_it_is(
    engine: Engine, provider: Provider, handed_over: tuple[Run, HeldBatch]
) -> None:
    run, _ = handed_over
    looks: list[Answer] = [(500, b""), (404, b""), (0, b""), (200, b"<html>"), (200, b"{}")]
    for provider.look in looks:
        assert len(collect(engine, run, provider).unseen) == 1
        assert statuses(engine) == {"running": 6}
    refusals: list[Answer] = [(401, {"error": "no"}), (403, b""), (302, b"")]
    for provider.look in refusals:
        with pytest.raises(ModelError) as refused:
            collect(engine, run, provider)
        assert "\n" not in str(refused.value)
        assert statuses(engine) == {"running": 6}
