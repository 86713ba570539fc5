"""Waiting for room under a limit on cost, while calls on their way may leave some."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from jevbias.drain.halt import Halt
from jevbias.drain.recorded_calls import RecordedReply
from jevbias.errors import BudgetSpent


class Room:
    """Shared by everyone whose calls count towards one limit. Room is kept for the dearest answer that a call
    could have, so what is on its way mostly leaves some once it has come.
    """

    def __init__(self, halt: Halt) -> None:
        self._halt = halt
        self._active = self._settled = 0
        self._change = asyncio.Event()

    async def send(self, send: Callable[[], Awaitable[RecordedReply]]) -> RecordedReply:
        """What `send` returns, called again as calls settle for as long as the limit leaves no room for it.

        Raises BudgetSpent where it leaves none and nothing is on its way, Halted where the bench stops.
        """
        while True:
            settled = self._settled
            self._active += 1
            try:
                reply = await send()
            except BudgetSpent:
                self._active -= 1
                if self._settled == settled and not self._active:
                    raise
                if self._settled == settled:
                    await self._halt.unless_requested(self._changed())
                continue
            except BaseException:
                self._active -= 1
                self._tell()
                raise
            self._active -= 1
            self._settled += 1
            self._tell()
            return reply

    async def _changed(self) -> None:
        await self._change.wait()

    def _tell(self) -> None:
        self._change.set()
        self._change = asyncio.Event()
