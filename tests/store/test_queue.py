"""The probe queue: one owner at a time, every send recorded, no answer lost."""

from __future__ import annotations

import time
import zlib
from typing import Any

import pytest
from sqlalchemy import Engine, text

from jevbias.store.connections import reading, writing
from jevbias.store.outcomes import Lease, Outlook, ParkedProbe, Stored
from jevbias.store.owner import Owner
from jevbias.store.queue import ProbeQueue
from tests.store.conftest import HandClock
from tests.store.queued import answers, attempts, claim, complete, lose_all_leases, probe
from tests.store.small import QUESTIONS, sent, small_plan


def test_probes_are_claimed_in_the_order_of_the_plan_with_what_they_ask(
    engine: Engine, queue: ProbeQueue
) -> None:
    plan = small_plan(10)
    claims = claim(engine, queue, 4) + claim(engine, queue, 20)
    assert [one.position for one in claims] == list(range(10))
    assert [one.ask for one in claims] == [plan.asks[planned.ask_hash] for planned in plan.probes]
    assert claim(engine, queue, 5) == []


def test_nobody_claims_what_another_has_claimed(engine: Engine, queue: ProbeQueue, other: ProbeQueue) -> None:
    mine = {one.lease.probe_id for one in claim(engine, queue, 6)}
    theirs = {one.lease.probe_id for one in claim(engine, other, 6)}
    assert len(mine) == 6
    assert len(theirs) == 4
    assert not mine & theirs


def test_the_attempt_is_recorded_with_the_claim(engine: Engine, queue: ProbeQueue, clock: HandClock) -> None:
    (one,) = claim(engine, queue)
    assert one.attempts == one.lease.attempt == 1
    assert attempts(engine, one.lease.probe_id) == [(1, None, False)]
    row = probe(engine, one.lease.probe_id)
    assert (row.status, row.lease_owner, row.lease_until) == ("running", queue.owner, clock.now() + 120)


def test_an_answer_is_stored_with_its_attempt_and_ends_the_lease(
    engine: Engine, queue: ProbeQueue, clock: HandClock
) -> None:
    (one,) = claim(engine, queue)
    assert complete(engine, queue, one.lease, 0.25) is Stored.KEPT
    row = probe(engine, one.lease.probe_id)
    assert (row.status, row.lease_owner, row.lease_until, row.attempts) == ("answered", None, None, 1)
    assert zlib.decompress(row.response) == b'{"noul": 0.250}'
    assert (row.model_answered, row.latency_ms, row.input_tokens, row.cost) == ("jev-1.13.0", 12.5, 100, 0.25)
    assert row.answered_at == clock.now()
    assert answers(engine, one.lease.probe_id) == dict.fromkeys(QUESTIONS, 0.25)
    assert attempts(engine, one.lease.probe_id) == [(1, "answered", False)]


@pytest.mark.parametrize("status", ["refused", "malformed", "failed"])
def test_a_probe_without_an_answer_keeps_its_reason(engine: Engine, queue: ProbeQueue, status: Any) -> None:
    (one,) = claim(engine, queue)
    assert complete(engine, queue, one.lease, status=status) is Stored.KEPT
    row = probe(engine, one.lease.probe_id)
    assert (row.status, row.error_kind, row.error) == (status, f"{status}_kind", "one line")
    assert answers(engine, one.lease.probe_id) == {}


def test_a_parked_probe_is_not_sent_before_its_time(
    engine: Engine, queue: ProbeQueue, clock: HandClock
) -> None:
    (one,) = claim(engine, queue)
    parked = ParkedProbe(one.lease, sent("http_429", status=429), clock.now() + 600, "http_429", "busy")
    with writing(engine) as connection:
        queue.park(connection, parked)
    assert one.lease.probe_id not in {other.lease.probe_id for other in claim(engine, queue, 20)}
    with writing(engine) as connection:
        assert queue.outlook(connection) == Outlook(False, 1, clock.now() + 600, 0)
    clock.time += 600
    (again,) = claim(engine, queue, 20)
    assert again.lease == Lease(one.lease.probe_id, 2)
    assert again.attempts == 2
    assert attempts(engine, one.lease.probe_id) == [(1, "http_429", False), (2, None, False)]


def test_a_forgiven_probe_has_all_its_attempts_again_and_its_sends_stay_counted(
    engine: Engine, queue: ProbeQueue
) -> None:
    (one,) = claim(engine, queue)
    with writing(engine) as connection:
        queue.park(
            connection, ParkedProbe(one.lease, sent("http_401", status=401), None, "http_401", "no", True)
        )
    (again,) = claim(engine, queue)
    assert (again.lease.probe_id, again.attempts, again.lease.attempt) == (one.lease.probe_id, 1, 2)
    assert [number for number, *_ in attempts(engine, one.lease.probe_id)] == [1, 2]


def test_a_retry_is_recorded_before_it_is_sent(engine: Engine, queue: ProbeQueue) -> None:
    (one,) = claim(engine, queue)
    with writing(engine) as connection:
        queue.record(connection, one.lease, sent("timeout", status=None, billed=True))
    assert probe(engine, one.lease.probe_id).status == "running"
    with writing(engine) as connection:
        second = queue.retry(connection, one.lease)
    assert second == Lease(one.lease.probe_id, 2)
    assert attempts(engine, one.lease.probe_id) == [(1, "timeout", True), (2, None, False)]
    assert complete(engine, queue, second) is Stored.KEPT
    assert probe(engine, one.lease.probe_id).attempts == 2


def test_a_claim_that_was_not_sent_is_forgotten_when_it_is_released(
    engine: Engine, queue: ProbeQueue
) -> None:
    (one,) = claim(engine, queue)
    with writing(engine) as connection:
        queue.release(connection, [one.lease])
    assert attempts(engine, one.lease.probe_id) == []
    row = probe(engine, one.lease.probe_id)
    assert (row.status, row.attempts, row.lease_owner) == ("pending", 0, None)


def test_a_release_between_two_attempts_keeps_the_one_that_was_sent(
    engine: Engine, queue: ProbeQueue
) -> None:
    (one,) = claim(engine, queue)
    with writing(engine) as connection:
        queue.record(connection, one.lease, sent("http_500", status=500))
        queue.release(connection, [one.lease])
    assert attempts(engine, one.lease.probe_id) == [(1, "http_500", False)]
    assert probe(engine, one.lease.probe_id).attempts == 1


def test_renewing_keeps_a_lease_and_says_which_are_lost(
    engine: Engine, queue: ProbeQueue, other: ProbeQueue, clock: HandClock
) -> None:
    one, two = claim(engine, queue, 2)
    clock.time += 100
    with writing(engine) as connection:
        assert queue.renew(connection, [one.lease]) == set()
    clock.time += 100
    with writing(engine) as connection:
        assert other.reclaim(connection) == 1
        assert queue.renew(connection, [one.lease, two.lease]) == {two.lease}
    claim(engine, queue)
    with writing(engine) as connection:
        assert queue.renew(connection, [two.lease]) == {two.lease}, "a new lease does not revive the old one"


def test_a_lost_lease_leaves_an_unknown_attempt_that_counts_as_a_send_only(
    engine: Engine, queue: ProbeQueue, other: ProbeQueue, clock: HandClock
) -> None:
    (one,) = claim(engine, queue)
    assert lose_all_leases(engine, clock, other) == 1
    row = probe(engine, one.lease.probe_id)
    assert (row.status, row.attempts, row.lease_owner) == ("pending", 0, None)
    assert attempts(engine, one.lease.probe_id) == [(1, "unknown", True)]
    (again,) = claim(engine, other)
    assert (again.lease, again.attempts) == (Lease(one.lease.probe_id, 2), 1)


def test_a_lease_lost_between_two_attempts_takes_nothing_back(
    engine: Engine, queue: ProbeQueue, other: ProbeQueue, clock: HandClock
) -> None:
    (one,) = claim(engine, queue)
    with writing(engine) as connection:
        queue.record(connection, one.lease, sent("http_500", status=500))
    lose_all_leases(engine, clock, other)
    assert attempts(engine, one.lease.probe_id) == [(1, "http_500", False)]
    assert probe(engine, one.lease.probe_id).attempts == 1
    with writing(engine) as connection:
        assert queue.retry(connection, one.lease) is None


def test_an_owner_does_not_take_its_own_leases_for_lost(
    engine: Engine, queue: ProbeQueue, clock: HandClock
) -> None:
    # A machine that slept wakes with every lease run out; its own requests are still its own.
    claim(engine, queue, 3)
    assert lose_all_leases(engine, clock, queue) == 0


def test_a_jump_of_the_clock_takes_nothing_from_those_at_work(
    engine: Engine, run_id: int, queue: ProbeQueue, other: ProbeQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, set_by = time.time, 0.0
    monkeypatch.setattr("time.time", lambda: real() + set_by)
    mine, theirs = (ProbeQueue(run_id, name.owner, 0.4) for name in (queue, other))
    (one,) = claim(engine, mine)
    set_by = 5 * 3600.0
    with writing(engine) as connection:
        assert theirs.reclaim(connection) == 0
        assert mine.renew(connection, [one.lease]) == set()
    time.sleep(0.45)
    with writing(engine) as connection:
        assert theirs.reclaim(connection) == 1, "who does not renew loses it as ever"


def test_who_lives_on_this_host_loses_nothing_and_is_named_when_its_leases_run_out(
    engine: Engine, queue: ProbeQueue, other: ProbeQueue, clock: HandClock
) -> None:
    claims = claim(engine, other, 10)
    clock.time += 5 * 3_600.0
    with writing(engine) as connection:
        living = Owner.parse(other.owner)
        assert queue.outlook(connection) == Outlook(False, held_elsewhere=10, stalled=(living,))
        assert other.renew(connection, [one.lease for one in claims]) == set()
        assert queue.outlook(connection) == Outlook(False, held_elsewhere=10)


def test_a_send_given_up_is_unknown_and_its_probe_goes_back(engine: Engine, queue: ProbeQueue) -> None:
    (one,) = claim(engine, queue)
    with writing(engine) as connection:
        queue.abandon(connection, one.lease)
    assert probe(engine, one.lease.probe_id).status == "pending"
    assert attempts(engine, one.lease.probe_id) == [(1, "unknown", True)]


def test_what_a_dead_owner_on_this_host_held_is_taken_back_at_once(
    engine: Engine, queue: ProbeQueue, other: ProbeQueue, dead: ProbeQueue, run_id: int, clock: HandClock
) -> None:
    far = ProbeQueue(run_id, "elsewhere@1/7/123", 120.0, clock)
    for owner in (other, dead, far):
        claim(engine, owner, 2)
    with writing(engine) as connection:
        assert queue.outlook(connection) == Outlook(ready=True)
    assert len(claim(engine, queue, 10)) == 6, "four nobody had, two of the dead owner's"
    with writing(engine) as connection:
        assert queue.outlook(connection) == Outlook(ready=False, held_elsewhere=4)


def test_failed_probes_are_reopened_with_all_their_attempts(engine: Engine, queue: ProbeQueue) -> None:
    one, two = claim(engine, queue, 2)
    complete(engine, queue, one.lease, status="failed")
    complete(engine, queue, two.lease)
    with writing(engine) as connection:
        queue.reopen(connection, [one.lease.probe_id, two.lease.probe_id])
    row = probe(engine, one.lease.probe_id)
    assert (row.status, row.attempts, row.answered_at) == ("pending", 0, None)
    assert probe(engine, two.lease.probe_id).status == "answered"


def test_claiming_is_served_by_the_index_of_pending_probes(engine: Engine, queue: ProbeQueue) -> None:
    if engine.dialect.name != "sqlite":
        pytest.skip("SQLite's query plan")
    from jevbias.store.queue_statements import CLAIM

    values = {"run": 1, "me": "x", "now": 0.0, "until": 1.0, "limit": 5}
    compiled = CLAIM.compile(engine, compile_kwargs={"literal_binds": False})
    parameters = tuple(compiled.construct_params(values)[name] for name in compiled.positiontup or ())
    with reading(engine) as connection:
        plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {compiled}", parameters).all()
    shown = "\n".join(row[3] for row in plan)
    assert "USING INDEX probe_pending" in shown
    assert "SCAN probe" not in shown
    assert "TEMP B-TREE" not in shown


def test_no_answer_outside_the_unit_interval_can_be_stored(engine: Engine, queue: ProbeQueue) -> None:
    from sqlalchemy.exc import IntegrityError

    (one,) = claim(engine, queue)
    for value in (1.0001, -0.1, float("nan")):
        with pytest.raises(IntegrityError):
            complete(engine, queue, one.lease, value)
    assert probe(engine, one.lease.probe_id).status == "running"
    with reading(engine) as connection:
        assert connection.execute(text("SELECT COUNT(*) FROM answer")).scalar_one() == 0
