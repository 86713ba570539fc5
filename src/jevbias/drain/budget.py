"""A limit on what a run may cost: nothing is sent that could pass it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace

from jevbias.drain.halt import Halt, Halted
from jevbias.drain.money import money
from jevbias.drain.sending import Outcome, attempted
from jevbias.store.spent import WORKED, Spent

HEADROOM = 2.0
"""A reply may cost this many times the dearest before it: room for that is kept for each send on its way."""
_LOOK_EVERY = 1.0
_LOOK_SHARE = 20.0
"""Looks at the database are a second apart, and at least so many times as long as one takes."""


class Budget:
    """Admits sends for as long as what the run has cost, and what is on its way, stays within a limit.

    `limit` and `expected`, what one call may cost as far as its price tells, are in US dollars; without a
    limit everything is admitted. `look` asks the database what the run has cost, other processes' sends
    included; the answer must count every outcome that was handed to the database before it was asked.

    A send on its way has room for twice the dearest reply so far; before one that cost anything is known, for
    `expected`, and where that is not known either one send is made at a time. A reply that names no cost, and
    a send that may have been billed, count as the dearest so far. The total passes the limit only where a
    reply costs more than the room kept for it, and where several processes drain one run by what the others
    had on their way, or sent since the last look.
    """

    def __init__(
        self,
        limit: float | None,
        look: Callable[[], Awaitable[Spent]],
        halt: Halt,
        *,
        expected: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ):
        self._limit, self._look_up, self._halt, self._expected = limit, look, halt, expected
        self._clock = clock
        self._spent = Spent()
        self._meanwhile: list[Outcome] | None = None
        self._in_flight = 0
        self._looked: float | None = None
        self._every = _LOOK_EVERY
        self._turn = asyncio.Lock()
        self._settled = asyncio.Event()

    @property
    def total(self) -> float:
        """What the run has cost, as far as is known here, and is taken to have cost where nobody said."""
        return self._spent.cost + self._spent.unknown * (self._dearest or 0.0)

    @asynccontextmanager
    async def room(self) -> AsyncIterator[Callable[[Outcome], None]]:
        """Wait until one more send fits, and keep room for it while inside; called with the send's outcome,
        if it has one. Raises Halted where the drain stops, which it does when nothing fits any more.
        """
        if self._limit is None:
            yield _nothing
            return
        if self._is_fresh and not self._turn.locked() and self._fits():
            self._in_flight += 1
        else:
            await self._halt.unless_requested(self._admitted())
        try:
            yield self._count
        finally:
            self._in_flight -= 1
            self._settled.set()

    def _count(self, outcome: Outcome) -> None:
        self._add(outcome)
        if self._meanwhile is not None:
            self._meanwhile.append(outcome)

    def _add(self, outcome: Outcome) -> None:
        cost, status = outcome.reading.cost, outcome.reply.status
        spent = self._spent
        if cost is not None:
            dearest = cost if spent.dearest is None else max(spent.dearest, cost)
            self._spent = replace(spent, cost=spent.cost + cost, dearest=dearest)
        elif outcome.possibly_billed or (status is not None and attempted(outcome).outcome in WORKED):
            self._spent = replace(spent, unknown=spent.unknown + 1)
            if status is not None and self._dearest is None:
                self._halt.stop(
                    f"--max-cost {money(self._limit or 0.0)} cannot be kept: a reply names no cost, and the "
                    "price table has none for the model that answered"
                )

    @property
    def _dearest(self) -> float | None:
        return self._spent.dearest if self._spent.dearest is not None else self._expected

    @property
    def _room(self) -> float | None:
        """What one send may cost; None where nobody knows. Replies that were free say nothing of the next."""
        return HEADROOM * self._spent.dearest if self._spent.dearest else self._expected

    @property
    def _is_fresh(self) -> bool:
        return self._looked is not None and self._clock() - self._looked < self._every

    def _fits(self) -> bool:
        limit = self._limit or 0.0
        if self._room is None:
            return not self._in_flight and self.total < limit
        return self.total + (self._in_flight + 1) * self._room <= limit

    async def _admitted(self) -> None:
        async with self._turn:
            while not await self._fits_now():
                if self._in_flight:
                    self._settled.clear()
                    await self._settled.wait()
                    continue
                await self._look()
                if not self._fits():
                    self._halt.stop(self._exhausted())
                    raise Halted
            self._in_flight += 1

    async def _fits_now(self) -> bool:
        if not self._is_fresh:
            await self._look()
        return self._fits()

    async def _look(self) -> None:
        meanwhile = self._meanwhile = []
        began = self._clock()
        try:
            self._spent = await self._look_up()
        finally:
            self._meanwhile = None
        for outcome in meanwhile:
            self._add(outcome)
        self._looked = self._clock()
        self._every = max(_LOOK_EVERY, _LOOK_SHARE * (self._looked - began))

    def _exhausted(self) -> str:
        spent = f"{money(self.total)} is spent"
        if self._spent.unknown:
            sends = "1 send" if self._spent.unknown == 1 else f"{self._spent.unknown:,} sends"
            spent += f" if {sends} of unknown cost took as much as the dearest"
        room = "" if self._room is None else f" and the next call may cost {money(self._room)}"
        return f"--max-cost {money(self._limit or 0.0)}: {spent}{room}; a higher limit goes on"


def _nothing(_outcome: Outcome) -> None:
    pass
