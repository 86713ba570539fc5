"""Finding at the provider what a process submitted that died before it could say so."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from jevbias.drain.batches.context import BatchContext
from jevbias.drain.batches.custom_ids import batch_key, read_custom_id
from jevbias.drivers.openrouter_batches import OpenRouterBatches
from jevbias.drivers.provider_batch import ProviderBatch
from jevbias.errors import ModelError
from jevbias.store.batches import StoredBatch, batches_of, known_provider_ids, mark_submitted
from jevbias.store.connections import reading, writing

_CLOCKS_APART = 3600.0
"""Seconds by which the provider's clock may be behind ours."""
_MOST_LOOKS = 50


class Unreachable(ModelError):
    """The provider's listing cannot be had now; later it may."""


@dataclass(frozen=True)
class Undecided:
    """A batch of which nobody knows whether it arrived. `candidates` are the provider's batches that might be
    it and do not show the names of their requests yet.
    """

    batch: StoredBatch
    candidates: tuple[str, ...] = ()


@dataclass(frozen=True)
class Matched:
    """What became of the batches that were `submitting`; `twice` are further batches of the provider with the
    same content, by the id of ours.
    """

    found: tuple[StoredBatch, ...] = ()
    undecided: tuple[Undecided, ...] = ()
    twice: tuple[tuple[int, str], ...] = ()


async def match_submitting(context: BatchContext) -> Matched:
    """Look for a run's batches that are `submitting` in the provider's listing, by the names of their
    requests, and record those that are found. Where that cannot decide nothing is changed.

    Raises Unreachable where the listing cannot be had now, ModelError where it will not be had later either.
    """
    with reading(context.engine) as connection:
        waiting = batches_of(connection, context.run_id, "submitting")
        known = known_provider_ids(connection)
    if not waiting:
        return Matched()
    listing = await context.client.list()
    if listing.error:
        line = f"{listing.error}; what was submitted before cannot be looked up"
        raise ModelError(line) if listing.stop else Unreachable(line)
    strangers = [batch for batch in listing.batches if batch.provider_id not in known]
    shown, hidden = await _looked_at(context.client, strangers, waiting)
    found: list[StoredBatch] = []
    undecided: list[Undecided] = []
    twice: list[tuple[int, str]] = []
    for batch in waiting:
        ours = [other for other in shown if batch_key(batch.content_hash) in _keys(other)]
        if not ours:
            names = tuple(other.provider_id for other in hidden if _may_be(batch, other))
            undecided.append(Undecided(batch, names))
            continue
        first = min(ours, key=lambda other: (other.created_at or 0.0, other.provider_id))
        twice += [(batch.id, other.provider_id) for other in ours if other is not first]
        with writing(context.engine) as connection:
            if mark_submitted(connection, batch.id, first.provider_id, first.status, context.clock.now()):
                found.append(batch)
    return Matched(tuple(found), tuple(undecided), tuple(twice))


async def _looked_at(
    client: OpenRouterBatches, strangers: Sequence[ProviderBatch], waiting: Sequence[StoredBatch]
) -> tuple[list[ProviderBatch], list[ProviderBatch]]:
    """The provider's batches that show the names of their requests, and those that do not. A listing is
    mostly short of them; then batches that might be ours are looked at one by one.
    """
    shown = [other for other in strangers if other.custom_ids]
    hidden: list[ProviderBatch] = []
    possible = [
        other
        for other in strangers
        if not other.custom_ids and any(_may_be(batch, other) for batch in waiting)
    ]
    for place, other in enumerate(possible):
        look = await client.get(other.provider_id) if place < _MOST_LOOKS else None
        if look is not None and look.batch is not None and look.batch.custom_ids:
            shown.append(look.batch)
        else:
            hidden.append(other)
    return shown, hidden


def _keys(batch: ProviderBatch) -> set[str]:
    read = (read_custom_id(name) for name in batch.custom_ids or ())
    return {found[0] for found in read if found is not None}


def _may_be(ours: StoredBatch, theirs: ProviderBatch) -> bool:
    """Whether number and time speak against a batch of the provider's being ours."""
    as_many = theirs.requests is None or theirs.requests in (0, ours.requests)
    in_time = theirs.created_at is None or theirs.created_at > ours.created_at - _CLOCKS_APART
    return as_many and in_time
