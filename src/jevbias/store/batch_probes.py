"""Probes on their way into a batch, in one, and out of it. Every function is inside the caller's transaction.

A batch holds its probes as a process does, by a lease; but its leases never run out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import BindParameter, Connection, and_, bindparam, or_, select

from jevbias.store.outcomes import Lease
from jevbias.store.tables import ASK, ATTEMPT, PENDING, PROBE, RUNNING


@dataclass(frozen=True, slots=True)
class PendingProbe:
    """A probe that may go into a batch: what is asked of whom, and the frame that its request begins with."""

    id: int
    position: int
    ask_id: int
    frame_id: int
    person_id: int
    scenario: str
    variant: str
    condition: str
    replicate: int


@dataclass(frozen=True)
class OpenAttempt:
    """An attempt that nobody has reported on; the hash is that of the body that was sent."""

    lease: Lease
    body_sha256: str | None


def pending_probes(connection: Connection, run_id: int) -> list[PendingProbe]:
    """A run's pending probes in the order of the plan."""
    return [PendingProbe(*row) for row in connection.execute(_PENDING, {"run": run_id})]


def claim_for(
    connection: Connection, run_id: int, hashes: Mapping[int, str | None], owner: str, now: float
) -> list[Lease]:
    """Claim those of these probes that are still pending, in the order given, each with its attempt row.

    `hashes` maps a probe's id to the SHA-256 of the body that it is sent with. The leases never run out.
    """
    free = connection.execute(_FREE, {"run": run_id, "ids": list(hashes)}).scalars().all()
    if not free:
        return []
    claimed = connection.execute(_CLAIM, {"ids": free, "owner": owner})
    numbers: dict[int, int] = {probe_id: number for probe_id, number in claimed}
    leases = [Lease(probe_id, numbers[probe_id]) for probe_id in hashes if probe_id in numbers]
    begun = [
        {
            "probe_id": lease.probe_id,
            "number": lease.attempt,
            "started_at": now,
            "body_sha256": hashes[lease.probe_id],
        }
        for lease in leases
    ]
    connection.execute(_BEGIN, begun)
    return leases


def carry(connection: Connection, probe_ids: Sequence[int], batch_id: int | None) -> None:
    """These probes are in this batch, or answered by it; None: in none any more."""
    if probe_ids:
        connection.execute(_CARRY, {"ids": list(probe_ids), "batch": batch_id})


def leave(connection: Connection, probe_ids: Sequence[int], batch_id: int) -> None:
    """Those of these probes that went back to the queue are no longer in this batch."""
    if probe_ids:
        connection.execute(_LEAVE, {"ids": list(probe_ids), "batch": batch_id})


def give_back(connection: Connection, owner: str, *, unsent: bool) -> int:
    """Put all that a batch holds back into the queue. Returns how many probes that were.

    Where it is known to be unsent, its attempts are forgotten. Otherwise they are unknown and possibly
    billed: they count as sends, but not towards the attempts that a probe may have.
    """
    connection.execute(_FORGET if unsent else _UNKNOWN, {"owner": owner})
    return connection.execute(_GIVE_BACK, {"owner": owner}).rowcount


def open_attempts(connection: Connection, run_id: int, leases: Sequence[Lease]) -> dict[Lease, OpenAttempt]:
    """Those of these attempts that exist and nobody has reported on, locked until the transaction ends."""
    wanted = set(leases)
    rows = connection.execute(_OPEN, {"run": run_id, "ids": sorted({lease.probe_id for lease in leases})})
    found = (OpenAttempt(Lease(row.probe_id, row.number), row.body_sha256) for row in rows)
    return {attempt.lease: attempt for attempt in found if attempt.lease in wanted}


def held_leases(connection: Connection, owner: str, limit: int) -> list[Lease]:
    """Up to so many leases that a batch still holds, locked until the transaction ends."""
    rows = connection.execute(_HELD, {"owner": owner, "limit": limit})
    return [Lease(probe_id, number) for probe_id, number in rows]


def asks_of(connection: Connection, run_id: int, probe_ids: Sequence[int]) -> dict[int, int]:
    """The ids of the asks of those of these probes that are the run's."""
    rows = connection.execute(_ASKS, {"run": run_id, "ids": list(probe_ids)})
    return {probe_id: ask_id for probe_id, ask_id in rows}


def attempts_exist(connection: Connection, leases: Sequence[Lease]) -> bool:
    """Whether there is a row of any of these attempts."""
    wanted = set(leases)
    rows = connection.execute(_NUMBERS, {"ids": sorted({lease.probe_id for lease in leases})})
    return any(Lease(probe_id, number) in wanted for probe_id, number in rows)


_IDS: BindParameter[int] = bindparam("ids", expanding=True)
_HOLDS = and_(RUNNING, PROBE.c.lease_owner == bindparam("owner"))
_UNREPORTED = or_(ATTEMPT.c.outcome.is_(None), ATTEMPT.c.outcome == "unknown")

_PENDING = (
    select(
        PROBE.c.id,
        PROBE.c.position,
        PROBE.c.ask_id,
        ASK.c.frame_id,
        PROBE.c.person_id,
        PROBE.c.scenario,
        PROBE.c.variant,
        PROBE.c.condition,
        PROBE.c.replicate,
    )
    .select_from(PROBE.join(ASK, ASK.c.id == PROBE.c.ask_id))
    .where(PROBE.c.run_id == bindparam("run"), PENDING)
    .order_by(PROBE.c.position)
)

_FREE = (
    select(PROBE.c.id)
    .where(PROBE.c.run_id == bindparam("run"), PROBE.c.id.in_(_IDS), PENDING)
    .order_by(PROBE.c.id)
    .with_for_update(skip_locked=True)
)

_CLAIM = (
    PROBE.update()
    .where(PROBE.c.id.in_(_IDS), PENDING)
    .values(
        status="running",
        lease_owner=bindparam("owner"),
        lease_until=None,
        not_before=None,
        attempts=PROBE.c.attempts + 1,
        last_attempt=PROBE.c.last_attempt + 1,
    )
    .returning(PROBE.c.id, PROBE.c.last_attempt)
)

_BEGIN = ATTEMPT.insert().values(possibly_billed=False)

_CARRY = PROBE.update().where(PROBE.c.id.in_(_IDS)).values(batch_id=bindparam("batch"))

_LEAVE = (
    PROBE.update()
    .where(PROBE.c.id.in_(_IDS), PENDING, PROBE.c.batch_id == bindparam("batch"))
    .values(batch_id=None)
)

# The newest attempt of a probe that a batch holds is the batch's.
_OF_THE_BATCH = and_(
    ATTEMPT.c.outcome.is_(None),
    select(PROBE.c.id)
    .where(PROBE.c.id == ATTEMPT.c.probe_id, PROBE.c.last_attempt == ATTEMPT.c.number, _HOLDS)
    .exists(),
    ATTEMPT.c.probe_id.in_(select(PROBE.c.id).where(_HOLDS)),
)
_FORGET = ATTEMPT.delete().where(_OF_THE_BATCH)
_UNKNOWN = ATTEMPT.update().where(_OF_THE_BATCH).values(outcome="unknown", possibly_billed=True)

_GIVE_BACK = (
    PROBE.update()
    .where(_HOLDS)
    .values(
        status="pending", lease_owner=None, lease_until=None, batch_id=None, attempts=PROBE.c.attempts - 1
    )
)

_OPEN = (
    select(ATTEMPT.c.probe_id, ATTEMPT.c.number, ATTEMPT.c.body_sha256)
    .select_from(ATTEMPT.join(PROBE, PROBE.c.id == ATTEMPT.c.probe_id))
    .where(PROBE.c.run_id == bindparam("run"), ATTEMPT.c.probe_id.in_(_IDS), _UNREPORTED)
    .with_for_update()
)

_HELD = (
    select(PROBE.c.id, PROBE.c.last_attempt)
    .where(_HOLDS)
    .order_by(PROBE.c.id)
    .limit(bindparam("limit"))
    .with_for_update()
)

_ASKS = select(PROBE.c.id, PROBE.c.ask_id).where(PROBE.c.run_id == bindparam("run"), PROBE.c.id.in_(_IDS))

_NUMBERS = select(ATTEMPT.c.probe_id, ATTEMPT.c.number).where(ATTEMPT.c.probe_id.in_(_IDS))
