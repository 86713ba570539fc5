"""The rows of batches, on every database that is supported."""

from __future__ import annotations

import pytest
from sqlalchemy import Engine, select
from sqlalchemy.exc import IntegrityError

from jevbias.store.batch_probes import (
    attempts_exist,
    claim_for,
    held_leases,
    open_attempts,
    pending_probes,
)
from jevbias.store.batches import (
    BatchShare,
    StoredBatch,
    batch_share,
    batch_with_key,
    batches_of,
    close_batch,
    known_provider_ids,
    load_batch,
    mark_submitted,
    observe,
    open_batch,
    withdraw,
)
from jevbias.store.connections import reading, writing
from jevbias.store.outcomes import Lease, Outlook, Stored
from jevbias.store.owner import batch_owner, is_batch
from jevbias.store.queue import ProbeQueue
from jevbias.store.runs import create_run
from jevbias.store.tables import ATTEMPT, BATCH, PROBE
from tests.store.small import RUN_SETTINGS, completed, small_plan


def opened(
    engine: Engine, run_id: int, probe_ids: list[int], now: float = 5.0
) -> tuple[StoredBatch, list[Lease]]:
    hashes = {probe_id: f"{probe_id:064d}" for probe_id in probe_ids}
    with writing(engine) as connection:
        found = open_batch(connection, run_id, hashes, now)
    assert found is not None
    return found


def ids(engine: Engine, run_id: int) -> list[int]:
    with reading(engine) as connection:
        return [probe.id for probe in pending_probes(connection, run_id)]


def attempt_rows(engine: Engine) -> list[tuple[object, ...]]:
    with reading(engine) as connection:
        columns = (ATTEMPT.c.probe_id, ATTEMPT.c.number, ATTEMPT.c.outcome, ATTEMPT.c.possibly_billed)
        rows = connection.execute(select(*columns).order_by(ATTEMPT.c.probe_id, ATTEMPT.c.number))
        return [tuple(row) for row in rows]


def test_pending_probes_come_in_the_order_of_the_plan_with_what_decides_their_chunk(
    engine: Engine, run_id: int
) -> None:
    with reading(engine) as connection:
        found = pending_probes(connection, run_id)
    plan = small_plan(10)
    assert [probe.position for probe in found] == list(range(10))
    assert [(p.scenario, p.variant, p.condition, p.replicate) for p in found] == [
        (p.scenario, p.variant, p.condition, p.replicate) for p in plan.probes
    ]
    assert len({probe.frame_id for probe in found}) == 3


def test_a_batch_claims_in_its_own_order_what_is_pending_and_nothing_else(
    engine: Engine, run_id: int, queue: ProbeQueue
) -> None:
    every = ids(engine, run_id)
    with writing(engine) as connection:
        taken = queue.claim(connection, 2)
    batch, leases = opened(engine, run_id, list(reversed(every)))
    assert [lease.probe_id for lease in leases] == list(reversed(every))[:-2]
    assert {lease.attempt for lease in leases} == {1}
    assert (batch.status, batch.requests, batch.provider_id, batch.created_at) == ("submitting", 8, None, 5.0)
    with reading(engine) as connection:
        rows = connection.execute(select(PROBE).where(PROBE.c.batch_id == batch.id)).all()
    assert {(row.status, row.lease_owner, row.lease_until) for row in rows} == {
        ("running", batch_owner(batch.id), None)
    }
    assert len(rows) == 8
    assert len(attempt_rows(engine)) == 8 + len(taken)
    with writing(engine) as connection:
        assert open_batch(connection, run_id, dict.fromkeys(every, "x"), 6.0) is None
        assert len(batches_of(connection, run_id)) == 1


def test_no_two_batches_have_the_same_hash(engine: Engine, run_id: int) -> None:
    other = create_run(engine, small_plan(10), name="other", **RUN_SETTINGS)
    hashes = set()
    for run in (run_id, other):
        batch, _ = opened(engine, run, ids(engine, run)[:5])
        hashes.add(batch.content_hash)
        with writing(engine) as connection:
            withdraw(connection, batch.id, "for a test", unsent=True)
        again, leases = opened(engine, run, ids(engine, run)[:5], 5.5)
        assert {lease.attempt for lease in leases} == {2}, "a name is never used twice"
        hashes.add(again.content_hash)
    assert len(hashes) == 4
    with reading(engine) as connection:
        for digest in hashes:
            found = batch_with_key(connection, digest[:24])
            assert found is not None
            assert found.content_hash == digest
        assert batch_with_key(connection, "%") is None


@pytest.mark.parametrize("unsent", [True, False])
def test_a_batch_that_is_given_up_returns_its_probes(engine: Engine, run_id: int, unsent: bool) -> None:
    batch, leases = opened(engine, run_id, ids(engine, run_id))
    with writing(engine) as connection:
        assert withdraw(connection, batch.id, "no", unsent=unsent) == 10
        assert withdraw(connection, batch.id, "no", unsent=unsent) == 0
        assert attempts_exist(connection, leases) is not unsent
        assert load_batch(connection, batch.id).status == "withdrawn"
        rows = connection.execute(select(PROBE)).all()
    assert {(row.status, row.attempts, row.lease_owner, row.batch_id) for row in rows} == {
        ("pending", 0, None, None)
    }
    expected = [] if unsent else [(lease.probe_id, 1, "unknown", True) for lease in leases]
    assert attempt_rows(engine) == expected


def test_a_batch_of_the_provider_stands_for_one_row_only(engine: Engine, run_id: int) -> None:
    first, _ = opened(engine, run_id, ids(engine, run_id)[:5])
    second, _ = opened(engine, run_id, ids(engine, run_id))
    with writing(engine) as connection:
        assert mark_submitted(connection, first.id, "b-1", "validating", 7.0)
        assert not mark_submitted(connection, first.id, "b-1", "validating", 8.0)
        assert not mark_submitted(connection, second.id, "b-1", "validating", 8.0)
        assert not mark_submitted(connection, first.id, "b-2", "validating", 8.0)
        assert mark_submitted(connection, second.id, "b-2", "validating", 8.0)
        assert known_provider_ids(connection) == {"b-1", "b-2"}
        found = load_batch(connection, first.id)
    assert (found.status, found.provider_id, found.provider_status, found.submitted_at) == (
        "submitted",
        "b-1",
        "validating",
        7.0,
    )


def test_what_was_collected_stays_as_it_is(engine: Engine, run_id: int) -> None:
    batch, _ = opened(engine, run_id, ids(engine, run_id))
    with writing(engine) as connection:
        mark_submitted(connection, batch.id, "b-1", "in_progress", 7.0)
        observe(connection, batch.id, "completed", None)
        close_batch(connection, batch.id, answered=8, cost=0.5, now=9.0)
        closed = load_batch(connection, batch.id)
        observe(connection, batch.id, "expired", "late")
        close_batch(connection, batch.id, answered=1, cost=None, now=10.0)
        withdraw(connection, batch.id, "late", unsent=False)
        assert load_batch(connection, batch.id) == closed
    assert (closed.answered, closed.unanswered, closed.cost, closed.collected_at) == (8, 2, 0.5, 9.0)
    assert closed.provider_status == "completed"


def test_an_attempt_is_open_until_it_is_reported(engine: Engine, run_id: int) -> None:
    batch, leases = opened(engine, run_id, ids(engine, run_id)[:4])
    queue = ProbeQueue(run_id, batch_owner(batch.id))
    with writing(engine) as connection:
        assert queue.complete(connection, completed(leases[0])) is Stored.KEPT
        strangers = [Lease(leases[1].probe_id, 2), Lease(10**6, 1)]
        found = open_attempts(connection, run_id, [*leases, *strangers])
        assert set(found) == set(leases[1:])
        assert found[leases[1]].body_sha256 == f"{leases[1].probe_id:064d}"
        assert open_attempts(connection, run_id + 1, leases) == {}
        assert held_leases(connection, queue.owner, 2) == leases[1:3]
        share = batch_share(connection, run_id)
    assert share == BatchShare(alone=0, in_batches=1, batches=1)


def test_a_process_sees_what_batches_hold_apart_from_what_others_do(
    engine: Engine, run_id: int, queue: ProbeQueue, other: ProbeQueue
) -> None:
    opened(engine, run_id, ids(engine, run_id)[:6])
    with writing(engine) as connection:
        other.claim(connection, 3)
        queue.claim(connection, 1)
        outlook = queue.outlook(connection)
    assert outlook == Outlook(False, 0, None, held_elsewhere=3, in_batches=6)
    assert not outlook.is_over
    assert Outlook(False, in_batches=6).is_over
    assert is_batch(batch_owner(1))
    assert not is_batch(queue.owner)


def test_claiming_for_a_batch_keeps_to_the_run(engine: Engine, run_id: int) -> None:
    other = create_run(engine, small_plan(3), name="other", **RUN_SETTINGS)
    theirs = ids(engine, other)
    with writing(engine) as connection:
        assert claim_for(connection, run_id, dict.fromkeys(theirs, "x"), "batch:1", 1.0) == []
    assert ids(engine, other) == theirs


def test_a_status_that_there_is_not_is_refused(engine: Engine, run_id: int) -> None:
    with pytest.raises(IntegrityError), engine.begin() as connection:
        connection.execute(
            BATCH.insert().values(
                run_id=run_id,
                content_hash="x",
                status="lost",
                requests=1,
                answered=0,
                unanswered=0,
                created_at=1,
            )
        )
