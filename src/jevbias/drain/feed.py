"""The supply of claimed probes."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress

from jevbias.drain.context import DrainContext
from jevbias.drain.options import LONGEST_WAIT
from jevbias.store.outcomes import ClaimedProbe, Outlook

_LOOK_AGAIN = 1.0
"""Seconds between looks at probes that other processes hold, or that are parked."""


class Feed:
    """Claims ahead of the workers, at most one probe for each, so that none waits for the database."""

    def __init__(self, context: DrainContext):
        self._queue, self._writer, self._keeper = context.queue, context.writer, context.keeper
        self._halt, self._tally, self._workers = context.halt, context.tally, context.options.workers
        self._claimed: asyncio.Queue[ClaimedProbe | None] = asyncio.Queue()
        self._nudge = asyncio.Event()
        self.parked_until: float | None = None
        """When all that is left is parked for long: the time at which the first may be sent."""
        context.keeper.changed = self._nudge.set
        context.halt.call_when_requested(self._nudge.set)

    async def next(self) -> ClaimedProbe | None:
        """The next probe to send; None when there is none left or the drain is to stop."""
        while True:
            claim = await self._claimed.get()
            self._nudge.set()
            if claim is None:
                return None
            if not self._halt.requested.is_set() and await self._keeper.usable(claim.lease):
                return claim
            await self._give_back([claim])

    async def run(self) -> None:
        """Claim until nothing is left or the drain is to stop; then every worker is told."""
        try:
            while not self._halt.requested.is_set():
                room = self._workers - self._claimed.qsize()
                if room < max(1, self._workers // 2):
                    await self._nudged()
                    continue
                asked_at = time.time()
                claims = await self._writer.call(self._queue.claim, room)
                for claim in claims:
                    self._keeper.hold(claim.lease, asked_at)
                    self._claimed.put_nowait(claim)
                if claims:
                    self._tally.idle(None)
                elif not await self._more_to_come():
                    break
            await self._give_back(self._unsent())
        finally:
            for _ in range(self._workers):
                self._claimed.put_nowait(None)

    async def _more_to_come(self) -> bool:
        """Wait until there may be something to claim; False when nothing of this run can be sent any more."""
        self._nudge.clear()
        outlook = await self._writer.call(self._queue.outlook)
        if outlook.ready:
            return True
        others = outlook.held_elsewhere + len(self._keeper)
        if not others and not outlook.parked:
            return False
        wait = _LOOK_AGAIN
        if outlook.next_at is not None:
            until_next = outlook.next_at - self._queue.clock.now()
            if not others and until_next > LONGEST_WAIT:
                self.parked_until = outlook.next_at
                return False
            wait = min(wait, max(until_next, 0.0))
        self._tally.idle(_reason(outlook))
        await self._nudged(wait)
        return True

    def _unsent(self) -> list[ClaimedProbe]:
        waiting = []
        while not self._claimed.empty():
            claim = self._claimed.get_nowait()
            if claim is not None:
                waiting.append(claim)
        return waiting

    async def _give_back(self, claims: list[ClaimedProbe]) -> None:
        leases = [claim.lease for claim in claims]
        await self._writer.call(self._queue.release, leases)
        for lease in leases:
            self._keeper.drop(lease)

    async def _nudged(self, seconds: float | None = None) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._nudge.wait(), seconds)
        self._nudge.clear()


def _reason(outlook: Outlook) -> str | None:
    if outlook.stalled:
        who = ", ".join(owner.described for owner in outlook.stalled)
        return (
            f"waiting for {outlook.held_elsewhere} held by other processes; {who} lives but does not renew "
            "its leases (is it stopped?): wake or end it, or take them with `jevbias reset --force`"
        )
    if outlook.held_elsewhere:
        return f"waiting for {outlook.held_elsewhere} held by other processes"
    return f"waiting for {outlook.parked} parked" if outlook.parked else None
