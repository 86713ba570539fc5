"""A process killed at any point of a submission or a collection: no batch is posted twice, no answer lost."""

from __future__ import annotations

import os
import signal
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import Engine

from jevbias.drain.batches.adoption import ON_ITS_WAY, give_up
from jevbias.drain.batches.collection import CollectionSummary, collect_batches
from jevbias.drain.batches.context import BatchContext
from jevbias.drain.batches.matching import Matched, match_submitting
from jevbias.drain.batches.submission import SubmissionSummary, submit_pending
from jevbias.errors import UsageError
from jevbias.store.engine import open_store
from jevbias.store.owner import Owner
from jevbias.store.progress import run_progress
from jevbias.store.runs import find_run
from jevbias.store.tables import Run
from tests.drain.batches.conftest import with_batches
from tests.drain.batches.looking import everything, set_back, stored
from tests.drain.batches.provider import Answer, HeldBatch, Provider
from tests.drain.draining import attempts, probes, run_row, statuses
from tests.store.processes import Child

PlanBatched = Callable[..., Run]


def submitting(pipe: Any, db: str, url: str, size: int) -> None:
    """In a process of its own: hand the run over."""
    engine = open_store(db)

    async def do(context: BatchContext) -> SubmissionSummary:
        return await submit_pending(context, size=size)

    with_batches(engine, find_run(engine, None), url, do, timeout=60.0)


def collecting(pipe: Any, db: str, url: str, stop_after: int | None) -> int:
    """In a process of its own: collect; it kills itself just before this transaction is committed."""
    from jevbias.drain.batches import collection

    engine = open_store(db)
    collection._AT_ONCE = 2
    if stop_after is not None:
        store, calls = collection._store, iter(range(1_000))

        def store_or_die(*given: Any) -> None:
            store(*given)
            if next(calls) == stop_after:
                os.kill(os.getpid(), signal.SIGKILL)

        collection._store = store_or_die  # type: ignore[assignment]
    summary = with_batches(engine, find_run(engine, None), url, collect_batches, timeout=60.0)
    return sum(one.answered for one in summary.collected)


def match(engine: Engine, run: Run, provider: Provider) -> Matched:
    return with_batches(engine, run, provider.url, match_submitting)


def submit(engine: Engine, run: Run, provider: Provider, size: int = 500) -> SubmissionSummary:
    async def do(context: BatchContext) -> SubmissionSummary:
        return await submit_pending(context, size=size)

    return with_batches(engine, run, provider.url, do)


def collect(engine: Engine, run: Run, provider: Provider) -> CollectionSummary:
    return with_batches(engine, run, provider.url, collect_batches)


def strike(child: Child) -> None:
    """SIGKILL from within a request of the child's own, whose answer it must not live to read."""
    victim = Owner.of(child.pid)
    os.kill(child.pid, signal.SIGKILL)
    while not victim.is_dead:
        time.sleep(0.005)


def killed_after_the_post(db: str, provider: Provider, *, size: int = 500) -> None:
    """Hand over from a process that is killed when the provider has taken the second batch and the process
    does not know it yet.
    """
    child: list[Child] = []

    def kill(batch: HeldBatch) -> Answer | None:
        if len(provider.batches) == 2:
            strike(child[0])
        return None

    provider.after_post = kill
    child.append(Child(submitting, db, provider.url, size))
    assert child[0].exit_code == -signal.SIGKILL
    provider.after_post = lambda batch: None


@pytest.mark.parametrize("shows_requests", [True, False])
def test_a_batch_posted_by_a_process_that_was_killed_before_it_knew_is_found_and_posted_once(
    engine: Engine, db: str, provider: Provider, plan_batched: PlanBatched, shows_requests: bool
) -> None:
    run = plan_batched(9)
    killed_after_the_post(db, provider, size=3)
    assert [row.status for row in stored(engine)] == ["submitted", "submitting"]
    for batch in provider.batches.values():
        batch.shows_requests = shows_requests
    if not shows_requests:  # The names are seen only when it has ended: until then nothing is done.
        undecided = match(engine, run, provider).undecided
        assert [one.candidates for one in undecided] == [("batch_2",)]
        submit(engine, run, provider, size=3)
        assert len(provider.posts) == 3, "the third chunk, which had not been reached"
        provider.complete_all()
    assert [row.id for row in match(engine, run, provider).found] == [stored(engine)[1].id]
    submit(engine, run, provider, size=3)
    assert len(provider.posts) == 3
    provider.complete_all()
    collect(engine, run, provider)
    assert statuses(engine) == {"answered": 9}
    posted = Counter(name for batch in provider.batches.values() for name in batch.custom_ids)
    assert len(posted) == 9
    assert set(posted.values()) == {1}, "every probe was posted once"
    assert [(a.outcome, a.number) for a in attempts(engine)] == [("answered", 1)] * 9
    assert run_row(engine).status == "finished"


def test_strangers_in_the_listing_and_further_pages_of_it_confuse_nobody(
    engine: Engine, db: str, provider: Provider, plan_batched: PlanBatched
) -> None:
    run = plan_batched(9)
    killed_after_the_post(db, provider, size=3)
    mine = provider.batches["batch_2"]
    mine.shows_requests = True
    for number in range(7):
        names = [f"jevbias-{'0' * 24}-{place}-1" for place in range(1, 4)] if number % 2 else ["a", "b", "c"]
        stranger = HeldBatch(f"other_{number}", names, {"model": "chat/model"}, shows_requests=True)
        provider.batches[stranger.id] = stranger
    provider.page = 2
    assert [row.provider_id for row in match(engine, run, provider).found] == [None]
    assert [row.provider_id for row in stored(engine)] == ["batch_1", "batch_2"]


def test_what_cannot_be_found_is_sent_again_on_demand_only_and_counts_as_possibly_billed(
    engine: Engine, db: str, provider: Provider, plan_batched: PlanBatched
) -> None:
    run = plan_batched(3)
    child: list[Child] = []

    def kill(content: dict[str, Any], place: int) -> Answer | None:
        strike(child[0])
        return 500, b""

    provider.on_post = kill
    child.append(Child(submitting, db, provider.url, 500))
    assert child[0].exit_code == -signal.SIGKILL
    provider.on_post = lambda content, place: None
    (undecided,) = match(engine, run, provider).undecided
    assert undecided.candidates == ()
    submit(engine, run, provider)
    assert len(provider.posts) == 1, "nothing by itself"

    async def again(context: BatchContext) -> int:
        return give_up(context, undecided.batch)

    with pytest.raises(UsageError, match="may still be on its way"):
        with_batches(engine, run, provider.url, again)
    set_back(engine, ON_ITS_WAY)
    (undecided,) = match(engine, run, provider).undecided
    assert with_batches(engine, run, provider.url, again) == 3
    assert [(a.outcome, a.possibly_billed) for a in attempts(engine)] == [("unknown", True)] * 3
    assert statuses(engine) == {"pending": 3}
    assert submit(engine, run, provider).requests == 3
    provider.complete_all()
    collect(engine, run, provider)
    progress = run_progress(engine, run.id or 0)
    assert (progress.sends, progress.possible_sends) == (3, 3)
    assert {row.attempts for row in probes(engine)} == {1}, "the lost send costs no attempt"


@pytest.mark.parametrize("stop_after", [0, 2, 4])
def test_a_collection_killed_anywhere_is_completed_by_the_next(
    engine: Engine, db: str, provider: Provider, plan_batched: PlanBatched, stop_after: int
) -> None:
    run = plan_batched(9)
    submit(engine, run, provider, size=3)
    for batch in provider.batches.values():
        batch.complete(status="expired", only=2)
    child = Child(collecting, db, provider.url, stop_after)
    assert child.exit_code == -signal.SIGKILL
    collect(engine, run, provider)
    assert statuses(engine) == {"answered": 6, "pending": 3}
    outcomes = Counter(a.outcome for a in attempts(engine))
    assert outcomes == {"answered": 6, "batch_expired": 3}
    assert {row.attempts for row in probes(engine) if row.status == "pending"} == {0}
    assert {row.status for row in stored(engine)} == {"collected"}
    assert sum(row.answered for row in stored(engine)) == 6
    once = everything(engine)
    collect(engine, run, provider)
    assert everything(engine) == once


def test_two_processes_that_collect_at_once_store_each_answer_once(
    engine: Engine, db: str, provider: Provider, plan_batched: PlanBatched
) -> None:
    run = plan_batched(60)
    submit(engine, run, provider, size=10)
    for place, batch in enumerate(provider.batches.values()):
        batch.complete(status="expired", only=8 if place % 2 else None)
    missing = sum(len(batch.custom_ids) - len(batch.results or ()) for batch in provider.batches.values())
    assert missing > 0
    children = [Child(collecting, db, provider.url, None) for _ in range(2)]
    counted = [child.result() for child in children]
    assert sum(counted) == 60 - missing, "what one stored the other did not count"
    assert statuses(engine) == {"answered": 60 - missing, "pending": missing}
    assert [a.number for a in attempts(engine)] == [1] * 60
    progress = run_progress(engine, run.id or 0)
    assert progress.cost == pytest.approx(0.25 * (60 - missing))
    assert sum(row.cost or 0 for row in stored(engine)) == pytest.approx(progress.cost)
