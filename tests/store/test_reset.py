"""Returning probes to the queue."""

from __future__ import annotations

import os
import time
import zlib
from dataclasses import replace

import pytest
from sqlalchemy import Engine, select

from jevbias.errors import UsageError
from jevbias.store.connections import reading, writing
from jevbias.store.outcomes import FinalStatus, ParkedProbe, Stored
from jevbias.store.owner import Owner
from jevbias.store.progress import run_progress
from jevbias.store.queue import ProbeQueue
from jevbias.store.reset import ResetSummary, reset_probes
from jevbias.store.run_status import mark_ended, mark_running
from jevbias.store.tables import ATTEMPT, RUN
from tests.store.conftest import HandClock
from tests.store.small import completed, sent


@pytest.fixture
def held(
    engine: Engine, run_id: int, clock: HandClock, other: ProbeQueue, dead: ProbeQueue
) -> tuple[ProbeQueue, ProbeQueue]:
    """Two probes each held by a dead process, a living one, and one on another host; one has failed."""
    clock.time = time.time()
    far = ProbeQueue(run_id, "elsewhere@1/7/123", 120.0, clock)
    with writing(engine) as connection:
        for queue in (dead, other, far):
            queue.claim(connection, 2)
        (claim,) = other.claim(connection, 1)
        other.complete(connection, completed(claim.lease, status="failed"))
    return other, far


def test_abandoned_probes_go_back_and_held_ones_stay(
    engine: Engine, run_id: int, held: tuple[ProbeQueue, ProbeQueue]
) -> None:
    summary = reset_probes(engine, run_id)
    assert (summary.abandoned, summary.failed, summary.still_held) == (2, 0, 4)
    assert {str(owner) for owner in summary.holders} == {queue.owner for queue in held}
    progress = run_progress(engine, run_id)
    assert (progress.by_status["pending"], progress.by_status["running"]) == (5, 4)
    assert progress.by_status["failed"] == 1
    assert reset_probes(engine, run_id).abandoned == 0


def test_failed_probes_go_back_on_demand(
    engine: Engine, run_id: int, held: tuple[ProbeQueue, ProbeQueue]
) -> None:
    assert reset_probes(engine, run_id, failed=True).failed == 1
    assert run_progress(engine, run_id).by_status["failed"] == 0


def test_malformed_probes_go_back_with_the_failed_and_refused_ones_only_by_name(
    engine: Engine, run_id: int, queue: ProbeQueue
) -> None:
    statuses: tuple[FinalStatus, ...] = ("answered", "failed", "malformed", "malformed", "refused")
    with writing(engine) as connection:
        claims = queue.claim(connection, 5)
        for claim, ended in zip(claims, statuses, strict=True):
            reply = replace(completed(claim.lease, status=ended), response=b"what came back")
            queue.complete(connection, reply)
    summary = reset_probes(engine, run_id, failed=True)
    assert (summary.failed, summary.malformed, summary.refused, summary.returned) == (1, 2, 0, 3)
    left = run_progress(engine, run_id)
    assert (left.by_status["answered"], left.by_status["refused"], left.by_status["pending"]) == (1, 1, 8)
    assert (left.sends, left.cost) == (5, 5 * 0.25), "what was sent stays in the log"
    with reading(engine) as connection:
        kept = connection.execute(select(ATTEMPT).where(ATTEMPT.c.response.is_not(None))).all()
    assert [row.outcome for row in kept] == ["malformed", "malformed"]
    assert {zlib.decompress(row.response) for row in kept} == {b"what came back"}
    assert reset_probes(engine, run_id, failed=True).returned == 0
    assert reset_probes(engine, run_id, refused=True) == ResetSummary(0, refused=1)
    with writing(engine) as connection:
        for claim in queue.claim(connection, 10):
            assert queue.complete(connection, completed(claim.lease)) is Stored.KEPT
    assert run_progress(engine, run_id).answers == 20


def test_leases_of_the_living_need_force_and_their_answers_are_still_taken(
    engine: Engine, run_id: int, other: ProbeQueue
) -> None:
    other.clock = HandClock()
    other.clock.time = time.time()
    with writing(engine) as connection:
        (claim,) = other.claim(connection, 1)
    assert reset_probes(engine, run_id).abandoned == 0
    assert reset_probes(engine, run_id, force=True) == ResetSummary(1)
    with writing(engine) as connection:
        assert other.complete(connection, completed(claim.lease)) is Stored.LATE


def test_a_lease_that_ran_out_needs_no_force_unless_its_owner_is_seen_to_live(
    engine: Engine, run_id: int, queue: ProbeQueue, other: ProbeQueue
) -> None:
    with writing(engine) as connection:  # The clock of these queues stands in 1970.
        queue.claim(connection, 3)
        other.claim(connection, 2)
    left = reset_probes(engine, run_id)
    assert (left.abandoned, left.still_held, left.holders) == (3, 2, (Owner.parse(other.owner),))
    assert reset_probes(engine, run_id, force=True).abandoned == 2


def test_where_the_system_tells_no_starts_a_lease_that_ran_out_needs_no_force(
    engine: Engine, run_id: int, clock: HandClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("jevbias.store.owner._process_start", lambda pid: "unknown")
    with writing(engine) as connection:
        ProbeQueue(run_id, str(Owner.of(os.getppid())), 120.0, clock).claim(connection, 2)
    assert reset_probes(engine, run_id).abandoned == 2


def test_a_finished_run_with_probes_in_the_queue_again_is_not_finished(
    engine: Engine, run_id: int, queue: ProbeQueue
) -> None:
    with writing(engine) as connection:
        mark_running(connection, run_id, 1.0)
        for claim in queue.claim(connection, 10):
            queue.complete(connection, completed(claim.lease, status="failed"))
        mark_ended(connection, run_id, 2.0, queue.owner)
    assert status(engine) == ("finished", 1.0, 2.0)
    reset_probes(engine, run_id)
    assert status(engine) == ("finished", 1.0, 2.0)
    reset_probes(engine, run_id, failed=True)
    assert status(engine) == ("stopped", 1.0, None)


def test_a_run_stops_when_its_last_worker_does_and_finishes_when_nothing_is_left(
    engine: Engine, run_id: int, queue: ProbeQueue, other: ProbeQueue
) -> None:
    with writing(engine) as connection:
        mark_running(connection, run_id, 1.0)
        queue.claim(connection, 1)
        theirs = other.claim(connection, 9)
        mark_ended(connection, run_id, 2.0, queue.owner)
    assert status(engine) == ("running", 1.0, None), "another is at work"
    with writing(engine) as connection:
        other.release(connection, [claim.lease for claim in theirs])
        mark_ended(connection, run_id, 3.0, queue.owner)
    assert status(engine) == ("stopped", 1.0, None)
    with writing(engine) as connection:
        mark_running(connection, run_id, 4.0)
        queue.reclaim(connection)
        for claim in [*other.claim(connection, 10)]:
            other.complete(connection, completed(claim.lease))
        mark_ended(connection, run_id, 5.0, other.owner)
    assert status(engine) == ("running", 1.0, None), "one is still held"
    reset_probes(engine, run_id, force=True)
    with writing(engine) as connection:
        for claim in other.claim(connection, 10):
            other.complete(connection, completed(claim.lease))
        mark_ended(connection, run_id, 6.0, other.owner)
        mark_ended(connection, run_id, 7.0, queue.owner)
    assert status(engine) == ("finished", 1.0, 6.0)


def status(engine: Engine) -> tuple[str, float | None, float | None]:
    with reading(engine) as connection:
        row = connection.execute(select(RUN.c.status, RUN.c.started_at, RUN.c.finished_at)).one()
    return row.status, row.started_at, row.finished_at


def test_the_summary_says_what_went_back_and_who_holds_the_rest() -> None:
    owner = Owner("laptop@1", 12, "345")
    assert ResetSummary(1, 2, 4, 5, still_held=3, holders=(owner,)).lines() == [
        "1 probe abandoned, 2 failed, 4 malformed, 5 refused: returned to the queue",
        "3 probes still held by process 12 on laptop: --force takes them too",
    ]
    assert ResetSummary(0).lines() == ["0 probes abandoned, 0 failed: returned to the queue"]


def test_a_run_that_is_not_there_cannot_be_reset(engine: Engine) -> None:
    with pytest.raises(UsageError, match="no run with the id 7"):
        reset_probes(engine, 7)


def test_a_run_whose_only_process_was_killed_is_no_longer_called_running(
    engine: Engine, run_id: int, clock: HandClock, dead: ProbeQueue
) -> None:
    clock.time = time.time()
    with writing(engine) as connection:
        mark_running(connection, run_id, 1.0)
        dead.claim(connection, 2)
    before = run_progress(engine, run_id)
    assert (before.status, before.deserted, before.at_rest) == ("running", True, True)
    assert reset_probes(engine, run_id).abandoned == 2
    after = run_progress(engine, run_id)
    assert (after.status, after.stop_reason, after.deserted) == ("stopped", "its process is gone", False)


def test_a_run_killed_after_its_last_answer_is_finished_by_a_reset(
    engine: Engine, run_id: int, dead: ProbeQueue
) -> None:
    with writing(engine) as connection:
        mark_running(connection, run_id, 1.0)
        for claim in dead.claim(connection, 10):
            dead.complete(connection, completed(claim.lease))
    assert not run_progress(engine, run_id).deserted, "nothing is left to do"
    reset_probes(engine, run_id)
    assert status(engine)[0] == "finished"


@pytest.mark.parametrize("force", [False, True])
def test_a_run_that_a_living_process_works_on_stays_running(
    engine: Engine, run_id: int, clock: HandClock, other: ProbeQueue, dead: ProbeQueue, force: bool
) -> None:
    clock.time = time.time()
    with writing(engine) as connection:
        mark_running(connection, run_id, clock.time)
        other.claim(connection, 1)
        dead.claim(connection, 1)
    assert not run_progress(engine, run_id).deserted
    assert reset_probes(engine, run_id, force=force).abandoned == (2 if force else 1)
    assert status(engine)[0] == "running"


def test_a_drain_that_waits_for_parked_probes_stays_running(
    engine: Engine, run_id: int, clock: HandClock, other: ProbeQueue
) -> None:
    clock.time = time.time()
    with writing(engine) as connection:
        mark_running(connection, run_id, clock.time)
        for claim in other.claim(connection, 10):
            busy = sent("http_429", status=429)
            other.park(connection, ParkedProbe(claim.lease, busy, clock.time + 900, "http_429", "busy"))
    assert not run_progress(engine, run_id).deserted
    reset_probes(engine, run_id)
    assert status(engine)[0] == "running"
