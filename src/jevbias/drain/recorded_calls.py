"""Calls that follow from one another, each in the ledger before it leaves and once it is answered."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from jevbias.drain.call_budget import CallBudget
from jevbias.drain.token_counts import kept_count
from jevbias.drivers.base import Reply
from jevbias.drivers.failures import one_line
from jevbias.drivers.paid import NOTHING_SAID, Paid
from jevbias.store.calls import CallResult, NewCall, StoredCall, find_calls, finish_calls, start_calls
from jevbias.store.writer import StoreWriter

Send: TypeAlias = Callable[[bytes], Awaitable[Reply]]
"""Sends one body once; faults come back as replies."""
Wait: TypeAlias = Callable[[bytes], Awaitable[None]]
"""Waits until a body may be sent; what it raises keeps the call from being sent, and from the ledger."""
Meter: TypeAlias = Callable[[Reply], Paid]
"""Reads who answered and what it took."""


@dataclass(frozen=True)
class RecordedReply:
    """A reply, and how it came: `replayed` from the ledger, where an earlier process had it already;
    `sent_at` is in seconds since the epoch.
    """

    key: str
    reply: Reply
    paid: Paid
    sent_at: float
    replayed: bool


class RecordedCalls:
    """The calls of one run. Run the same code again over the same ledger, and it goes on where it was: what
    is answered is never sent again.

    A call is committed before it is sent, and what came back before it is returned. A call that a process
    left without an answer is sent again, and counts as a send that may have been billed. `meter` reads what
    a reply took, `budget` refuses sends that could pass a limit.
    """

    def __init__(
        self,
        writer: StoreWriter,
        run_id: int,
        *,
        meter: Meter = lambda _reply: NOTHING_SAID,
        budget: CallBudget | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._writer, self._run_id, self._meter = writer, run_id, meter
        self._budget, self._clock = budget or CallBudget(None), clock

    async def send(
        self, key: str, body: bytes, send: Send, *, meter: Meter | None = None, wait: Wait | None = None
    ) -> RecordedReply:
        """Send one call, or answer it from the ledger. `key` says what it is for, unique within the run;
        `wait` is awaited before a call that is not in the ledger is noted as sent.

        Raises UsageError where the key is stored with another body, DatabaseError where nothing can be
        stored, BudgetSpent where the call could pass the limit; then nothing is sent.
        """
        return (await self.send_together([NewCall(key, body)], send, meter=meter, wait=wait))[0]

    async def send_together(
        self, calls: Sequence[NewCall], send: Send, *, meter: Meter | None = None, wait: Wait | None = None
    ) -> list[RecordedReply]:
        """Send several calls at once, as `send` does one: the database is used before the first leaves and
        after the last is answered, not meanwhile, so that it does not get in the way of what is measured.
        """
        found = await self._writer.call(find_calls, self._run_id, calls)
        left = [call for call, stored in zip(calls, found, strict=True) if stored is None]
        with self._budget.room([call.body for call in left]):
            if wait is not None:
                for call in left:
                    await wait(call.body)
            fresh = await self._sent(left, send, meter or self._meter)
        return [
            fresh[call.key] if stored is None else replayed_call(stored)
            for call, stored in zip(calls, found, strict=True)
        ]

    async def _sent(self, calls: Sequence[NewCall], send: Send, meter: Meter) -> dict[str, RecordedReply]:
        if not calls:
            return {}
        await self._writer.call(start_calls, self._run_id, calls, self._clock())

        async def sent(call: NewCall) -> tuple[float, Reply, float]:
            began = self._clock()
            return began, await send(call.body), self._clock()

        tasks = [asyncio.ensure_future(sent(call)) for call in calls]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
        finally:  # Whatever breaks it off: what has come back is paid for.
            for task in tasks:
                task.cancel()
            answered = await asyncio.gather(*tasks, return_exceptions=True)
            replies = await asyncio.shield(self._kept(calls, answered, meter))
        broken = [end for end in answered if isinstance(end, BaseException)]
        if broken:  # The one that came first cancelled the others.
            raise min(broken, key=lambda end: isinstance(end, asyncio.CancelledError))
        return replies

    async def _kept(
        self,
        calls: Sequence[NewCall],
        answered: Sequence[tuple[float, Reply, float] | BaseException],
        meter: Meter,
    ) -> dict[str, RecordedReply]:
        """Store what came back of calls, and leave those that it did not come back of as sent."""
        replies: dict[str, RecordedReply] = {}
        results: list[CallResult] = []
        for call, came in zip(calls, answered, strict=True):
            if isinstance(came, BaseException):
                continue
            began, reply, ended = came
            paid = meter(reply)
            self._budget.count(call.body, reply, paid)
            results.append(_result(call.key, reply, paid, began, ended))
            replies[call.key] = RecordedReply(call.key, reply, paid, began, replayed=False)
        await self._writer.call(finish_calls, self._run_id, results)
        return replies


def _result(key: str, reply: Reply, paid: Paid, began: float, ended: float) -> CallResult:
    return CallResult(
        key=key,
        http_status=reply.status,
        response=reply.body or None,
        latency_ms=reply.latency_ms,
        sent_at=began,
        done_at=ended,
        possibly_billed=reply.possibly_billed,
        fault=reply.fault,
        error=None if reply.fault_message is None else one_line(reply.fault_message),
        retry_after=reply.retry_after,
        location=reply.location,
        model_answered=paid.model_answered,
        request_id=reply.request_id,
        input_tokens=kept_count(paid.input_tokens),
        output_tokens=kept_count(paid.output_tokens),
        cost=paid.cost,
    )


def reply_of(result: CallResult) -> Reply:
    """The reply as it came, from the ledger."""
    return Reply(
        status=result.http_status,
        body=result.response or b"",
        latency_ms=result.latency_ms,
        request_id=result.request_id,
        retry_after=result.retry_after,
        fault=result.fault,
        fault_message=result.error,
        possibly_billed=result.possibly_billed,
        location=result.location,
    )


def replayed_call(call: StoredCall) -> RecordedReply:
    """What came of a call that is done, from the ledger."""
    if call.result is None:
        raise ValueError(f"call {call.key} is not done")
    result = call.result
    paid = Paid(result.model_answered, result.input_tokens, result.output_tokens, None, result.cost)
    return RecordedReply(call.key, reply_of(result), paid, call.sent_at, replayed=True)
