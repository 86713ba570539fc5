"""Who may send now: the pace that the user set, and what the server bears."""

from __future__ import annotations

import asyncio
import math
from contextlib import suppress

from jevbias.drain.concurrency import Concurrency
from jevbias.drain.halt import Halt
from jevbias.drain.options import LONGEST_WAIT, DrainOptions
from jevbias.drain.pacing import Pacer
from jevbias.drain.progress import duration
from jevbias.drain.sending import Outcome

PATIENCE = 8
"""Rounds of nothing but refusals after which the drain stops: the pauses between them add up to a minute or
two, so that a limit per minute has had its time to pass.
"""
REFUSALS_OF_ONE = 20
"""How often one probe may be refused for the pace while others are answered. Such refusals use up none of its
attempts, but a request that is too large for a limit of its own is refused for ever.
"""


class Admission:
    """Lets one send after the other pass, first come, first served.

    Where nothing limits a drain but its workers, nobody waits here and nothing is counted twice.
    """

    def __init__(self, options: DrainOptions, halt: Halt, base_url: str):
        self._halt, self._base_url, self._workers = halt, base_url, options.workers
        self._concurrency = Concurrency(options.workers, options.first_wait)
        self._pacer = Pacer(options.rate, options.tokens_per_second)
        self._line = asyncio.Lock()
        self._changed = asyncio.Event()
        self._in_flight = 0
        self._refusals: dict[int, int] = {}
        self._refused_since = 0.0
        self._why = ""

    async def enter(self, size: int) -> float:
        """Wait until a body of `size` bytes may be sent; returns the moment, for `heard`.

        Raises Halted as soon as the drain is to stop.
        """
        if self._pacer.unlimited and self._concurrency.is_open and not self._line.locked():
            self._in_flight += 1
            return _now()
        return await self._halt.unless_requested(self._admitted(size))

    def leave(self) -> None:
        """The request is not on its way any more."""
        self._in_flight -= 1
        self._changed.set()

    def heard(self, outcome: Outcome, probe_id: int, size: int, sent_at: float) -> None:
        """Take in what came back for a body of `size` bytes that was let in at `sent_at`."""
        if outcome.refused_for_pace:
            self._refuse(outcome, probe_id, sent_at)
        elif outcome.reply.status is not None and outcome.reading.verdict != "retry":
            self._refusals.pop(probe_id, None)
            self._pacer.learn(size, outcome.reading.input_tokens)
            self._concurrency.answered(sent_at, _now())
        self._changed.set()

    def may_ask_again(self, probe_id: int) -> bool:
        """Whether a probe that was refused for the pace may be sent again in this drain."""
        return self._refusals.get(probe_id, 0) < REFUSALS_OF_ONE

    @property
    def held(self) -> str | None:
        """Why less is in flight than there are workers, in a few words; None where it is not the server."""
        concurrency = self._concurrency
        if concurrency.is_open:
            return None
        parts = []
        pause = concurrency.held_until - _now()
        if pause > 0:
            parts.append(f"holding back {pause:.0f} s")
        if concurrency.level < self._workers:
            level = round(concurrency.level, 1 if concurrency.level >= 1 else 3)
            parts.append(f"{level:g} of {self._workers} at once")
        return ", ".join(parts) + (f" after {self._why}" if concurrency.refused else " at the start")

    async def _admitted(self, size: int) -> float:
        async with self._line:
            while True:
                await self._until_open()
                await self._pacer.turn(size)
                now = _now()
                if self._concurrency.wait(self._in_flight, now) <= 0:
                    break
                # The server refused while this one waited: its turn has passed, and sends are rather too few.
            self._concurrency.sent(now)
            self._in_flight += 1
            return now

    async def _until_open(self) -> None:
        while (wait := self._concurrency.wait(self._in_flight, _now())) > 0:
            self._changed.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), None if wait == math.inf else wait)

    def _refuse(self, outcome: Outcome, probe_id: int, sent_at: float) -> None:
        self._refusals[probe_id] = self._refusals.get(probe_id, 0) + 1
        self._why = outcome.error_kind.replace("http_", "HTTP ")
        hint = outcome.reply.retry_after
        if hint is not None and hint > LONGEST_WAIT:
            hint = None  # Its probe is parked; whether all others wait too is the settlement's to judge.
        now = _now()
        if self._concurrency.refused_rounds == 0:
            self._refused_since = now
        self._concurrency.refuse(sent_at, now, hint)
        if self._concurrency.refused_rounds > PATIENCE:
            lasted = duration(now - self._refused_since)
            self._halt.stop(f"{self._base_url} takes no more requests since {lasted}: {outcome.error}")


def _now() -> float:
    return asyncio.get_running_loop().time()
