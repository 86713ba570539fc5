"""One call until it has an answer: from the ledger, or sent, and sent again where that can help."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from jevbias.collab.room import Room
from jevbias.collab.situation import MadeCall, Role
from jevbias.drain.halt import Halt, Halted
from jevbias.drain.options import DrainOptions
from jevbias.drain.pacing import Pacer
from jevbias.drain.recorded_calls import RecordedCalls, RecordedReply
from jevbias.drain.retries import asked_wait, retries
from jevbias.drain.sending import Outcome
from jevbias.drivers.base import Reading, Reply
from jevbias.drivers.paid import Paid
from jevbias.drivers.served import ServedDriver
from jevbias.errors import JevbiasError, ModelError


class EpisodeBroken(JevbiasError):
    """A call of an episode cannot be answered at all, for a reason of its own: the episode has no outcome."""


@dataclass(frozen=True)
class Answered:
    """What a call came to: how its reply is read, the reply, and what it took."""

    reading: Reading
    reply: Reply
    paid: Paid

    def made(self, role: Role, purpose: str) -> MadeCall:
        """The call as an episode's log keeps it."""
        return MadeCall(
            role,
            purpose,
            self.reading.model_answered,
            self.reading.input_tokens,
            self.reading.output_tokens,
            self.reading.cost,
            self.reply.latency_ms,
        )


class Asking:
    """Calls to one model. Attempts are numbered in the ledger, so that a resumed bench finds every one of
    them, answers itself from those that ended well, and goes on after those that did not.
    """

    def __init__(
        self,
        driver: ServedDriver,
        calls: RecordedCalls,
        halt: Halt,
        options: DrainOptions,
        *,
        room: Room,
        meter: Callable[[Reply], Paid],
    ) -> None:
        self.driver, self._calls, self._halt, self._options = driver, calls, halt, options
        self._meter, self._room = meter, room
        self._pacer = Pacer(options.rate, options.tokens_per_second)
        self._turn = asyncio.Lock()

    async def ask(self, key: str, body: bytes, read: Callable[[Reply], Reading]) -> Answered:
        """The answer to a body. Raises EpisodeBroken where the server refuses this body for good, ModelError
        where it answers nobody, Halted where the bench stops.
        """
        attempt = 0
        fresh = 0
        last: RecordedReply | None = None

        async def once() -> Outcome:
            nonlocal attempt, fresh, last
            while True:
                attempt += 1
                self._stop_if_requested()
                send = partial(
                    self._calls.send,
                    f"{key}#{attempt}",
                    body,
                    self.driver.send,
                    meter=self._meter,
                    wait=self._wait,
                )
                last = await self._room.send(send)
                reading = read(last.reply)
                # What an earlier process was told may have passed by now, also a refused key.
                if not (last.replayed and reading.verdict in ("retry", "stop")):
                    fresh += not last.replayed
                    return Outcome(last.reply, reading, last.sent_at, hashlib.sha256(body).hexdigest())

        control = retries(
            self._options,
            enough=lambda _outcome: fresh >= self._options.max_attempts,
            sleep=self._halt.sleep,
            before_sleep=_nothing,
        )
        outcome: Outcome = await control(once)
        if last is None:
            raise RuntimeError("nothing was sent")
        return self._judged(outcome, last)

    def _judged(self, outcome: Outcome, recorded: RecordedReply) -> Answered:
        reading, server = outcome.reading, f"{self.driver.model} at {self.driver.base_url}"
        if reading.verdict == "stop":
            raise ModelError(outcome.error)
        if reading.verdict == "retry":
            wait = asked_wait(outcome)
            asks = "" if wait is None else f", and asks to wait for {wait:,.0f} s"
            tries = (
                "once" if self._options.max_attempts == 1 else f"{self._options.max_attempts} times in a row"
            )
            how = "was refused" if wait is not None else f"failed {tries}"
            raise ModelError(f"{server}: a call {how}: {outcome.error}{asks}")
        if reading.verdict == "failed":
            raise EpisodeBroken(f"{server}: {outcome.error}")
        return Answered(reading, recorded.reply, recorded.paid)

    async def _wait(self, body: bytes) -> None:
        if not self._pacer.unlimited:
            async with self._turn:
                await self._halt.unless_requested(self._pacer.turn(len(body)))
        self._stop_if_requested()

    def _stop_if_requested(self) -> None:
        if self._halt.requested.is_set():
            raise Halted


async def _nothing(_state: object) -> None:
    """Between two tries nothing is said."""
