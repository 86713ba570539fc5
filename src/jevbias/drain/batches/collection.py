"""Storing what batches have brought: any number of times, by any number of processes, with one result."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlalchemy import Connection

from jevbias.drain.batches.context import BatchContext
from jevbias.drain.batches.custom_ids import batch_key, read_custom_id
from jevbias.drain.batches.results import outcome_of_missing, outcome_of_result
from jevbias.drain.sending import Outcome, completed, parked
from jevbias.drivers.provider_batch import COMPLETED, BatchResult, ProviderBatch
from jevbias.errors import ModelError
from jevbias.store.asks import AskReader
from jevbias.store.batch_probes import asks_of, carry, held_leases, leave, open_attempts
from jevbias.store.batches import StoredBatch, batches_of, close_batch, observe
from jevbias.store.connections import reading, writing
from jevbias.store.outcomes import CompletedProbe, Lease, Stored
from jevbias.store.owner import Owner, batch_owner
from jevbias.store.queue import ProbeQueue
from jevbias.store.run_status import mark_ended

_AT_ONCE = 200
"""Results that one transaction stores."""


@dataclass
class Collected:
    """What a collection found in one batch, by what became of its probes. `strangers` are results under names
    that are not ours, `repeated` further results under a name that had one; `missing` came without any. What
    an earlier collection stored is not counted again.
    """

    batch: StoredBatch
    status: str
    answered: int = 0
    refused: int = 0
    malformed: int = 0
    failed: int = 0
    retried: int = 0
    missing: int = 0
    strangers: int = 0
    repeated: int = 0
    first_error: str | None = None

    def count(self, outcome: Outcome) -> None:
        """Count one result that was stored."""
        verdict = outcome.reading.verdict
        name = "retried" if verdict == "retry" else verdict
        setattr(self, name, getattr(self, name) + 1)
        if verdict in ("retry", "failed") and self.first_error is None:
            self.first_error = outcome.error


@dataclass(frozen=True)
class CollectionSummary:
    """What a collection did: batches that were collected, those still at work and their status, and those
    that could not be looked at and why.
    """

    collected: tuple[Collected, ...] = ()
    waiting: tuple[tuple[StoredBatch, str], ...] = ()
    unseen: tuple[tuple[StoredBatch, str], ...] = ()


async def collect_batches(context: BatchContext) -> CollectionSummary:
    """Store the results of a run's batches that have ended.

    A result is stored as if its request had gone alone; what may pass later, and what is missing, goes back
    to the queue with all its attempts. Each attempt is reported once, whoever collects and however often.
    Raises ModelError where the provider refuses every look.
    """
    with reading(context.engine) as connection:
        context.clock.synchronise(connection)
        submitted = batches_of(connection, context.run_id, "submitted")
    collected: list[Collected] = []
    waiting: list[tuple[StoredBatch, str]] = []
    unseen: list[tuple[StoredBatch, str]] = []
    for batch in submitted:
        look = await context.client.get(batch.provider_id or "")
        if look.stop:
            raise ModelError(look.error)
        if look.batch is None:
            unseen.append((batch, look.error))
            continue
        fault = fault_of(batch, look.batch)
        with writing(context.engine) as connection:
            observe(connection, batch.id, look.batch.status, fault)
        if fault is not None:
            unseen.append((batch, fault))
        elif look.batch.is_final:
            collected.append(_collect(context, batch, look.batch))
        else:
            waiting.append((batch, look.batch.status))
    with writing(context.engine) as connection:
        mark_ended(connection, context.run_id, context.clock.now(), str(Owner.current()))
    return CollectionSummary(tuple(collected), tuple(waiting), tuple(unseen))


def fault_of(ours: StoredBatch, theirs: ProviderBatch) -> str | None:
    """Why the results of a batch that has ended cannot be taken; None where they can. They are paid for, so
    nothing is sent again by itself.
    """
    if not theirs.is_final:
        return None
    results = theirs.results
    if not results:
        hidden = bool(theirs.completed) or (results is None and theirs.status == COMPLETED)
        return f"{theirs.provider_id} is {theirs.status} and shows no results yet" if hidden else None
    key = batch_key(ours.content_hash)
    if all((read_custom_id(result.custom_id) or ("",))[0] != key for result in results):
        return f"{theirs.provider_id} holds results of other requests than ours"
    return None


def _collect(context: BatchContext, ours: StoredBatch, theirs: ProviderBatch) -> Collected:
    summary = Collected(ours, theirs.status)
    results = _ours(ours, theirs.results or (), summary)
    sent_at = ours.submitted_at or ours.created_at
    reader = AskReader()
    answered = 0
    costs: list[float] = []
    leases = list(results)
    for start in range(0, len(leases), _AT_ONCE):
        some = leases[start : start + _AT_ONCE]
        outcomes = _outcomes(context, reader, {lease: results[lease] for lease in some}, sent_at)
        with writing(context.engine) as connection:
            left = open_attempts(connection, context.run_id, some)
            hashed = {
                lease: replace(outcomes[lease], body_sha256=left[lease].body_sha256)
                for lease in some
                if lease in left
            }
            _store(context, connection, ours, hashed)
        for outcome in hashed.values():
            summary.count(outcome)
        answered += sum(outcome.reading.verdict == "answered" for outcome in outcomes.values())
        costs += [cost for outcome in outcomes.values() if (cost := outcome.reading.cost) is not None]
    summary.missing = _return_missing(context, ours, theirs.status, sent_at)
    cost = math.fsum(costs) if costs else None
    with writing(context.engine) as connection:
        close_batch(connection, ours.id, answered=answered, cost=cost, now=context.clock.now())
    return summary


def _ours(batch: StoredBatch, results: Sequence[BatchResult], summary: Collected) -> dict[Lease, BatchResult]:
    """The results of our requests by the attempt that each is for; of several the first counts."""
    found: dict[Lease, BatchResult] = {}
    for result in results:
        key, lease = read_custom_id(result.custom_id) or ("", None)
        if lease is None or key != batch_key(batch.content_hash):
            summary.strangers += 1
        elif lease in found:
            summary.repeated += 1
        else:
            found[lease] = result
    return found


def _outcomes(
    context: BatchContext, reader: AskReader, results: dict[Lease, BatchResult], sent_at: float
) -> dict[Lease, Outcome]:
    with reading(context.engine) as connection:
        ask_ids = asks_of(connection, context.run_id, [lease.probe_id for lease in results])
        asks = reader.load(connection, ask_ids.values())
    return {
        lease: outcome_of_result(context.driver, asks[ask_ids[lease.probe_id]], result, sent_at)
        for lease, result in results.items()
        if lease.probe_id in ask_ids
    }


def _return_missing(context: BatchContext, ours: StoredBatch, status: str, sent_at: float) -> int:
    """Put back into the queue what the batch still holds; returns how many probes that were."""
    returned = 0
    while True:
        with writing(context.engine) as connection:
            held = held_leases(connection, batch_owner(ours.id), _AT_ONCE)
            hashes = open_attempts(connection, context.run_id, held)
            missing = {
                lease: outcome_of_missing(
                    status, sent_at, hashes[lease].body_sha256 if lease in hashes else None
                )
                for lease in held
            }
            _store(context, connection, ours, missing)
        returned += len(held)
        if len(held) < _AT_ONCE:
            return returned


def _store(
    context: BatchContext, connection: Connection, batch: StoredBatch, outcomes: dict[Lease, Outcome]
) -> None:
    """Store outcomes, and which probes this batch answers and no longer holds."""
    queue = ProbeQueue(context.run_id, batch_owner(batch.id), clock=context.clock)
    ended = [
        _untimed(completed(lease, outcome))
        for lease, outcome in outcomes.items()
        if outcome.reading.verdict != "retry"
    ]
    kept = queue.complete_all(connection, ended) if ended else []
    ours = [
        probe.lease.probe_id
        for probe, how in zip(ended, kept, strict=True)
        if how in (Stored.KEPT, Stored.LATE)
    ]
    carry(connection, ours, batch.id)
    for lease, outcome in outcomes.items():
        if outcome.reading.verdict == "retry":
            going_back = parked(lease, outcome, not_before=None, forgiven=True)
            queue.park(connection, replace(going_back, sent=replace(going_back.sent, duration_ms=None)))
    leave(connection, [lease.probe_id for lease in outcomes], batch.id)


def _untimed(probe: CompletedProbe) -> CompletedProbe:
    """A batch does not say how long an answer took."""
    return replace(probe, sent=replace(probe.sent, duration_ms=None))
