"""Deciding what nobody but the user can: which batch at the provider is ours, and what to send once more."""

from __future__ import annotations

from jevbias.drain.batches.collection import fault_of
from jevbias.drain.batches.context import BatchContext
from jevbias.drain.batches.custom_ids import read_custom_id
from jevbias.drain.batches.watching import PATIENCE
from jevbias.errors import ModelError, UsageError
from jevbias.store.batch_probes import attempts_exist
from jevbias.store.batches import (
    StoredBatch,
    batch_with_key,
    batches_of,
    load_batch,
    mark_submitted,
    withdraw,
)
from jevbias.store.connections import reading, writing

ON_ITS_WAY = 330.0
"""Seconds after which a submission is not still on its way: the time a request may take, and some more."""


async def adopt_batch(context: BatchContext, provider_id: str) -> StoredBatch:
    """Take a batch at the provider for the one of ours whose requests it holds, by their names.

    Also one that was given up: its answers count where no others came meanwhile. Raises UsageError where the
    provider has no such batch, shows no names yet, or its requests are not this database's; ModelError where
    it does not answer.
    """
    look = await context.client.get(provider_id)
    if look.missing:
        raise UsageError(f"{context.client.base_url} knows no batch {provider_id[:80]!r}")
    if look.batch is None:
        raise ModelError(look.error)
    theirs = look.batch
    if not theirs.custom_ids:
        raise UsageError(
            f"{provider_id} is {theirs.status} and does not show yet whose requests it holds; try again once "
            "it has ended"
        )
    names = [read_custom_id(name) for name in theirs.custom_ids]
    keys = {name[0] if name is not None else None for name in names}
    key = keys.pop() if len(keys) == 1 else None
    with writing(context.engine) as connection:
        batch = None if key is None else batch_with_key(connection, key)
        leases = [name[1] for name in names if name is not None]
        if batch is None or not attempts_exist(connection, leases):
            raise UsageError(f"{provider_id} holds requests that this database did not send")
        if batch.provider_id == theirs.provider_id and batch.status != "withdrawn":
            return batch
        if not mark_submitted(connection, batch.id, theirs.provider_id, theirs.status, context.clock.now()):
            known = batch.provider_id or "another batch"
            raise UsageError(f"batch {batch.id} is {known} at the provider; {provider_id} is a second one")
        return load_batch(connection, batch.id)


async def lost_batches(context: BatchContext) -> list[StoredBatch]:
    """A run's submitted batches that the provider does not know although it has had time to, or that have
    ended without showing our results.
    """
    with reading(context.engine) as connection:
        submitted = batches_of(connection, context.run_id, "submitted")
    lost = []
    for batch in submitted:
        if context.clock.now() - (batch.submitted_at or batch.created_at) < PATIENCE:
            continue
        look = await context.client.get(batch.provider_id or "")
        if look.missing or (look.batch is not None and fault_of(batch, look.batch) is not None):
            lost.append(batch)
    return lost


def give_up(context: BatchContext, batch: StoredBatch) -> int:
    """Put the probes of a batch of which nobody knows whether it arrived back into the queue: they may be
    billed twice, and are recorded so. Returns how many those are: none where another process has found it
    meanwhile.

    Raises UsageError where the submission may still be on its way.
    """
    waited = context.clock.now() - batch.created_at
    if waited < ON_ITS_WAY:
        raise UsageError(
            f"batch {batch.id} was sent {waited:.0f} s ago and may still be on its way; "
            f"--again is possible in {ON_ITS_WAY - waited:.0f} s"
        )
    with writing(context.engine) as connection:
        now = load_batch(connection, batch.id)
        if (now.status, now.provider_id) != (batch.status, batch.provider_id):
            return 0
        return withdraw(connection, batch.id, "given up: whether it arrived is not known", unsent=False)
