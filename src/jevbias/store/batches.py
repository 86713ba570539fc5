"""The rows of batches: opened before they are sent, and closed once what they brought is stored.

Every function works inside the caller's transaction.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, exists, func, or_, select

from jevbias.catalogue.canonical import canonical_hash
from jevbias.store.batch_probes import carry, claim_for, give_back
from jevbias.store.outcomes import Lease
from jevbias.store.owner import batch_owner
from jevbias.store.tables import BATCH, PROBE, RUN

_COLUMNS = (
    "id",
    "run_id",
    "provider_id",
    "content_hash",
    "status",
    "provider_status",
    "requests",
    "answered",
    "unanswered",
    "cost",
    "created_at",
    "submitted_at",
    "collected_at",
    "error",
)
_BATCHES = select(*(BATCH.c[column] for column in _COLUMNS)).order_by(BATCH.c.id)
_OPEN = ("submitting", "submitted")


@dataclass(frozen=True)
class StoredBatch:
    """A row of the table `batch`, which documents its fields."""

    id: int
    run_id: int
    provider_id: str | None
    content_hash: str
    status: str
    provider_status: str | None
    requests: int
    answered: int
    unanswered: int
    cost: float | None
    created_at: float
    submitted_at: float | None
    collected_at: float | None
    error: str | None


@dataclass(frozen=True)
class BatchShare:
    """How a run's answered probes were asked: `alone`, in the shuffled order of the plan, or `in_batches`, of
    which `batches` brought answers; no two repeats of a cell go together in one.
    """

    alone: int
    in_batches: int
    batches: int


def open_batch(
    connection: Connection, run_id: int, hashes: Mapping[int, str], now: float
) -> tuple[StoredBatch, list[Lease]] | None:
    """Write a batch as `submitting`, with the probes that it claims and their attempts: all that must be on
    the disk before it is sent. None where none of the probes is pending any more.

    `hashes` maps the id of each probe, in the batch's order, to the SHA-256 of its body. The content hash
    covers them, the attempts' numbers, the run and the moment, so that no other batch has the same.
    """
    batch_id = connection.execute(
        BATCH.insert()
        .values(run_id=run_id, content_hash="", requests=0, answered=0, unanswered=0, created_at=now)
        .values(status="submitting")
        .returning(BATCH.c.id)
    ).scalar_one()
    leases = claim_for(connection, run_id, hashes, batch_owner(batch_id), now)
    this = BATCH.c.id == batch_id
    if not leases:
        connection.execute(BATCH.delete().where(this))
        return None
    carry(connection, [lease.probe_id for lease in leases], batch_id)
    identity = select(RUN.c.name, RUN.c.plan_hash, RUN.c.created_at, RUN.c.model).where(RUN.c.id == run_id)
    run = list(connection.execute(identity).one())
    content = [[lease.probe_id, lease.attempt, hashes[lease.probe_id]] for lease in leases]
    digest = canonical_hash([run, [batch_id, now], content])
    connection.execute(BATCH.update().where(this).values(content_hash=digest, requests=len(leases)))
    return load_batch(connection, batch_id), leases


def load_batch(connection: Connection, batch_id: int) -> StoredBatch:
    """One batch by its id. Raises KeyError when there is none."""
    row = connection.execute(_BATCHES.where(BATCH.c.id == batch_id)).first()
    if row is None:
        raise KeyError(batch_id)
    return StoredBatch(*row)


def batches_of(connection: Connection, run_id: int, *statuses: str) -> list[StoredBatch]:
    """A run's batches, oldest first; only those of these statuses where any are given."""
    query = _BATCHES.where(BATCH.c.run_id == run_id)
    if statuses:
        query = query.where(BATCH.c.status.in_(statuses))
    return [StoredBatch(*row) for row in connection.execute(query)]


def batch_with_key(connection: Connection, key: str) -> StoredBatch | None:
    """The batch whose content hash begins so, whichever run it is of."""
    query = _BATCHES.where(BATCH.c.content_hash.startswith(key, autoescape=True))
    rows = connection.execute(query).all()
    return StoredBatch(*rows[0]) if len(rows) == 1 else None


def known_provider_ids(connection: Connection) -> set[str]:
    """The provider's batches that rows of this database stand for."""
    query = select(BATCH.c.provider_id).where(BATCH.c.provider_id.is_not(None))
    return set(connection.execute(query).scalars())


def mark_submitted(
    connection: Connection, batch_id: int, provider_id: str, provider_status: str, now: float
) -> bool:
    """The provider has the batch. False where that was known, or the row stands for another of the provider's
    batches, or another row for this one.
    """
    same = BATCH.c.provider_id == provider_id
    taken = select(exists(select(BATCH.c.id).where(same, BATCH.c.id != batch_id)))
    if connection.execute(taken).scalar_one():
        return False
    changed = connection.execute(
        BATCH.update()
        .where(BATCH.c.id == batch_id, or_(BATCH.c.provider_id.is_(None), same))
        .where(BATCH.c.status.in_(("submitting", "withdrawn")))
        .values(
            status="submitted",
            provider_id=provider_id,
            provider_status=provider_status,
            submitted_at=now,
            error=None,
        )
    )
    return changed.rowcount == 1


def observe(connection: Connection, batch_id: int, provider_status: str | None, error: str | None) -> None:
    """What the provider last said of a batch that is not collected yet; a status of None keeps the last."""
    values: dict[str, Any] = {"error": error}
    if provider_status is not None:
        values["provider_status"] = provider_status
    connection.execute(BATCH.update().where(BATCH.c.id == batch_id, BATCH.c.status.in_(_OPEN)).values(values))


def withdraw(connection: Connection, batch_id: int, error: str, *, unsent: bool) -> int:
    """Give a batch up: what it holds goes back to the queue. Returns how many probes those are.

    `unsent` says that the provider is known not to have it; see `give_back`.
    """
    returned = give_back(connection, batch_owner(batch_id), unsent=unsent)
    connection.execute(
        BATCH.update()
        .where(BATCH.c.id == batch_id, BATCH.c.status.in_(_OPEN))
        .values(status="withdrawn", error=error)
    )
    return returned


def close_batch(
    connection: Connection, batch_id: int, *, answered: int, cost: float | None, now: float
) -> None:
    """All that a batch has brought is stored. What was closed before stays as it is."""
    connection.execute(
        BATCH.update()
        .where(BATCH.c.id == batch_id, BATCH.c.status == "submitted")
        .values(
            status="collected",
            answered=answered,
            unanswered=BATCH.c.requests - answered,
            cost=cost,
            collected_at=now,
            error=None,
        )
    )


def batch_share(connection: Connection, run_id: int) -> BatchShare | None:
    """How a run's answered probes were asked: what a report needs to say how its noise was sampled. None for
    a run that never had a batch.
    """
    if connection.execute(select(BATCH.c.id).where(BATCH.c.run_id == run_id).limit(1)).first() is None:
        return None
    alone = PROBE.c.batch_id.is_(None)
    row = connection.execute(
        select(
            func.count().filter(alone).label("alone"),
            func.count().filter(~alone).label("in_batches"),
            func.count(PROBE.c.batch_id.distinct()).label("batches"),
        ).where(PROBE.c.run_id == run_id, PROBE.c.status == "answered")
    ).one()
    return BatchShare(row.alone, row.in_batches, row.batches)
