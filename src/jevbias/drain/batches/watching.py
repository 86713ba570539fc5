"""Looking at a run's batches, once or until every one has ended."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from jevbias.drain.batches.context import BatchContext
from jevbias.drain.batches.matching import Matched, Undecided, Unreachable, match_submitting
from jevbias.drivers.provider_batch import FINAL_STATUSES, ProviderBatch
from jevbias.errors import ModelError
from jevbias.store.batches import StoredBatch, batches_of, observe
from jevbias.store.connections import reading, writing

FIRST_INTERVAL = 2.0
LONGEST_INTERVAL = 60.0
"""Seconds between two looks: the first wait, half as much again after each, and no more than this."""
PATIENCE = 600.0
"""Seconds after a submission for which a batch that the provider does not know is waited for."""


@dataclass(frozen=True)
class SeenBatch:
    """A batch of ours and what the provider says of it. `theirs` is None where it was not asked, or said
    nothing; then `problem` says why, where there is a problem.
    """

    batch: StoredBatch
    theirs: ProviderBatch | None = None
    problem: str | None = None
    candidates: tuple[str, ...] = ()
    hopeless: bool = False
    """Whether waiting will not help: nobody but the user can decide, or the provider does not know it."""

    @property
    def status(self) -> str:
        """The provider's word where it is known, else ours."""
        if self.batch.status == "submitted":
            return self.theirs.status if self.theirs else self.batch.provider_status or self.batch.status
        return self.batch.status

    @property
    def is_open(self) -> bool:
        """Whether something is still to come of it."""
        return self.batch.status == "submitting" or (
            self.batch.status == "submitted" and self.status not in FINAL_STATUSES
        )

    @property
    def is_ready(self) -> bool:
        """Whether it has ended and is to be collected."""
        return self.batch.status == "submitted" and self.status in FINAL_STATUSES


async def look_at_batches(context: BatchContext) -> list[SeenBatch]:
    """A run's batches, oldest first, as they are now; those that have ended are not asked for again.

    Raises ModelError where the provider refuses every look.
    """
    try:
        matched = await match_submitting(context)
    except Unreachable as error:
        context.tell(str(error))
        matched = Matched()
    for ours, theirs in matched.twice:
        context.tell(f"batch {ours} is at the provider more than once: {theirs} too holds its requests")
    undecided = {one.batch.id: one for one in matched.undecided}
    with reading(context.engine) as connection:
        context.clock.synchronise(connection)
        batches = batches_of(connection, context.run_id)
    return [await _seen(context, batch, undecided.get(batch.id)) for batch in batches]


async def wait_for_batches(
    context: BatchContext,
    show: Callable[[list[SeenBatch]], None],
    *,
    first: float = FIRST_INTERVAL,
    longest: float = LONGEST_INTERVAL,
) -> list[SeenBatch]:
    """Look again and again until every batch has ended, or what is left cannot be waited for. A provider that
    cannot be reached is waited for too. Raises ModelError where it refuses every look.
    """
    interval = first
    while True:
        seen = await look_at_batches(context)
        show(seen)
        if not any(batch.is_open and not batch.hopeless for batch in seen):
            return seen
        await asyncio.sleep(interval)
        interval = min(interval * 1.5, longest)


async def _seen(context: BatchContext, batch: StoredBatch, undecided: Undecided | None) -> SeenBatch:
    age = context.clock.now() - (batch.submitted_at or batch.created_at)
    if batch.status == "submitting":
        candidates = undecided.candidates if undecided is not None else ()
        hopeless = undecided is not None and not candidates and age > PATIENCE
        return SeenBatch(batch, None, "whether it arrived is not known", candidates, hopeless)
    if batch.status != "submitted" or batch.provider_status in FINAL_STATUSES:
        return SeenBatch(batch)
    look = await context.client.get(batch.provider_id or "")
    if look.stop:
        raise ModelError(look.error)
    if look.missing and age < PATIENCE:
        return SeenBatch(batch, None, "the provider does not show it yet")
    problem = look.error or (look.batch.error if look.batch is not None else None)
    with writing(context.engine) as connection:
        observe(connection, batch.id, look.batch.status if look.batch else None, problem)
    return SeenBatch(batch, look.batch, problem, hopeless=look.missing)
