"""Handing pending probes over in batches, each written down before it is sent."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field

from jevbias.drain.batches.chunks import Chunk, chunked
from jevbias.drain.batches.context import BatchContext
from jevbias.drain.batches.custom_ids import custom_id
from jevbias.drain.batches.matching import match_submitting
from jevbias.drain.options import LONGEST_WAIT
from jevbias.drain.sending import Outcome, render
from jevbias.drivers.openrouter_batches import (
    LARGEST_BODY,
    BatchRequest,
    Fate,
    Submission,
    batch_body,
)
from jevbias.errors import ModelError
from jevbias.store.asks import AskReader
from jevbias.store.batch_probes import PendingProbe, claim_for, pending_probes
from jevbias.store.batches import StoredBatch, load_batch, mark_submitted, open_batch, withdraw
from jevbias.store.connections import reading, writing
from jevbias.store.outcomes import CompletedProbe, SentAttempt
from jevbias.store.owner import Owner
from jevbias.store.queue import ProbeQueue
from jevbias.store.run_status import mark_ended, mark_running

_OVERHEAD = 200
"""Bytes of a batch for each request beside its body."""
_MOST_TRIES = 4
LOOK_AFTER = (1.0, 4.0, 10.0)
"""Seconds before each look for a batch that may have arrived."""


@dataclass
class SubmissionSummary:
    """What was handed over: batches, the requests in them, and probes whose request nobody could take."""

    batches: int = 0
    requests: int = 0
    failed: int = 0
    errors: list[str] = field(default_factory=list)
    """Why probes failed, one line each."""


@dataclass(frozen=True)
class _Prepared:
    probe: PendingProbe
    body: bytes

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.body).hexdigest()


async def submit_pending(context: BatchContext, *, size: int) -> SubmissionSummary:
    """Hand over a run's pending probes in batches of at most `size` requests, a line for each.

    Raises ModelError in one line where the provider takes no more, or where nobody knows whether a batch
    arrived; what was handed over before stays so.
    """
    submitter = _Submitter(context)
    with writing(context.engine) as connection:
        context.clock.synchronise(connection)
        chunks = chunked(pending_probes(connection, context.run_id), size, context.seed)
        if chunks:
            mark_running(connection, context.run_id, context.clock.now())
    try:
        for chunk in chunks:
            await submitter.submit(chunk)
    finally:
        with writing(context.engine) as connection:
            mark_ended(connection, context.run_id, context.clock.now(), str(Owner.current()))
    return submitter.summary


class _Submitter:
    def __init__(self, context: BatchContext) -> None:
        self._context = context
        self._engine, self._run_id, self._clock = context.engine, context.run_id, context.clock
        self._asks = AskReader()
        self.summary = SubmissionSummary()

    async def submit(self, chunk: Chunk) -> None:
        """Hand over one chunk, in several batches where it is too large for one."""
        await self._hand_over(self._prepared(chunk))

    def _prepared(self, chunk: Chunk) -> list[_Prepared]:
        with reading(self._engine) as connection:
            asks = self._asks.load(connection, [probe.ask_id for probe in chunk])
        prepared = []
        for probe in chunk:
            body = render(self._context.driver, asks[probe.ask_id], self._clock.now())
            if isinstance(body, Outcome):
                self._fail(probe, body.error_kind, body.error)
            else:
                prepared.append(_Prepared(probe, body))
        return prepared

    async def _hand_over(self, requests: Sequence[_Prepared]) -> None:
        if not requests:
            return
        size = sum(len(request.body) + _OVERHEAD for request in requests)
        if size > LARGEST_BODY:
            limit = f"larger than the {LARGEST_BODY // 1_000_000} MB that a batch may have"
            await self._divide(requests, f"the request is {limit}", None)
            return
        with writing(self._engine) as connection:
            hashes = {request.probe.id: request.digest for request in requests}
            opened = open_batch(connection, self._run_id, hashes, self._clock.now())
        if opened is None:
            return
        batch, leases = opened
        of_probe = {request.probe.id: request for request in requests}
        named = [
            BatchRequest(custom_id(batch.content_hash, lease), of_probe[lease.probe_id].body)
            for lease in leases
        ]
        submission = await self._post(batch_body(self._context.driver.model, named))
        if submission.fate is Fate.TOO_LARGE:
            self._withdraw(batch, submission.error)
            await self._divide([of_probe[lease.probe_id] for lease in leases], submission.error, 413)
        else:
            await self._settle(batch, submission)

    async def _divide(self, requests: Sequence[_Prepared], error: str, status: int | None) -> None:
        if len(requests) == 1:
            self._fail(requests[0].probe, "too_large", error, status)
            return
        middle = len(requests) // 2
        await self._hand_over(requests[:middle])
        await self._hand_over(requests[middle:])

    async def _post(self, body: bytes) -> Submission:
        """Send a batch; again only where the provider says that it does not have it."""
        for tries in range(1, _MOST_TRIES + 1):
            submission = await self._context.client.submit_body(body)
            wait = max(submission.retry_after or 0.0, 2.0**tries)
            if submission.fate is not Fate.BUSY or tries == _MOST_TRIES or wait > LONGEST_WAIT:
                break
            self._context.tell(f"waiting {wait:.0f} s: {submission.error}")
            await asyncio.sleep(wait)
        return submission

    async def _settle(self, batch: StoredBatch, submission: Submission) -> None:
        theirs = submission.batch
        if theirs is not None:
            with writing(self._engine) as connection:
                known = mark_submitted(
                    connection, batch.id, theirs.provider_id, theirs.status, self._clock.now()
                )
                # Another process may have found it in the listing meanwhile.
                known = known or load_batch(connection, batch.id).provider_id == theirs.provider_id
            if not known:
                raise ModelError(f"batch {batch.id}: {theirs.provider_id} is the id of another batch already")
            self._count(batch, f"as {theirs.provider_id}")
        elif submission.fate is Fate.UNKNOWN:
            await self._find(batch, submission.error)
        else:
            self._withdraw(batch, submission.error)
            raise ModelError(f"{submission.error}; its {batch.requests:,} probes are pending again")

    async def _find(self, batch: StoredBatch, error: str) -> None:
        """Look for a batch that may have arrived; where it is not found, nothing more is handed over."""
        self._context.tell(f"batch {batch.id} may have arrived, looking for it: {error}")
        for wait in LOOK_AFTER:
            await asyncio.sleep(wait)
            try:
                matched = await match_submitting(self._context)
            except ModelError:
                continue
            if any(found.id == batch.id for found in matched.found):
                self._count(batch, "and was found in the provider's listing")
                return
        raise ModelError(
            f"{error}; whether batch {batch.id} with its {batch.requests:,} requests arrived is not known, "
            "so nothing is sent again: `jevbias batch status` looks for it"
        )

    def _count(self, batch: StoredBatch, how: str) -> None:
        self.summary.batches += 1
        self.summary.requests += batch.requests
        self._context.tell(f"batch {batch.id}: {batch.requests:,} requests submitted {how}")

    def _withdraw(self, batch: StoredBatch, error: str) -> None:
        with writing(self._engine) as connection:
            withdraw(connection, batch.id, error, unsent=True)

    def _fail(self, probe: PendingProbe, kind: str, error: str, status: int | None = None) -> None:
        """End a probe whose request cannot be taken, however often it is sent."""
        owner, now = str(Owner.current()), self._clock.now()
        with writing(self._engine) as connection:
            for lease in claim_for(connection, self._run_id, {probe.id: None}, owner, now):
                sent = SentAttempt(now, None, kind, status)
                failed = CompletedProbe(lease, "failed", sent, error_kind=kind, error=error)
                ProbeQueue(self._run_id, owner, clock=self._clock).complete(connection, failed)
                self.summary.failed += 1
                self.summary.errors.append(error)
