"""The probe queue: claim, complete, park, retry, renew and release, each inside the caller's transaction.

A probe is pending until one owner claims it for as long as its lease lasts, and ends as answered, refused,
malformed or failed. Every send has an attempt row that was committed before it; its number, together with
the owner, is what a lease is recognised by, so that a report which comes after the lease was lost changes
nothing that another has stored.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field

from sqlalchemy import Connection

from jevbias.store import queue_statements as sql
from jevbias.store.asks import AskReader
from jevbias.store.clock import Clock
from jevbias.store.leases import lose, reclaim, stalled
from jevbias.store.many_rows import Row
from jevbias.store.outcomes import (
    ClaimedProbe,
    CompletedProbe,
    Lease,
    Outlook,
    ParkedProbe,
    SentAttempt,
    Stored,
)
from jevbias.store.owner import Owner


@dataclass
class ProbeQueue:
    """One owner's view of one run's probes. `lease_seconds` is how long a claim lasts unless renewed."""

    run_id: int
    owner: str
    lease_seconds: float = 120.0
    clock: Clock = field(default_factory=Clock)
    _asks: AskReader = field(default_factory=AskReader, repr=False)

    def claim(self, connection: Connection, limit: int) -> list[ClaimedProbe]:
        """Up to `limit` probes in seeded order, each with its attempt row, none ever given to two owners."""
        now = self.clock.now()
        values = {
            "run": self.run_id,
            "me": self.owner,
            "now": now,
            "until": now + self.lease_seconds,
            "limit": limit,
        }
        rows = connection.execute(sql.CLAIM, values).all()
        if not rows:
            return []
        sql.BEGIN_ATTEMPT.execute(connection, [(row.id, row.last_attempt, now, False) for row in rows])
        asks = self._asks.load(connection, [row.ask_id for row in rows])
        return [
            ClaimedProbe(Lease(row.id, row.last_attempt), row.position, row.attempts, asks[row.ask_id])
            for row in sorted(rows, key=lambda row: int(row.position))
        ]

    def complete(self, connection: Connection, probe: CompletedProbe) -> Stored:
        """Store how one probe ended; see `complete_all`."""
        return self.complete_all(connection, [probe])[0]

    def complete_all(self, connection: Connection, probes: Sequence[CompletedProbe]) -> list[Stored]:
        """Store how probes ended.

        Whoever holds the lease is believed. Without it an answer is still an answer: it counts while no other
        does, and is kept with its attempt once another does.
        """
        now = self.clock.now()
        ids = [probe.lease.probe_id for probe in probes]
        held = set((connection.execute(sql.HELD, {"ids": ids, "me": self.owner}).scalar() or "").split())
        stored = [Stored.KEPT if _named(probe.lease) in held else Stored.LATE for probe in probes]
        kept = [probe for probe in probes if _named(probe.lease) in held]
        sql.COMPLETE.execute(connection, [_result(probe, now) for probe in kept])
        for place, probe in enumerate(probes):
            if stored[place] is Stored.LATE:
                stored[place] = self._store_late(connection, probe, now)
        ended = list(zip(probes, stored, strict=True))
        present = [probe for probe, how in ended if how is not Stored.GONE]
        sql.END_ATTEMPT.execute(connection, [_report(probe.lease, probe.sent) for probe in present])
        counting = [probe for probe, how in ended if how in (Stored.KEPT, Stored.LATE)]
        sql.ADD_ANSWERS.execute(connection, [row for probe in counting for row in _answers(probe)])
        return stored

    def _store_late(self, connection: Connection, probe: CompletedProbe, now: float) -> Stored:
        this = {"probe": probe.lease.probe_id}
        found = connection.execute(sql.STATUS, {"run": self.run_id, **this}).scalar()
        if found is None:
            return Stored.GONE
        if probe.status == "failed":
            return Stored.RECORDED
        if found in ("answered", "refused", "malformed"):
            response = {"attempt": probe.lease.attempt, "new_response": _packed(probe.response)}
            connection.execute(sql.KEEP_RESPONSE, {**this, **response})
            return Stored.SUPERSEDED
        sql.COMPLETE.execute(connection, [_result(probe, now)])
        return Stored.LATE

    def park(self, connection: Connection, parked: ParkedProbe) -> None:
        """Put a probe back into the queue after a send. Without the lease only the attempt is recorded."""
        connection.execute(
            sql.PARK,
            {
                **self._held(parked.lease),
                "new_not_before": parked.not_before,
                "new_error_kind": parked.error_kind,
                "new_error": parked.error,
                "forgiven": parked.forgiven,
            },
        )
        sql.END_ATTEMPT.execute(connection, [_report(parked.lease, parked.sent)])

    def record(
        self, connection: Connection, lease: Lease, sent: SentAttempt, *, forgiven: bool = False
    ) -> None:
        """Store what became of a send whose probe stays claimed, because it will be sent again. `forgiven`
        does not count it towards the attempts that the probe may have.
        """
        sql.END_ATTEMPT.execute(connection, [_report(lease, sent)])
        if forgiven:
            connection.execute(sql.FORGIVE, self._held(lease))

    def retry(self, connection: Connection, lease: Lease) -> Lease | None:
        """The lease of one more attempt, whose row is committed before it is sent; None when it is lost."""
        now = self.clock.now()
        number = connection.execute(
            sql.RETRY, {**self._held(lease), "new_until": now + self.lease_seconds}
        ).scalar()
        if number is None:
            return None
        sql.BEGIN_ATTEMPT.execute(connection, [(lease.probe_id, number, now, False)])
        return Lease(lease.probe_id, number)

    def renew(self, connection: Connection, leases: Sequence[Lease]) -> set[Lease]:
        """Extend leases in flight or waiting; returns those that are lost."""
        self.clock.synchronise(connection)
        held = connection.execute(
            sql.RENEW,
            {
                "ids": [lease.probe_id for lease in leases],
                "me": self.owner,
                "new_until": self.clock.now() + self.lease_seconds,
            },
        )
        return set(leases) - {Lease(probe_id, attempt) for probe_id, attempt in held}

    def release(self, connection: Connection, leases: Sequence[Lease]) -> None:
        """Put claimed probes back that are not being sent now. An attempt that never began is forgotten."""
        for lease in leases:
            unsent = connection.execute(
                sql.FORGET_ATTEMPT, {"probe": lease.probe_id, "attempt": lease.attempt}
            )
            connection.execute(sql.RELEASE, {**self._held(lease), "unsent": unsent.rowcount})

    def abandon(self, connection: Connection, lease: Lease) -> None:
        """Put a probe back whose send is given up without knowing what became of it."""
        if connection.execute(sql.IS_HELD, self._held(lease)).scalar() is not None:
            lose(connection, [lease.probe_id])

    def reopen(self, connection: Connection, probe_ids: Sequence[int]) -> None:
        """Put failed and malformed probes back into the queue with all their attempts, because the fault was
        not theirs; replies without a usable answer are kept with the attempts that they ended.
        """
        these = {"run": self.run_id, "ids": probe_ids, "statuses": ["failed", "malformed"]}
        connection.execute(sql.KEEP_REPLIES, these)
        connection.execute(sql.REOPEN, these)

    def reclaim(self, connection: Connection) -> int:
        """Put back what dead owners on this host hold, and what owners that this host cannot see hold under
        leases that ran out; right after a jump of the clock only the first, so that the living can renew
        theirs: containers that share a file share the clock too.
        """
        steady = self.clock.is_steady(self.lease_seconds)
        return reclaim(connection, self.run_id, now=self.clock.now() if steady else 0.0, me=self.owner)

    def outlook(self, connection: Connection) -> Outlook:
        """What is left, after taking back what nobody works on any more."""
        self.clock.synchronise(connection)
        self.reclaim(connection)
        now = {"run": self.run_id, "now": self.clock.now()}
        if connection.execute(sql.READY, now).scalar_one():
            return Outlook(ready=True)
        parked = connection.execute(sql.PARKED, now).one()
        others = connection.execute(sql.HELD_ELSEWHERE, {"run": self.run_id, "me": self.owner}).one()
        idle: list[Owner] = []
        if others.held and self.clock.is_steady(self.lease_seconds):
            idle = stalled(connection, self.run_id, now=self.clock.now(), me=self.owner)
        return Outlook(
            False, parked.probes, parked.next_at, others.held, others.in_batches, stalled=tuple(idle)
        )

    def _held(self, lease: Lease) -> dict[str, object]:
        return {"probe": lease.probe_id, "me": self.owner, "attempt": lease.attempt}


def _named(lease: Lease) -> str:
    """A lease as `HELD` lists it."""
    return f"{lease.probe_id}:{lease.attempt}"


def _result(probe: CompletedProbe, now: float) -> Row:
    """A row for `COMPLETE`."""
    return (
        probe.lease.probe_id,
        probe.status,
        probe.error_kind,
        probe.error,
        _packed(probe.response),
        probe.model_answered,
        probe.request_id,
        probe.sent.duration_ms,
        probe.sent.input_tokens,
        probe.sent.output_tokens,
        probe.sent.cached_tokens,
        probe.sent.cost,
        now,
    )


def _report(lease: Lease, sent: SentAttempt) -> Row:
    """A row for `END_ATTEMPT`."""
    return (
        lease.probe_id,
        lease.attempt,
        sent.started_at,
        sent.duration_ms,
        sent.outcome,
        sent.http_status,
        sent.body_sha256,
        sent.possibly_billed,
        sent.input_tokens,
        sent.output_tokens,
        sent.cached_tokens,
        sent.cost,
    )


def _answers(probe: CompletedProbe) -> list[Row]:
    """Rows for `ADD_ANSWERS`."""
    return [
        (
            probe.lease.probe_id,
            answer.question,
            answer.kind,
            answer.value,
            answer.favourability,
            answer.confidence,
            ",".join(answer.flags),
        )
        for answer in probe.answers
    ]


def _packed(response: bytes | None) -> bytes | None:
    return None if response is None else zlib.compress(response)
