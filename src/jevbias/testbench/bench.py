"""Asking: every call goes through the ledger, and what came back is read by the driver."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from jevbias.drain.recorded_calls import RecordedReply, Send
from jevbias.drivers.base import Driver, Reading
from jevbias.errors import ModelError
from jevbias.plan.model import Ask
from jevbias.store.calls import NewCall

TRIES = 4
"""How often a call is made whose failure may pass, where its answer is what counts."""
_FIRST_WAIT, _LONGEST_WAIT = 1.0, 60.0


@dataclass(frozen=True)
class Told:
    """What came of one call: the ask, the reply as it is stored, and what the driver reads in it."""

    ask: Ask
    recorded: RecordedReply
    reading: Reading
    body_bytes: int

    @property
    def answered(self) -> bool:
        """Whether at least one question has a usable answer."""
        return self.reading.verdict == "answered"

    @property
    def failure(self) -> str:
        """A short word for what went wrong; `http_429`, `timeout`."""
        return self.reading.error_kind or self.reading.verdict

    @property
    def tokens(self) -> int | None:
        """The input tokens that the server reported."""
        return self.recorded.paid.input_tokens


class Calls(Protocol):
    """Where calls go: to the server by way of the ledger, or to the ledger alone."""

    async def send_together(self, calls: Sequence[NewCall], send: Send) -> Sequence[RecordedReply | None]:
        """What comes of each call; None where it was never answered and must not be asked."""
        ...


class Bench:
    """One run of the test bench. A call whose key is in the ledger is answered from it.

    `live` is False where nothing may be sent, as for a report: calls that were not made are then None.
    `say` is told what goes on, a line at a time.
    """

    def __init__(
        self,
        driver: Driver,
        calls: Calls,
        *,
        live: bool = True,
        say: Callable[[str], None] = lambda _line: None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.driver, self.live, self.say = driver, live, say
        self._calls, self._sleep = calls, sleep
        self.notes: list[str] = []
        self.told: list[Told] = []

    async def together(self, asks: Sequence[tuple[str, Ask]]) -> list[Told]:
        """Put asks, each under its key, at the same time; those that were not made are left out."""
        calls = [NewCall(key, self.driver.render(ask)) for key, ask in asks]
        recorded = await self._calls.send_together(calls, self.driver.send)
        told = [
            Told(ask, found, self.driver.read(ask, found.reply), len(call.body))
            for (_, ask), call, found in zip(asks, calls, recorded, strict=True)
            if found is not None
        ]
        self.told.extend(told)
        return told

    async def once(self, key: str, ask: Ask) -> Told | None:
        """Put one ask, whatever comes of it; None where it was not made."""
        told = await self.together([(key, ask)])
        return told[0] if told else None

    async def answer(self, key: str, ask: Ask) -> Told | None:
        """Put one ask, again where its failure may pass, at most TRIES times; the last that came.

        Raises ModelError where nothing can succeed (a refused key, an unknown model, a wrong address).
        """
        told: Told | None = None
        for attempt in range(1, TRIES + 1):
            again = await self.once(f"{key}#{attempt}", ask)
            if again is None:
                break
            told = again
            self.need_a_model(told)
            if told.reading.verdict != "retry":
                break
            if attempt < TRIES and not told.recorded.replayed:
                await self.pause(self._wait(told, attempt), told.failure)
        return told

    async def answers(self, asks: Sequence[tuple[str, Ask]], at_once: int) -> list[Told]:
        """Put asks with so many in flight; those that fail for the pace or in passing are asked again one at
        a time. Only what was made is returned, in order.
        """
        found: dict[str, Told] = {}
        for start in range(0, len(asks), at_once):
            part = asks[start : start + at_once]
            for told in await self.together([(f"{key}#1", ask) for key, ask in part]):
                self.need_a_model(told)
                found[told.recorded.key.removesuffix("#1")] = told
            for key, ask in part:
                if key in found and found[key].reading.verdict == "retry":
                    found[key] = await self.answer(key, ask) or found[key]
        return [found[key] for key, _ in asks if key in found]

    async def pause(self, seconds: float, why: str = "") -> None:
        """Wait, unless nothing is sent anyway."""
        if self.live and seconds > 0:
            if why and seconds >= 2:
                self.say(f"waiting {seconds:.0f} s ({why})")
            await self._sleep(seconds)

    async def until(self, moment: float) -> None:
        """Wait until a moment, in seconds since the epoch."""
        await self.pause(moment - time.time())

    def need_a_model(self, told: Told) -> None:
        """Raises ModelError where a reply says that no call can succeed."""
        if told.reading.verdict == "stop" and self.live:
            raise ModelError(told.reading.error or told.failure)

    @staticmethod
    def _wait(told: Told, attempt: int) -> float:
        hint = told.recorded.reply.retry_after
        return min(_LONGEST_WAIT, _FIRST_WAIT * 2 ** (attempt - 1) if hint is None else hint)
