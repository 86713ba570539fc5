"""Keeping the leases of a drain alive."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from jevbias.store.outcomes import Lease
from jevbias.store.queue import ProbeQueue
from jevbias.store.writer import StoreWriter


class LeaseKeeper:
    """Knows every lease the drain holds, sent or not, and renews them four times in a lease's life.

    A machine that sleeps through a lease finds out before it sends: `usable` asks the database again.
    """

    def __init__(self, queue: ProbeQueue, writer: StoreWriter):
        self._queue, self._writer = queue, writer
        self._renewed: dict[Lease, float] = {}
        self.changed: Callable[[], None] = lambda: None
        """Called when a lease has ended."""

    def __len__(self) -> int:
        return len(self._renewed)

    def hold(self, lease: Lease, asked_at: float) -> None:
        """A lease was given that was asked for at `asked_at`, in seconds since the epoch: a machine may sleep
        while the answer is on its way.
        """
        self._renewed[lease] = asked_at

    def drop(self, lease: Lease) -> None:
        """A lease has ended."""
        self._renewed.pop(lease, None)
        self.changed()

    async def usable(self, lease: Lease) -> bool:
        """Whether a probe may still be sent under this lease."""
        renewed = self._renewed.get(lease)
        if renewed is None:
            return False
        if abs(time.time() - renewed) < self._queue.lease_seconds / 2:
            return True
        await self._renew([lease])
        return lease in self._renewed

    async def run(self) -> None:
        """Renew until cancelled."""
        while True:
            await asyncio.sleep(self._queue.lease_seconds / 4)
            await self._renew(list(self._renewed))

    async def _renew(self, leases: list[Lease]) -> None:
        if not leases:
            return
        now = time.time()
        lost = await self._writer.call(self._queue.renew, leases)
        for lease in leases:
            if lease in lost:
                # Its probe may be on its way; then the answer is stored as one that comes late.
                self._renewed.pop(lease, None)
            elif lease in self._renewed:
                self._renewed[lease] = now
        if lost:
            self.changed()
