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
ALIKE = 5
"""So many calls in a row that fail in the same way in the end stop a run."""
_FIRST_WAIT, _LONGEST_WAIT = 1.0, 60.0
_PACE, _BY_SIZE = (429, 529), (402, 403)


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
    def for_pace(self) -> bool:
        """Whether it was refused because there were too many, whatever it asked."""
        return self.recorded.reply.status in _PACE

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
        self._fresh: set[str] = set()
        self._any_answer = False
        self._alike, self._failure = 0, ""

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
        self._fresh.update(one.recorded.key for one in told if not one.recorded.replayed)
        if any(one.answered for one in told):
            self._any_answer, self._alike = True, 0
        return told

    async def once(self, key: str, ask: Ask) -> Told | None:
        """Put one ask, whatever comes of it; None where it was not made."""
        told = await self.together([(key, ask)])
        return told[0] if told else None

    async def answer(
        self, key: str, ask: Ask, *, by_size: bool = False, before: Callable[[], None] = lambda: None
    ) -> Told | None:
        """Put one ask, again where its failure may pass, at most TRIES times; the last that came, None where
        it was not made. `before` is called before every send; what it raises ends the attempts.

        What a run stopped at is asked again when it goes on. Raises ModelError where nothing can succeed (a
        refused key, an unknown model, a wrong address), and where a server answers nothing at all or fails
        alike again and again. With `by_size` a 402 or 403 may be about the size of the request, and
        calls may fail as often as they like.
        """
        told: Told | None = None
        tries = attempt = 0
        while tries < TRIES:
            attempt += 1
            if told is not None:
                await self.until(_asked_again_at(told, attempt - 1), told.failure)
            before()
            again = await self.once(f"{key}#{attempt}", ask)
            if again is None:
                break
            told = again
            ended_a_run = told.reading.verdict == "stop" or told.for_pace
            tries += told.recorded.key in self._fresh or not ended_a_run
            if told.reading.verdict not in ("retry", "stop"):
                break
            if by_size and told.recorded.reply.status in _BY_SIZE:
                break
            self._need_a_model(told)
        if told is not None and not by_size:
            self._settle(told)
        return told

    async def answers(self, asks: Sequence[tuple[str, Ask]], at_once: int) -> list[Told]:
        """Put asks with so many in flight; those that fail for the pace or in passing are asked again one at
        a time, as `answer` does. Only what was made is returned, in order.
        """
        found: dict[str, Told] = {}
        for start in range(0, len(asks), at_once):
            part = asks[start : start + at_once]
            first = await self.together([(f"{key}#1", ask) for key, ask in part])
            found.update({told.recorded.key.removesuffix("#1"): told for told in first})
            for key, ask in part:
                if key not in found:
                    continue
                if found[key].reading.verdict in ("retry", "stop"):
                    self._need_a_model(found[key])
                    found[key] = await self.answer(key, ask) or found[key]
                else:
                    self._settle(found[key])
        return [found[key] for key, _ in asks if key in found]

    async def pause(self, seconds: float, why: str = "") -> None:
        """Wait, unless nothing is sent anyway."""
        if self.live and seconds > 0:
            if why and seconds >= 2:
                self.say(f"waiting {seconds:.0f} s ({why})")
            await self._sleep(seconds)

    async def until(self, moment: float, why: str = "") -> None:
        """Wait until a moment, in seconds since the epoch."""
        await self.pause(moment - time.time(), why)

    def _need_a_model(self, told: Told) -> None:
        """Raises ModelError where a reply says that no call can succeed."""
        if told.reading.verdict == "stop" and self.live and not told.recorded.replayed:
            raise ModelError(told.reading.error or told.failure)

    def _settle(self, told: Told) -> None:
        """Note what became of a call in the end. Raises ModelError where there is no use in going on."""
        if told.answered or told.recorded.replayed or not self.live:
            self._alike = 0
            return
        self._alike = self._alike + 1 if told.failure == self._failure else 1
        self._failure = told.failure
        why = told.reading.error or told.failure
        if not self._any_answer and told.reading.verdict == "retry":
            raise ModelError(
                f"nothing was answered yet, and a call failed {TRIES} times, the last with: {why}"
            )
        if self._alike == ALIKE:
            raise ModelError(f"{ALIKE} calls in a row failed alike: {why}")


def _asked_again_at(told: Told, attempt: int) -> float:
    """When a call is asked again whose attempt number `attempt` came to this."""
    reply = told.recorded.reply
    hint = reply.retry_after
    wait = _FIRST_WAIT * 2 ** (attempt - 1) if hint is None else hint
    return told.recorded.sent_at + reply.latency_ms / 1000 + min(_LONGEST_WAIT, wait)
