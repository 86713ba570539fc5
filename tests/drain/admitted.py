"""Sends that a drain lets in, in virtual time: without its database and its sockets."""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass, field

from jevbias.drain.admission import Admission
from jevbias.drain.halt import Halt, Halted
from jevbias.drain.options import DrainOptions
from jevbias.drain.sending import Outcome
from jevbias.drivers.base import Reading, Reply
from tests.drain.limited import Limit
from tests.drain.virtual_time import in_virtual_time, now


@dataclass
class Sent:
    """What arrived at the server when: everything, and what it took and refused of that."""

    arrived: list[float] = field(default_factory=list)
    taken: list[float] = field(default_factory=list)
    refused: list[float] = field(default_factory=list)
    stopped: str | None = None

    def rate(self, skip: int = 0) -> float:
        """Requests taken a second, without the first so many."""
        rest = self.taken[skip:]
        return (len(rest) - 1) / (rest[-1] - rest[0])


def sent(
    options: DrainOptions,
    sends: int,
    *,
    latency: float,
    limit: Limit | None = None,
    hint: float | None = None,
    tokens: int | None = None,
    lateness: float = 0.0,
    size: int = 2_000,
) -> Sent:
    """Have a drain's workers, without its database and its sockets, put so many bodies of `size` bytes to a
    server that answers after `latency` seconds; wake-ups come up to `lateness` seconds late.
    """
    chance, found = random.Random(5), Sent()

    async def work(admission: Admission, halt: Halt, todo: list[int]) -> None:
        while todo and not halt.requested.is_set():
            probe_id, refusals = todo.pop(), 0
            while True:
                entered = await admission.enter(size)
                found.arrived.append(now())
                taken = limit is None or limit.admits(now())
                (found.taken if taken else found.refused).append(now())
                await asyncio.sleep(latency if taken else 0.003)
                admission.leave()
                admission.heard(_outcome(taken, hint, tokens), probe_id, size, entered)
                if taken:
                    break
                refusals += 1
                own = options.first_wait * min(8.0, 2 ** (refusals - 1) + chance.random())
                await halt.sleep(max(own, hint or 0.0))

    async def put() -> None:
        halt = Halt()
        admission, todo = Admission(options, halt, "http://127.0.0.1:1"), list(range(sends))
        works = [work(admission, halt, todo) for _ in range(options.workers)]
        for ended in await asyncio.gather(*works, return_exceptions=True):
            if isinstance(ended, BaseException) and not isinstance(ended, Halted):
                raise ended
        found.stopped = halt.reason

    in_virtual_time(put(), lambda: lateness * chance.random())
    return found


def _outcome(taken: bool, hint: float | None, tokens: int | None) -> Outcome:
    if taken:
        return Outcome(Reply(200, b"{}", 1.0), Reading("answered", input_tokens=tokens), 0.0, "0" * 64)
    reply = Reply(429, b"slow down", 1.0, retry_after=hint)
    return Outcome(reply, Reading("retry", error_kind="http_429", error="slow down"), 0.0, "0" * 64)
