"""Handing over: what is sent, written down before, and what a refusal leaves behind."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import Engine

from jevbias.drain.batches import submission as module
from jevbias.drain.batches.context import BatchContext
from jevbias.drain.batches.custom_ids import batch_key, read_custom_id
from jevbias.drain.batches.submission import SubmissionSummary, submit_pending
from jevbias.drivers.chat_prompt import render_chat
from jevbias.errors import ModelError
from jevbias.store.asks import AskReader
from jevbias.store.connections import reading, writing
from jevbias.store.outcomes import Lease
from jevbias.store.tables import ASK, Run
from tests.drain.batches.conftest import KEY, MODEL, planned, with_batches
from tests.drain.batches.looking import everything, stored
from tests.drain.batches.provider import Answer, HeldBatch, Provider
from tests.drain.draining import attempts, probes, run_row, statuses

PlanBatched = Callable[..., Run]


def submit(
    engine: Engine, run: Run, provider: Provider, *, size: int = 500, **given: Any
) -> SubmissionSummary:
    async def do(context: BatchContext) -> SubmissionSummary:
        return await submit_pending(context, size=size)

    return with_batches(engine, run, provider.url, do, **given)


def test_a_batch_holds_the_bodies_of_the_driver_without_the_model_and_requests_come_last(
    engine: Engine, provider: Provider, plan_batched: PlanBatched
) -> None:
    run = plan_batched(5)
    summary = submit(engine, run, provider)
    assert (summary.batches, summary.requests, summary.failed) == (1, 5, 0)
    (raw,) = provider.posts
    content = json.loads(raw)
    assert list(content) == ["endpoint", "model", "completion_window", "requests"]
    assert (content["endpoint"], content["model"]) == ("/v1/chat/completions", MODEL)
    assert content["completion_window"] == "24h"
    with reading(engine) as connection:
        ids = [row.ask_id for row in probes(engine)]
        asks = AskReader().load(connection, ids)
    bodies = {}
    for request in content["requests"]:
        found = read_custom_id(request["custom_id"])
        assert found is not None
        assert "model" not in request["body"]
        bodies[found[1].probe_id] = request["body"]
    for row in probes(engine):
        assert {"model": MODEL, **bodies[row.id]} == json.loads(
            render_chat("openrouter", MODEL, asks[row.ask_id])
        )
    assert provider.heads[0]["authorization"] == f"Bearer {KEY}"
    assert KEY.encode() not in raw


def test_claims_attempts_and_the_row_are_on_the_disk_before_anything_is_sent(
    engine: Engine, provider: Provider, plan_batched: PlanBatched
) -> None:
    run = plan_batched(4)
    seen: list[Any] = []

    def look(content: dict[str, Any], place: int) -> Answer | None:
        (row,) = stored(engine)
        seen.append((row.status, row.provider_id, row.requests))
        seen.append([(p.status, p.lease_owner, p.lease_until, p.batch_id) for p in probes(engine)])
        seen.append([(a.number, a.outcome, a.possibly_billed) for a in attempts(engine)])
        names = [read_custom_id(request["custom_id"]) for request in content["requests"]]
        assert {name[0] for name in names if name} == {batch_key(row.content_hash)}
        assert {name[1] for name in names if name} == {Lease(p.id, 1) for p in probes(engine)}
        return None

    provider.on_post = look
    submit(engine, run, provider)
    (row,) = stored(engine)
    assert seen[0] == ("submitting", None, 4)
    assert seen[1] == [("running", f"batch:{row.id}", None, row.id)] * 4
    assert seen[2] == [(1, None, False)] * 4
    assert (row.status, row.provider_id) == ("submitted", "batch_1")
    assert all(a.body_sha256 for a in attempts(engine)), "what was sent can be proved"
    assert run_row(engine).status == "stopped", "no process works on it"


def test_repeats_of_a_cell_travel_in_different_batches(
    engine: Engine, provider: Provider, plan_batched: PlanBatched
) -> None:
    run = plan_batched(12, replicates=3)
    submit(engine, run, provider, size=3)
    held = [
        {found[1].probe_id for name in batch.custom_ids if (found := read_custom_id(name))}
        for batch in provider.batches.values()
    ]
    rows = {row.id: (row.person_id, row.variant) for row in probes(engine)}
    assert sorted(id_ for batch in held for id_ in batch) == sorted(rows)
    for batch in held:
        assert len(batch) <= 3
        assert max(Counter(rows[id_] for id_ in batch).values()) == 1


@pytest.mark.parametrize("status", [400, 402, 404])
def test_a_refused_batch_is_withdrawn_and_its_probes_are_as_they_were(
    engine: Engine, provider: Provider, plan_batched: PlanBatched, status: int
) -> None:
    run = plan_batched(6)
    before = everything(engine)
    provider.on_post = lambda content, place: (status, {"error": {"message": "not like this"}})
    with pytest.raises(ModelError, match=r"not like this.*its 2 probes are pending again") as refused:
        submit(engine, run, provider, size=3)
    assert "\n" not in str(refused.value)
    assert len(provider.posts) == 1, "nothing more is handed over"
    assert statuses(engine) == {"pending": 6}
    assert attempts(engine) == []
    (row,) = stored(engine)
    assert (row.status, row.provider_id) == ("withdrawn", None)
    assert "not like this" in (row.error or "")
    after = everything(engine)
    keep = [name for name in after if name not in ("batch", "probe", "run")]
    assert {name: after[name] for name in keep} == {name: before[name] for name in keep}
    assert all((p.attempts, p.lease_owner, p.batch_id) == (0, None, None) for p in probes(engine))


def test_a_batch_that_is_too_large_is_split_until_it_fits_and_a_request_that_never_does_fails(
    engine: Engine, provider: Provider, plan_batched: PlanBatched
) -> None:
    """Row 8 of the faults: 413 is not retried; a batch is split, a single probe fails with the reason."""
    run = plan_batched(9)
    monster = probes(engine)[4].id

    def too_large(content: dict[str, Any], place: int) -> Answer | None:
        holds = [found[1].probe_id for r in content["requests"] if (found := read_custom_id(r["custom_id"]))]
        return (413, b"<html>413</html>") if len(holds) > 3 or monster in holds else None

    provider.on_post = too_large
    summary = submit(engine, run, provider)
    assert (summary.requests, summary.failed) == (8, 1)
    assert statuses(engine) == {"running": 8, "failed": 1}
    (failed,) = [row for row in probes(engine) if row.status == "failed"]
    assert failed.id == monster
    assert failed.error_kind == "too_large"
    assert "413" in failed.error
    taken = Counter(name for batch in provider.batches.values() for name in batch.custom_ids)
    assert len(taken) == 8
    assert set(taken.values()) == {1}
    assert {row.status for row in stored(engine)} == {"submitted", "withdrawn"}


def test_a_batch_is_divided_before_it_passes_the_bytes_that_the_provider_takes(
    engine: Engine, provider: Provider, plan_batched: PlanBatched, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = plan_batched(8)
    monkeypatch.setattr(module, "LARGEST_BODY", 12_000)
    submit(engine, run, provider)
    assert len(provider.posts) > 1
    assert all(len(post) <= 12_000 for post in provider.posts)
    assert statuses(engine) == {"running": 8}
    monkeypatch.setattr(module, "LARGEST_BODY", 500)
    provider.posts.clear()
    other = planned(engine, 2, provider.url, name="other")
    assert submit(engine, other, provider).failed == 2
    assert provider.posts == []


def test_a_busy_provider_is_asked_again_after_its_hint(
    engine: Engine, provider: Provider, plan_batched: PlanBatched, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    monkeypatch.setattr("jevbias.drain.batches.submission.asyncio.sleep", sleep)
    run = plan_batched(4)
    provider.on_post = lambda content, place: (429, {"error": "busy"}) if place < 2 else None
    assert submit(engine, run, provider).requests == 4
    assert slept == [2.0, 4.0]
    assert len(set(provider.posts)) == 1, "the same batch, of which the provider said that it has it not"
    assert [row.status for row in stored(engine)] == ["submitted"]
    provider.on_post = lambda content, place: (429, {"error": "busy"})
    other = planned(engine, 2, provider.url, name="other")
    with pytest.raises(ModelError, match=r"429 Too Many Requests: busy.*pending again"):
        submit(engine, other, provider)
    assert statuses(engine) == {"running": 4, "pending": 2}


def test_where_nothing_listens_the_batch_is_known_to_be_unsent(
    engine: Engine, provider: Provider, plan_batched: PlanBatched
) -> None:
    run = plan_batched(3)
    provider.url = "http://127.0.0.1:9/api/v1"
    with pytest.raises(ModelError, match=r"no connection.*3 probes are pending again"):
        submit(engine, run, provider)
    assert statuses(engine) == {"pending": 3}
    assert attempts(engine) == []


@pytest.mark.parametrize("answer", [(500, b"oops"), (502, b"<html>"), (0, b""), (202, b"{}"), (200, b"[")])
def test_a_batch_that_arrived_although_the_answer_says_otherwise_is_found_in_the_listing(
    engine: Engine, provider: Provider, plan_batched: PlanBatched, answer: Answer
) -> None:
    run = plan_batched(6)

    def lose_the_answer(batch: HeldBatch) -> Answer:
        batch.shows_requests = True
        return answer

    provider.after_post = lose_the_answer
    summary = submit(engine, run, provider, size=3)
    assert summary.requests == 6
    assert {row.status for row in stored(engine)} == {"submitted"}
    assert {row.provider_id for row in stored(engine)} == set(provider.batches)
    taken = Counter(name for batch in provider.batches.values() for name in batch.custom_ids)
    assert set(taken.values()) == {1}
    assert len(taken) == 6


@pytest.mark.parametrize("answer", [(503, b"oops"), (0, b"")])
def test_where_nobody_knows_whether_a_batch_arrived_nothing_is_sent_again(
    engine: Engine, provider: Provider, plan_batched: PlanBatched, answer: Answer
) -> None:
    run = plan_batched(6)
    provider.on_post = lambda content, place: answer
    with pytest.raises(ModelError, match="whether batch 1 with its 6 requests arrived is not known"):
        submit(engine, run, provider)
    assert len(provider.posts) == 1
    assert statuses(engine) == {"running": 6}
    assert [row.status for row in stored(engine)] == ["submitting"]
    provider.on_post = lambda content, place: None
    assert submit(engine, run, provider).requests == 0, "they are not pending"
    assert len(provider.posts) == 1


def test_what_others_have_claimed_meanwhile_is_left_to_them(
    engine: Engine, provider: Provider, plan_batched: PlanBatched
) -> None:
    from jevbias.store.owner import Owner
    from jevbias.store.queue import ProbeQueue

    run = plan_batched(6)
    queue = ProbeQueue(run.id or 0, str(Owner.current()))

    def rob(content: dict[str, Any], place: int) -> Answer | None:
        if place == 0:
            with writing(engine) as connection:
                assert len(queue.claim(connection, 2)) == 2
        return None

    provider.on_post = rob
    submit(engine, run, provider, size=2)
    taken = {
        found[1].probe_id
        for batch in provider.batches.values()
        for name in batch.custom_ids
        if (found := read_custom_id(name))
    }
    held = {row.id for row in probes(engine) if row.lease_owner == queue.owner}
    assert len(held) == 2
    assert taken == {row.id for row in probes(engine)} - held


def test_an_ask_that_cannot_be_sent_fails_and_the_others_go(
    engine: Engine, provider: Provider, plan_batched: PlanBatched
) -> None:
    import zlib

    run = plan_batched(3)
    broken = probes(engine)[1].ask_id
    with writing(engine) as connection:
        person = zlib.compress(b'{"reference": "Ana \\ud83d"}')
        connection.execute(ASK.update().where(ASK.c.id == broken).values(person=person))
    assert submit(engine, run, provider).failed == 1
    assert statuses(engine) == {"running": 2, "failed": 1}
    (failed,) = [row for row in probes(engine) if row.status == "failed"]
    assert "surrogate" in failed.error
