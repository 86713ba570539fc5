"""How far a run is, and what it has cost."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
from sqlalchemy import Engine

from jevbias.errors import UsageError
from jevbias.store.connections import writing
from jevbias.store.outcomes import ParkedProbe
from jevbias.store.progress import run_progress
from jevbias.store.queue import ProbeQueue
from jevbias.store.run_status import mark_ended, mark_running
from tests.store.conftest import HandClock
from tests.store.small import completed, sent


def test_a_run_that_has_not_begun(engine: Engine, run_id: int) -> None:
    progress = run_progress(engine, run_id)
    assert (progress.name, progress.status, progress.probes) == ("small", "planned", 10)
    assert progress.by_status == {
        "pending": 10, "running": 0, "answered": 0, "refused": 0, "malformed": 0, "failed": 0
    }  # fmt: skip
    assert (progress.finished, progress.left) == (0, 10)
    assert (progress.sends, progress.possible_sends, progress.answers) == (0, 0, 0)
    assert (progress.cost, progress.input_tokens, progress.output_tokens) == (None, None, None)
    assert (progress.rate, progress.eta_seconds, progress.last_activity) == (None, None, None)


def test_sends_are_known_where_something_came_back_and_possible_where_it_may_have_arrived(
    engine: Engine, run_id: int, queue: ProbeQueue, other: ProbeQueue, clock: HandClock
) -> None:
    with writing(engine) as connection:
        answered, busy, slow, unreachable, lost = (claim.lease for claim in queue.claim(connection, 5))
        queue.complete(connection, completed(answered))
        queue.park(connection, ParkedProbe(busy, sent("http_429", status=429), None, "http_429", "busy"))
        queue.park(
            connection, ParkedProbe(slow, sent("timeout", status=None, billed=True), None, "timeout", "slow")
        )
        queue.park(
            connection, ParkedProbe(unreachable, sent("connection", status=None), None, "connection", "no")
        )
        queue.abandon(connection, lost)
        other.claim(connection, 1)
    progress = run_progress(engine, run_id)
    assert progress.sends == 2, "the answer and the 429"
    assert progress.possible_sends == 3, "the timeout, the lost lease and what is on its way"


def test_tokens_and_costs_are_those_of_every_send_and_none_where_nobody_said(
    engine: Engine, run_id: int, queue: ProbeQueue
) -> None:
    unsaid = replace(sent(), cost=None, input_tokens=None, output_tokens=None)
    with writing(engine) as connection:
        for claim in queue.claim(connection, 2):
            queue.complete(connection, replace(completed(claim.lease), sent=unsaid))
    progress = run_progress(engine, run_id)
    assert (progress.cost, progress.uncosted, progress.input_tokens) == (None, 2, None)
    with writing(engine) as connection:
        (claim,) = queue.claim(connection, 1)
        queue.record(connection, claim.lease, sent("malformed"))
        again = queue.retry(connection, claim.lease)
        assert again is not None
        queue.complete(connection, completed(again))
    progress = run_progress(engine, run_id)
    assert (progress.cost, progress.uncosted) == (0.5, 2)
    assert (progress.input_tokens, progress.output_tokens) == (200, 14)


def test_failures_are_counted_by_their_kind(engine: Engine, run_id: int, queue: ProbeQueue) -> None:
    with writing(engine) as connection:
        one, two, three, four = queue.claim(connection, 4)
        queue.complete(connection, completed(one.lease, status="failed"))
        queue.complete(connection, completed(two.lease, status="failed"))
        queue.complete(connection, completed(three.lease, status="refused"))
        partial = replace(completed(four.lease), error_kind="incomplete", error="trust: missing")
        queue.complete(connection, replace(partial, answers=partial.answers[:1]))
    progress = run_progress(engine, run_id)
    assert progress.failures == {"failed_kind": 2, "refused_kind": 1}
    assert (progress.incomplete, progress.answers) == (1, 1)
    assert progress.by_status["answered"] == 1


def test_the_rate_and_what_is_left_give_the_time_to_come(
    engine: Engine, run_id: int, clock: HandClock
) -> None:
    clock.time = time.time() - 10
    queue = ProbeQueue(run_id, "me@1/1/1", 120.0, clock)
    with writing(engine) as connection:
        mark_running(connection, run_id, clock.time)
    for _ in range(6):
        with writing(engine) as connection:
            (claim,) = queue.claim(connection, 1)
            queue.complete(connection, completed(claim.lease))
        clock.time += 2
    progress = run_progress(engine, run_id)
    assert progress.rate == pytest.approx(0.5)
    assert progress.eta_seconds == pytest.approx(4 / 0.5)
    assert progress.last_activity == pytest.approx(clock.time - 2)
    with writing(engine) as connection:
        mark_ended(connection, run_id, clock.time, queue.owner, "no credit")
    progress = run_progress(engine, run_id)
    assert (progress.rate, progress.eta_seconds) == (None, None), "nobody works on it any more"
    assert (progress.status, progress.stop_reason) == ("stopped", "no credit")


def test_a_run_that_stands_still_promises_no_time(engine: Engine, run_id: int, queue: ProbeQueue) -> None:
    with writing(engine) as connection:  # The queue's clock stands in 1970.
        for claim in queue.claim(connection, 3):
            queue.complete(connection, completed(claim.lease))
        mark_running(connection, run_id, 1.0)
    progress = run_progress(engine, run_id)
    assert (progress.rate, progress.eta_seconds) == (None, None)


def test_parked_and_abandoned_probes_are_told_apart(
    engine: Engine, run_id: int, queue: ProbeQueue, other: ProbeQueue, dead: ProbeQueue
) -> None:
    until = time.time() + 500
    with writing(engine) as connection:
        (claim,) = queue.claim(connection, 1)
        queue.park(connection, ParkedProbe(claim.lease, sent("http_429", status=429), until, "x", "x"))
        dead.claim(connection, 2)
        other.claim(connection, 3)
    progress = run_progress(engine, run_id)
    assert (progress.parked, progress.next_at, progress.abandoned) == (1, until, 2)
    assert progress.by_status["running"] == 5


def test_a_run_that_is_not_there_has_no_progress(engine: Engine) -> None:
    with pytest.raises(UsageError, match="no run with the id 7"):
        run_progress(engine, 7)


def test_a_deserted_run_has_no_rate_and_promises_no_time(
    engine: Engine, run_id: int, clock: HandClock, dead: ProbeQueue
) -> None:
    clock.time = time.time() - 4
    with writing(engine) as connection:
        mark_running(connection, run_id, clock.time)
        for claim in dead.claim(connection, 4):
            dead.complete(connection, completed(claim.lease))
            clock.time += 1
        dead.claim(connection, 2)
    progress = run_progress(engine, run_id)
    assert (progress.deserted, progress.rate, progress.eta_seconds) == (True, None, None)


@pytest.mark.parametrize(("seconds", "deserted"), [(-1.0, True), (60.0, False)])
def test_another_host_is_believed_for_as_long_as_its_lease_lasts(
    engine: Engine, run_id: int, clock: HandClock, seconds: float, deserted: bool
) -> None:
    clock.time = time.time() + seconds - 120
    far = ProbeQueue(run_id, "elsewhere@1/7/123", 120.0, clock)
    with writing(engine) as connection:
        mark_running(connection, run_id, clock.time)
        far.claim(connection, 2)
    assert run_progress(engine, run_id).deserted is deserted


@pytest.mark.parametrize(("seconds", "deserted"), [(5.0, False), (90.0, True)])
def test_due_probes_that_nobody_takes_for_a_minute_are_a_deserted_run(
    engine: Engine, run_id: int, seconds: float, deserted: bool
) -> None:
    with writing(engine) as connection:
        mark_running(connection, run_id, time.time() - seconds)
    assert run_progress(engine, run_id).deserted is deserted
