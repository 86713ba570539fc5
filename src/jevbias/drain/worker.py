"""One worker: claim, render, send, read, store, and again."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from tenacity import RetryCallState

from jevbias.drain.context import DrainContext
from jevbias.drain.feed import Feed
from jevbias.drain.halt import Halted
from jevbias.drain.retries import UNREACHED, UNREACHED_FOR, outcome_of, retries
from jevbias.drain.sending import Outcome, attempted, read, render
from jevbias.drain.settlement import Settlement
from jevbias.drivers.base import Reply
from jevbias.store.outcomes import ClaimedProbe

_GRACE = 5.0
"""Seconds beyond the timeout after which a send is given up that the driver has not ended itself."""


async def work(context: DrainContext, feed: Feed, settlement: Settlement) -> None:
    """Send probes until none is left or the drain stops.

    While an answer is being committed the next probe is already on its way, so a kill costs a worker at most
    two sends: one in flight, and one whose answer was not on the disk yet.
    """
    stored: asyncio.Future[Any] | None = None
    while (claim := await feed.next()) is not None:
        sending = _Sending(context, claim)
        outcome = await sending.outcome()
        before = stored
        if outcome is not None:
            stored = settlement.settle(sending.lease, outcome, exhausted=sending.exhausted)
        if before is not None and not before.done():
            await asyncio.wait([before])
    if stored is not None:
        await asyncio.wait([stored])


class LeaseLost(Exception):
    """Another process has taken the probe over. Never leaves this module."""


class _Sending:
    """One claimed probe on its way through its attempts. `lease` is the current attempt's."""

    def __init__(self, context: DrainContext, claim: ClaimedProbe):
        self._context, self._ask = context, claim.ask
        self.lease = claim.lease
        self._attempts = claim.attempts
        self._unreached, self._unreached_since = 0, 0.0
        self._ended: Outcome | None = None

    @property
    def exhausted(self) -> bool:
        """Whether the probe has had all its attempts."""
        return self._attempts >= self._context.options.max_attempts

    def _enough(self, outcome: Outcome) -> bool:
        if outcome.refused_for_pace:
            return not self._context.admission.may_ask_again(self.lease.probe_id)
        if self._is_away(outcome):
            lasted = time.monotonic() - self._unreached_since
            return self._unreached >= UNREACHED and lasted >= UNREACHED_FOR * self._context.options.first_wait
        return self.exhausted

    def _is_away(self, outcome: Outcome) -> bool:
        """Whether there is no server now, but was one before."""
        return outcome.unreached and self._context.tally.reached

    async def outcome(self) -> Outcome | None:
        """The last send's outcome; None when the probe went back to the queue or to another process."""
        context = self._context
        body = render(context.driver, self._ask, context.queue.clock.now())
        if isinstance(body, Outcome):
            return body
        try:
            first = await self._send(body)
            return first if first.reading.verdict != "retry" else await self._retried(body, first)
        except (LeaseLost, Halted):  # In both cases an attempt that was begun and not sent is forgotten.
            await context.writer.call(context.queue.release, [self.lease])
            context.keeper.drop(self.lease)
            return None
        except BaseException:
            if not context.halt.at_once.is_set():
                await asyncio.shield(context.writer.call(context.queue.abandon, self.lease))
                context.keeper.drop(self.lease)
            raise

    async def _retried(self, body: bytes, first: Outcome) -> Outcome:
        # The first send is made outside the controller, whose bookkeeping costs more than a fast answer.
        sent = [first]

        async def send() -> Outcome:
            return sent.pop() if sent else await self._send(body)

        controller = retries(
            self._context.options, enough=self._enough, sleep=self._wait, before_sleep=self._before_wait
        )
        outcome: Outcome = await controller(send)
        return outcome

    async def _send(self, body: bytes) -> Outcome:
        async with self._context.budget.room() as count:
            outcome = await self._send_once(body)
            count(outcome)
            return outcome

    async def _send_once(self, body: bytes) -> Outcome:
        context = self._context
        if self._ended is not None:
            await self._begin_again()
        entered = await context.admission.enter(len(body))
        try:
            if not await context.keeper.usable(self.lease):
                raise LeaseLost
            if context.halt.requested.is_set():
                raise Halted
            started_at = context.queue.clock.now()
            with context.tally.sending():
                reply = await self._reply(body)
        finally:
            context.admission.leave()
        if reply.status is not None:
            context.tally.reached = True
        self._ended = read(context.driver, self._ask, body, reply, started_at)
        if not self._ended.unreached:
            self._unreached = 0
        elif not self._unreached:
            self._unreached_since = time.monotonic()
        self._unreached += self._ended.unreached
        context.admission.heard(self._ended, self.lease.probe_id, len(body), entered)
        return self._ended

    async def _reply(self, body: bytes) -> Reply:
        limit = self._context.options.timeout + _GRACE
        try:
            async with asyncio.timeout(limit):
                return await self._context.driver.send(body)
        except TimeoutError:
            return Reply(
                None,
                b"",
                limit * 1000,
                fault="timeout",
                fault_message=f"no answer after {limit:g} s",
                possibly_billed=True,
            )

    async def _begin_again(self) -> None:
        asked_at = time.time()
        lease = await self._context.writer.call(self._context.queue.retry, self.lease)
        self._context.keeper.drop(self.lease)
        if lease is None:
            raise LeaseLost
        self._context.keeper.hold(lease, asked_at)
        self.lease = lease
        self._attempts += 1

    async def _before_wait(self, state: RetryCallState) -> None:
        outcome = outcome_of(state)
        forgiven = outcome.refused_for_pace or self._is_away(outcome)
        self._attempts -= forgiven
        record = self._context.queue.record
        await self._context.writer.call(record, self.lease, attempted(outcome), forgiven=forgiven)

    async def _wait(self, seconds: float) -> None:
        status = self._ended.reply.status if self._ended is not None else None
        reason = self._ended.error_kind if self._ended is not None and status is None else f"HTTP {status}"
        with self._context.tally.waiting(seconds, reason):
            await self._context.halt.sleep(seconds)
