"""Whatever happens in whatever order, a probe is in one state and no answer is lost."""

from __future__ import annotations

import itertools
import zlib
from pathlib import Path
from typing import Any, ClassVar

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from sqlalchemy import Connection, Engine, event, select

from jevbias.store.connections import connect_for_writing
from jevbias.store.engine import open_store
from jevbias.store.outcomes import Lease, ParkedProbe, Stored
from jevbias.store.queue import ProbeQueue
from jevbias.store.runs import create_run
from jevbias.store.tables import ANSWER, ATTEMPT, FINISHED_STATUSES, PROBE
from tests.store.conftest import HandClock
from tests.store.small import QUESTIONS, RUN_SETTINGS, completed, sent, small_plan

PROBES = 2
HAVE_ANSWERED = ("answered", "refused", "malformed")
owners = st.integers(0, 1)
numbers = itertools.count(1)


class QueueStates(RuleBasedStateMachine):
    """Two owners claim, send, report and lose probes. A lease that was given may be reported on at any time
    later, even when it is long lost or was reported on before."""

    engine: ClassVar[Engine]
    connection: ClassVar[Connection]

    @initialize()
    def plan(self) -> None:
        run_id = create_run(self.engine, small_plan(PROBES), name=f"run-{next(numbers)}", **RUN_SETTINGS)
        self.clock = HandClock()
        self.queues = [ProbeQueue(run_id, f"elsewhere@1/{n}/1", 120.0, self.clock) for n in range(2)]
        self.run_id = run_id
        self.given: list[tuple[int, Lease]] = []
        self.reported: set[tuple[int, Lease]] = set()
        self.stored: dict[int, float] = {}
        self.kept: dict[Lease, float] = {}

    def _call(self, owner: int, operation: str, *args: Any) -> Any:
        with self.connection.begin():
            return getattr(self.queues[owner], operation)(self.connection, *args)

    @rule(owner=owners, limit=st.integers(1, 3))
    def claim(self, owner: int, limit: int) -> None:
        for claim in self._call(owner, "claim", limit):
            assert (owner, claim.lease) not in self.given
            self.given.append((owner, claim.lease))

    def _pick(self, data: st.DataObject) -> tuple[int, Lease]:
        return data.draw(st.sampled_from(self.given))

    @precondition(lambda self: self.given)
    @rule(data=st.data(), status=st.sampled_from(FINISHED_STATUSES))
    def complete(self, data: st.DataObject, status: Any) -> None:
        owner, lease = self._pick(data)
        if (owner, lease) in self.reported:
            return
        self.reported.add((owner, lease))
        value = len(self.reported) / 100
        stored = self._call(owner, "complete", completed(lease, value, status=status))
        if status == "answered":
            assert stored in (Stored.KEPT, Stored.LATE, Stored.SUPERSEDED), "an answer has a place"
            if stored is Stored.SUPERSEDED:
                self.kept[lease] = value
            else:
                assert lease.probe_id not in self.stored, "no answer replaces another"
                self.stored[lease.probe_id] = value

    @precondition(lambda self: self.given)
    @rule(data=st.data(), forgiven=st.booleans(), wait=st.sampled_from([None, 500.0]))
    def park(self, data: st.DataObject, forgiven: bool, wait: float | None) -> None:
        owner, lease = self._pick(data)
        if (owner, lease) not in self.reported:
            self.reported.add((owner, lease))
            until = None if wait is None else self.clock.now() + wait
            parked = ParkedProbe(lease, sent("http_429", status=429), until, "http_429", "busy", forgiven)
            self._call(owner, "park", parked)

    @precondition(lambda self: self.given)
    @rule(data=st.data())
    def retry(self, data: st.DataObject) -> None:
        owner, lease = self._pick(data)
        if (owner, lease) not in self.reported:
            self.reported.add((owner, lease))
            self._call(owner, "record", lease, sent("http_500", status=500))
            again = self._call(owner, "retry", lease)
            if again is not None:
                self.given.append((owner, again))

    @precondition(lambda self: self.given)
    @rule(data=st.data(), operation=st.sampled_from(["release", "abandon"]))
    def give_up(self, data: st.DataObject, operation: str) -> None:
        owner, lease = self._pick(data)
        if (owner, lease) not in self.reported:
            self.reported.add((owner, lease))
            self._call(owner, operation, [lease] if operation == "release" else lease)

    @rule(owner=owners, seconds=st.sampled_from([50.0, 130.0, 600.0]))
    def time_passes_and_leases_are_lost(self, owner: int, seconds: float) -> None:
        self.clock.time += seconds
        self._call(owner, "reclaim")

    @rule(owner=owners)
    def renew(self, owner: int) -> None:
        mine = [lease for holder, lease in self.given if holder == owner]
        lost = self._call(owner, "renew", mine)
        assert lost <= set(mine)

    @rule(probes=st.sets(st.integers(0, PROBES - 1)), owner=owners)
    def reopen(self, probes: set[int], owner: int) -> None:
        with self.connection.begin():
            query = select(PROBE.c.id).where(PROBE.c.run_id == self.run_id).order_by(PROBE.c.id)
            ids = self.connection.execute(query).scalars().all()
        self._call(owner, "reopen", [ids[place] for place in probes])

    @invariant()
    def each_probe_is_in_one_state(self) -> None:
        with self.connection.begin():
            probes = self.connection.execute(select(PROBE).where(PROBE.c.run_id == self.run_id)).all()
            attempts = self.connection.execute(select(ATTEMPT)).all()
        assert len(probes) == PROBES
        for probe in probes:
            held = probe.lease_owner is not None
            assert held == (probe.lease_until is not None) == (probe.status == "running")
            assert (probe.answered_at is not None) == (probe.status in FINISHED_STATUSES)
            mine = {attempt.number: attempt for attempt in attempts if attempt.probe_id == probe.id}
            assert probe.attempts >= 0
            assert probe.last_attempt >= max(mine, default=0)
            open_attempts = [number for number, attempt in mine.items() if attempt.outcome is None]
            if probe.status == "pending":
                assert not open_attempts
            if probe.status == "running":
                assert probe.last_attempt in mine
                assert probe.attempts >= 1
                assert set(open_attempts) <= {probe.last_attempt}

    @invariant()
    def no_answer_is_lost_or_replaced(self) -> None:
        with self.connection.begin():
            probes = self.connection.execute(select(PROBE).where(PROBE.c.run_id == self.run_id)).all()
            mine = ANSWER.c.probe_id.in_([probe.id for probe in probes])
            answers = self.connection.execute(select(ANSWER).where(mine)).all()
            kept = {
                Lease(attempt.probe_id, attempt.number): attempt.response
                for attempt in self.connection.execute(select(ATTEMPT).where(ATTEMPT.c.response.is_not(None)))
            }
        found = {(answer.probe_id, answer.question): answer.value for answer in answers}
        assert found == {
            (probe_id, key): value for probe_id, value in self.stored.items() for key in QUESTIONS
        }
        for probe in probes:
            assert (probe.status == "answered") == (probe.id in self.stored)
        for lease, value in self.kept.items():
            assert zlib.decompress(kept[lease]) == b'{"noul": %.3f}' % value
            assert next(p.status for p in probes if p.id == lease.probe_id) in HAVE_ANSWERED


def test_any_sequence_of_events_keeps_each_probe_in_one_state_and_loses_no_answer(tmp_path: Path) -> None:
    QueueStates.engine = open_store(str(tmp_path / "jevbias.db"))
    # Nothing here is about the disk.
    event.listen(QueueStates.engine, "connect", lambda raw, _: raw.execute("PRAGMA synchronous=OFF"))
    with connect_for_writing(QueueStates.engine) as QueueStates.connection:
        run_state_machine_as_test(
            QueueStates,
            settings=settings(derandomize=True, deadline=None, max_examples=20, stateful_step_count=30),
        )
