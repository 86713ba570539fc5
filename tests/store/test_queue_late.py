"""Answers that come after their lease was lost."""

from __future__ import annotations

import zlib

from sqlalchemy import Engine, select

from jevbias.store.connections import reading, writing
from jevbias.store.outcomes import ParkedProbe, Stored
from jevbias.store.queue import ProbeQueue
from jevbias.store.tables import ATTEMPT
from tests.store.conftest import HandClock
from tests.store.queued import answers, attempts, claim, complete, lose_all_leases, probe
from tests.store.small import QUESTIONS, completed, sent


def test_a_late_answer_counts_while_nobody_else_has_one(
    engine: Engine, queue: ProbeQueue, other: ProbeQueue, clock: HandClock
) -> None:
    (one,) = claim(engine, queue)
    lose_all_leases(engine, clock, other)
    assert complete(engine, queue, one.lease, 0.25) is Stored.LATE
    assert probe(engine, one.lease.probe_id).status == "answered"
    assert answers(engine, one.lease.probe_id) == dict.fromkeys(QUESTIONS, 0.25)
    assert attempts(engine, one.lease.probe_id) == [(1, "answered", False)]
    assert one.lease.probe_id not in {again.lease.probe_id for again in claim(engine, other, 20)}


def test_a_late_answer_counts_before_the_one_that_is_on_its_way(
    engine: Engine, queue: ProbeQueue, other: ProbeQueue, clock: HandClock
) -> None:
    (one,) = claim(engine, queue)
    lose_all_leases(engine, clock, other)
    (again,) = claim(engine, other)
    assert complete(engine, queue, one.lease, 0.25) is Stored.LATE
    assert complete(engine, other, again.lease, 0.75) is Stored.SUPERSEDED
    assert answers(engine, one.lease.probe_id) == dict.fromkeys(QUESTIONS, 0.25)
    assert attempts(engine, one.lease.probe_id) == [(1, "answered", False), (2, "answered", False)]


def test_a_late_answer_never_replaces_another_and_is_kept_beside_it(
    engine: Engine, queue: ProbeQueue, other: ProbeQueue, clock: HandClock
) -> None:
    (one,) = claim(engine, queue)
    lose_all_leases(engine, clock, other)
    (again,) = claim(engine, other)
    assert complete(engine, other, again.lease, 0.75) is Stored.KEPT
    assert complete(engine, queue, one.lease, 0.25) is Stored.SUPERSEDED
    assert answers(engine, one.lease.probe_id) == dict.fromkeys(QUESTIONS, 0.75)
    assert zlib.decompress(probe(engine, one.lease.probe_id).response) == b'{"noul": 0.750}'
    with reading(engine) as connection:
        query = select(ATTEMPT).where(ATTEMPT.c.probe_id == one.lease.probe_id, ATTEMPT.c.number == 1)
        kept = connection.execute(query).one()
    assert zlib.decompress(kept.response) == b'{"noul": 0.250}'
    assert (kept.outcome, kept.possibly_billed, kept.http_status) == ("answered", False, 200)


def test_a_late_failure_ends_nothing(
    engine: Engine, queue: ProbeQueue, other: ProbeQueue, clock: HandClock
) -> None:
    (one,) = claim(engine, queue)
    lose_all_leases(engine, clock, other)
    assert complete(engine, queue, one.lease, status="failed") is Stored.RECORDED
    assert probe(engine, one.lease.probe_id).status == "pending"
    assert attempts(engine, one.lease.probe_id) == [(1, "failed", False)]


def test_a_late_answer_replaces_a_failure(
    engine: Engine, queue: ProbeQueue, other: ProbeQueue, clock: HandClock
) -> None:
    (one,) = claim(engine, queue)
    lose_all_leases(engine, clock, other)
    (again,) = claim(engine, other)
    complete(engine, other, again.lease, status="failed")
    assert complete(engine, queue, one.lease, 0.25) is Stored.LATE
    row = probe(engine, one.lease.probe_id)
    assert (row.status, row.error_kind, row.error) == ("answered", None, None)


def test_a_late_parking_records_its_attempt_and_moves_nothing(
    engine: Engine, queue: ProbeQueue, other: ProbeQueue, clock: HandClock
) -> None:
    (one,) = claim(engine, queue)
    lose_all_leases(engine, clock, other)
    (again,) = claim(engine, other)
    with writing(engine) as connection:
        queue.park(connection, ParkedProbe(one.lease, sent("http_429", status=429), 9e9, "x", "x", True))
        queue.release(connection, [one.lease])
        queue.abandon(connection, one.lease)
    row = probe(engine, one.lease.probe_id)
    assert (row.status, row.lease_owner, row.attempts) == ("running", other.owner, 1)
    assert attempts(engine, one.lease.probe_id) == [(1, "http_429", False), (2, None, False)]
    assert again.lease.attempt == 2


def test_an_owner_who_has_its_probe_again_does_nothing_under_the_lease_it_lost(
    engine: Engine, queue: ProbeQueue, other: ProbeQueue, clock: HandClock
) -> None:
    (one,) = claim(engine, queue)
    lose_all_leases(engine, clock, other)
    (again,) = claim(engine, queue)
    assert (again.lease.probe_id, again.lease.attempt) == (one.lease.probe_id, 2)
    with writing(engine) as connection:
        queue.park(connection, ParkedProbe(one.lease, sent("http_429", status=429), 9e9, "x", "x", True))
        queue.release(connection, [one.lease])
        queue.abandon(connection, one.lease)
        assert queue.retry(connection, one.lease) is None
        assert queue.complete(connection, completed(one.lease, status="failed")) is Stored.RECORDED
        assert queue.renew(connection, [one.lease, again.lease]) == {one.lease}
    row = probe(engine, one.lease.probe_id)
    assert (row.status, row.attempts, row.last_attempt, row.not_before) == ("running", 1, 2, None)
    assert complete(engine, queue, again.lease) is Stored.KEPT
