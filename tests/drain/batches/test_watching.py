"""Looking after batches: patience with what is not there yet, and an end to it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import Engine

from jevbias.cli.batch_view import batch_lines, batches_json, next_step
from jevbias.drain.batches.adoption import ON_ITS_WAY, adopt_batch, give_up, lost_batches
from jevbias.drain.batches.collection import collect_batches
from jevbias.drain.batches.context import BatchContext
from jevbias.drain.batches.submission import submit_pending
from jevbias.drain.batches.watching import PATIENCE, SeenBatch, look_at_batches, wait_for_batches
from jevbias.errors import ModelError, UsageError
from jevbias.store.batches import StoredBatch
from jevbias.store.next_commands import NextCommands
from jevbias.store.tables import Run
from tests.drain.batches.conftest import planned, with_batches
from tests.drain.batches.looking import everything, set_back, stored
from tests.drain.batches.provider import Answer, HeldBatch, Provider
from tests.drain.draining import answers, attempts, statuses

PlanBatched = Callable[..., Run]
NEXT = NextCommands("small")


def submit(engine: Engine, run: Run, provider: Provider) -> None:
    async def do(context: BatchContext) -> object:
        return await submit_pending(context, size=500)

    with_batches(engine, run, provider.url, do)


def look(engine: Engine, run: Run, provider: Provider, **given: Any) -> list[SeenBatch]:
    return with_batches(engine, run, provider.url, look_at_batches, **given)


def wait(
    engine: Engine, run: Run, provider: Provider, seen: Callable[[list[SeenBatch]], None], **given: Any
) -> list[SeenBatch]:
    async def do(context: BatchContext) -> list[SeenBatch]:
        return await wait_for_batches(context, seen, first=0.01, longest=0.05)

    return with_batches(engine, run, provider.url, do, **given)


def adopt(engine: Engine, run: Run, provider: Provider, provider_id: str) -> StoredBatch:
    async def do(context: BatchContext) -> StoredBatch:
        return await adopt_batch(context, provider_id)

    return with_batches(engine, run, provider.url, do)


@pytest.fixture
def handed_over(engine: Engine, provider: Provider, plan_batched: PlanBatched) -> tuple[Run, HeldBatch]:
    """A run of six probes in one batch."""
    run = plan_batched(6)
    submit(engine, run, provider)
    return run, provider.only


@pytest.fixture
def unanswered(engine: Engine, provider: Provider, plan_batched: PlanBatched) -> tuple[Run, HeldBatch]:
    """The same, but the answer to the submission was lost."""
    run = plan_batched(6)
    provider.after_post = lambda batch: (0, b"")
    with pytest.raises(ModelError):
        submit(engine, run, provider)
    provider.after_post = lambda batch: None
    return run, provider.only


def test_waiting_goes_on_through_absence_errors_and_unknown_statuses_until_the_end(
    engine: Engine, provider: Provider, handed_over: tuple[Run, HeldBatch]
) -> None:
    run, batch = handed_over
    batch.hidden = 2
    steps: list[Callable[[], None]] = [
        lambda: setattr(batch, "status", "pondering"),
        lambda: setattr(provider, "look", (503, b"")),
        lambda: setattr(provider, "look", None),
        batch.complete,
    ]
    shown: list[tuple[str, str | None]] = []

    def see(seen: list[SeenBatch]) -> None:
        shown.append((seen[0].status, seen[0].problem))
        if len(shown) > 2 and steps:
            steps.pop(0)()

    (one,) = wait(engine, run, provider, see)
    assert one.is_ready
    assert shown[0] == ("in_progress", "the provider does not show it yet")
    statuses_seen = [status for status, _ in shown]
    assert "pondering" in statuses_seen
    assert any(problem is not None and "503" in problem for _, problem in shown)
    assert statuses_seen[-1] == "completed"
    assert statuses(engine) == {"running": 6}, "looking stores no answer"
    looks = provider.looks
    assert look(engine, run, provider)[0].is_ready
    assert provider.looks == looks, "what has ended is not asked for again"


def test_a_batch_that_the_provider_never_knows_is_not_waited_for_without_end(
    engine: Engine, provider: Provider, handed_over: tuple[Run, HeldBatch]
) -> None:
    run, batch = handed_over
    batch.hidden = 10**9
    set_back(engine, PATIENCE + 1)
    (one,) = wait(engine, run, provider, lambda seen: None)
    assert one.hopeless
    assert "404" in (one.problem or "")
    assert "--again" in (next_step([one], NEXT) or "")
    ((lost,),) = [with_batches(engine, run, provider.url, lost_batches)]

    async def again(context: BatchContext) -> int:
        return give_up(context, lost)

    assert with_batches(engine, run, provider.url, again) == 6
    assert statuses(engine) == {"pending": 6}
    assert {(a.outcome, a.possibly_billed) for a in attempts(engine)} == {("unknown", True)}
    assert with_batches(engine, run, provider.url, again) == 0, "not what another process has settled"
    batch.hidden = 0
    batch.complete()
    assert adopt(engine, run, provider, batch.id).status == "submitted", "it turned up after all"
    with_batches(engine, run, provider.url, collect_batches)
    assert statuses(engine) == {"answered": 6}


def test_a_refused_key_ends_the_wait(
    engine: Engine, provider: Provider, handed_over: tuple[Run, HeldBatch]
) -> None:
    run, _ = handed_over
    provider.look = (401, {"error": {"message": "who are you?"}})
    with pytest.raises(ModelError, match="who are you"):
        wait(engine, run, provider, lambda seen: None)


def test_stopping_a_wait_leaves_everything_as_it_is(
    engine: Engine, provider: Provider, handed_over: tuple[Run, HeldBatch]
) -> None:
    run, _ = handed_over
    look(engine, run, provider)
    before = everything(engine)

    async def for_a_moment(context: BatchContext) -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(wait_for_batches(context, lambda seen: None, first=0.01), 0.3)

    with_batches(engine, run, provider.url, for_a_moment)
    assert everything(engine) == before


def test_a_submission_without_an_answer_is_found_while_waiting_once_its_names_show(
    engine: Engine, provider: Provider, unanswered: tuple[Run, HeldBatch]
) -> None:
    run, batch = unanswered
    (one,) = look(engine, run, provider)
    assert (one.status, one.candidates, one.hopeless) == ("submitting", (batch.id,), False)
    assert any(batch.id in line for line in batch_lines([one]))
    rounds: list[int] = []

    def see(seen: list[SeenBatch]) -> None:
        rounds.append(len(seen))
        if len(rounds) == 2:
            batch.complete()

    (one,) = wait(engine, run, provider, see)
    assert one.is_ready
    assert stored(engine)[0].provider_id == batch.id
    assert len(provider.posts) == 1


def test_a_submission_that_the_provider_does_not_list_is_not_waited_for_without_end(
    engine: Engine, provider: Provider, unanswered: tuple[Run, HeldBatch]
) -> None:
    run, _ = unanswered
    provider.batches.clear()
    set_back(engine, PATIENCE + 1)
    (one,) = wait(engine, run, provider, lambda seen: None)
    assert one.hopeless
    assert statuses(engine) == {"running": 6}
    assert len(provider.posts) == 1


def test_a_listing_that_cannot_be_had_decides_nothing(
    engine: Engine, provider: Provider, unanswered: tuple[Run, HeldBatch]
) -> None:
    run, _ = unanswered
    set_back(engine, PATIENCE + 1)
    listings: list[Answer] = [(500, b""), (200, b"nothing"), (200, {"data": 7}), (0, b"")]
    for provider.listing in listings:
        said: list[str] = []
        (one,) = look(engine, run, provider, said=said)
        assert not one.hopeless
        assert "cannot be looked up" in said[0]
    provider.listing = (401, {"error": {"message": "no"}})
    with pytest.raises(ModelError, match="cannot be looked up"):
        look(engine, run, provider)


def test_a_batch_that_is_there_twice_is_taken_once_and_the_other_is_named(
    engine: Engine, provider: Provider, unanswered: tuple[Run, HeldBatch]
) -> None:
    run, batch = unanswered
    batch.shows_requests = True
    provider.batches["copy"] = HeldBatch("copy", batch.custom_ids, batch.content, shows_requests=True)
    said: list[str] = []
    (one,) = look(engine, run, provider, said=said)
    assert one.batch.provider_id == "batch_1"
    assert any("copy" in line for line in said)
    with pytest.raises(UsageError, match="a second one"):
        adopt(engine, run, provider, "copy")


def test_adopting_takes_a_batch_whose_requests_are_ours_and_no_other(
    engine: Engine, provider: Provider, unanswered: tuple[Run, HeldBatch]
) -> None:
    run, batch = unanswered
    with pytest.raises(UsageError, match="knows no batch"):
        adopt(engine, run, provider, "batch_77")
    with pytest.raises(UsageError, match="does not show yet"):
        adopt(engine, run, provider, batch.id)
    for names in (["a", "b"], [*batch.custom_ids, "a"], [f"jevbias-{'0' * 24}-1-1"]):
        provider.batches["other"] = HeldBatch("other", names, batch.content, shows_requests=True)
        with pytest.raises(UsageError, match="did not send"):
            adopt(engine, run, provider, "other")
    assert [row.status for row in stored(engine)] == ["submitting"]
    batch.complete()
    assert adopt(engine, run, provider, batch.id).status == "submitted"
    assert adopt(engine, run, provider, batch.id).status == "submitted", "twice is once"
    with_batches(engine, run, provider.url, collect_batches)
    assert statuses(engine) == {"answered": 6}
    assert adopt(engine, run, provider, batch.id).status == "collected"


def test_a_batch_of_another_database_with_the_same_run_is_not_ours(
    engine: Engine, provider: Provider, unanswered: tuple[Run, HeldBatch], tmp_path: Any
) -> None:
    from jevbias.store.engine import open_store

    run, batch = unanswered
    elsewhere = open_store(str(tmp_path / "other.db"))
    twin = planned(elsewhere, 6, provider.url)
    submit(elsewhere, twin, provider)
    theirs = next(other for other in provider.batches.values() if other is not batch)
    assert not set(theirs.custom_ids) & set(batch.custom_ids)
    theirs.complete()
    assert look(engine, run, provider)[0].status == "submitting"
    with pytest.raises(UsageError, match="did not send"):
        adopt(engine, run, provider, theirs.id)
    elsewhere.dispose()


def test_a_batch_that_was_given_up_can_be_adopted_and_its_answers_count_where_no_others_came(
    engine: Engine, provider: Provider, unanswered: tuple[Run, HeldBatch]
) -> None:
    run, batch = unanswered
    set_back(engine, ON_ITS_WAY)

    async def again(context: BatchContext) -> int:
        return give_up(context, stored(engine)[0])

    assert with_batches(engine, run, provider.url, again) == 6
    submit(engine, run, provider)
    second = provider.batches["batch_2"]
    assert not set(second.custom_ids) & set(batch.custom_ids)
    second.complete(status="expired", only=2)
    with_batches(engine, run, provider.url, collect_batches)
    assert statuses(engine) == {"answered": 2, "pending": 4}
    batch.complete()
    adopt(engine, run, provider, batch.id)
    with_batches(engine, run, provider.url, collect_batches)
    assert statuses(engine) == {"answered": 6}
    assert len(answers(engine)) == 12
    kept = [a for a in attempts(engine) if a.response is not None]
    assert len(kept) == 2, "what came second is kept with its attempt"
    assert sum(a.cost or 0 for a in attempts(engine)) == 8 * 0.25, "and what was paid is counted"


def test_the_status_shows_every_batch_as_lines_and_as_json(
    engine: Engine, provider: Provider, handed_over: tuple[Run, HeldBatch]
) -> None:
    run, batch = handed_over
    seen = look(engine, run, provider)
    assert batch_lines(seen) == ["batch 1, in_progress, 6 requests, 0 completed, 0 failed, batch_1"]
    assert "status --wait" in (next_step(seen, NEXT) or "")
    (row,) = batches_json(seen)
    assert (row["provider_id"], row["provider_status"], row["open"], row["ready"]) == (
        "batch_1",
        "in_progress",
        True,
        False,
    )
    batch.complete()
    seen = look(engine, run, provider)
    assert "batch collect" in (next_step(seen, NEXT) or "")
    with_batches(engine, run, provider.url, collect_batches)
    seen = look(engine, run, provider)
    assert batch_lines(seen) == ["batch 1, collected, 6 requests, 6 answered, $1.5000, batch_1"]
    assert next_step(seen, NEXT) is None
    assert stored(engine)[0].collected_at == pytest.approx(time.time(), abs=60)
