"""An LLM that a user wrote in Python, its answers kept in the ledger as those of a server are."""

from __future__ import annotations

import asyncio
import json
import math
import time
from dataclasses import asdict, replace
from functools import partial
from typing import Any, cast

from jevbias.catalogue.canonical import canonical_json
from jevbias.collab.foreign_errors import described
from jevbias.collab.llm_host import LlmHost
from jevbias.collab.prompts import system_text, user_text
from jevbias.collab.room import Room
from jevbias.collab.situation import (
    Doubt,
    MadeCall,
    Named,
    Proposal,
    Proposed,
    Situation,
    without_repeats,
)
from jevbias.drain.halt import Halt, Halted
from jevbias.drain.recorded_calls import RecordedCalls
from jevbias.drivers.base import Reply
from jevbias.drivers.json_text import read_json
from jevbias.drivers.paid import NOTHING_SAID, Paid
from jevbias.errors import ModelError, TaskError


class OwnLlm:
    """Asks what a user wrote, once for every key: a resumed bench finds what it said in the ledger.

    What it raises, and what is none of the values it has to return, ends the bench with one line.
    """

    def __init__(self, host: LlmHost, calls: RecordedCalls, halt: Halt, room: Room) -> None:
        self.model, self.is_real = host.model, host.is_real
        self._host, self._calls, self._halt, self._room = host, calls, halt, room

    async def act(self, situation: Situation, doubt: Doubt | None, key: str) -> Named:
        """The action to take now."""
        body = self._body(situation, doubt, None)
        said = await self._said(key, situation, body, Named, "act", doubt, key)
        proposal = said["proposal"]
        return Named(None if proposal is None else Proposal(**proposal), self._call(said), said["fault"])

    async def propose(self, situation: Situation, most: int, doubt: Doubt | None, key: str) -> Proposed:
        """`most` actions or fewer, best first."""
        body = self._body(situation, doubt, most)
        said = await self._said(key, situation, body, Proposed, "propose", most, doubt, key)
        proposals = without_repeats(Proposal(**entry) for entry in said["proposals"][:most])
        return Proposed(proposals, self._call(said), said["fault"])

    def _body(self, situation: Situation, doubt: Doubt | None, most: int | None) -> bytes:
        """What stands in the ledger as the request: what a server would be told."""
        return canonical_json(
            {"model": self.model, "system": system_text(situation, most), "user": user_text(situation, doubt)}
        )

    async def _said(
        self,
        key: str,
        situation: Situation,
        body: bytes,
        kind: type[Named | Proposed],
        method: str,
        *told: object,
    ) -> dict[str, Any]:
        returned, place = False, key.rpartition("/")[0]

        async def send(_body: bytes) -> Reply:
            nonlocal returned
            started = time.perf_counter()
            try:
                answer = await self._host.call(method, place, _told(situation), *told)
                returned = True
                content, fault = _checked(answer, kind), None
            except BaseException as error:
                task = asyncio.current_task()
                if isinstance(error, asyncio.CancelledError) and task is not None and task.cancelling():
                    raise
                content, fault = b"", described(error)
            took = (time.perf_counter() - started) * 1000
            if fault is None:
                return Reply(200, content, took)
            return Reply(None, b"", took, fault="invalid", fault_message=fault)

        attempt = 0
        while True:
            attempt += 1
            if self._halt.requested.is_set():
                raise Halted
            recorded = await self._room.send(
                partial(self._calls.send, f"{key}#{attempt}", body, send, meter=self._paid)
            )
            if recorded.reply.status is not None:
                said = cast("dict[str, Any]", read_json(recorded.reply.body))
                return {**said, "took": recorded.reply.latency_ms}
            if not recorded.replayed:
                kind_of_error = TaskError if returned else ModelError
                raise kind_of_error(
                    f"--llm {self.model}: {method}(), {place}: {recorded.reply.fault_message}"
                )

    def _paid(self, reply: Reply) -> Paid:
        """What it says that a call took; a stand-in that says nothing of costs has none."""
        if reply.status is None:
            return NOTHING_SAID
        call = cast("dict[str, Any]", read_json(reply.body))["call"]
        cost = call["cost"]
        if cost is None and not self.is_real:
            cost = 0.0
        return Paid(self.model, call["input_tokens"], call["output_tokens"], None, cost)

    def _call(self, said: dict[str, Any]) -> MadeCall:
        call = said["call"]
        return MadeCall(
            "llm",
            str(call["purpose"]),
            self.model,
            call["input_tokens"],
            call["output_tokens"],
            call["cost"],
            said["took"],
        )


def _told(situation: Situation) -> Situation:
    """What an LLM is told of a situation: a copy, without what is legal."""
    return replace(situation, legal={}, shown=json.loads(canonical_json(situation.shown)))


def _checked(answer: object, kind: type[Named | Proposed]) -> bytes:
    """An answer as the ledger keeps it. Raises TypeError and ValueError for what is none."""
    if not isinstance(answer, kind):
        raise TypeError(f"{kind.__name__} is wanted, not {type(answer).__name__}")
    if isinstance(answer, Proposed):
        if not isinstance(answer.proposals, tuple | list):
            raise TypeError("the proposals are a tuple")
        named = tuple(answer.proposals)
    else:
        named = () if answer.proposal is None else (answer.proposal,)
    for entry in named:
        _check_proposal(entry)
    if answer.fault is not None and not isinstance(answer.fault, str):
        raise TypeError("the fault is a string or None")
    _check_call(answer.call)
    return canonical_json(asdict(answer))


def _check_proposal(entry: object) -> None:
    if not isinstance(entry, Proposal):
        raise TypeError(f"Proposal is wanted, not {type(entry).__name__}")
    if not isinstance(entry.action, str) or not isinstance(entry.rationale, str):
        raise TypeError("the name of an action is a string, and so is its rationale")
    if not entry.action.strip():
        raise ValueError("an action has a name; where none could be read there is no proposal")


def _check_call(call: object) -> None:
    if not isinstance(call, MadeCall):
        raise TypeError(f"MadeCall is wanted, not {type(call).__name__}")
    if not isinstance(call.purpose, str):
        raise TypeError("the purpose of a call is a string")
    for tokens in (call.input_tokens, call.output_tokens):
        if tokens is not None and (type(tokens) is not int or not 0 <= tokens < 2**31):
            raise ValueError("tokens are a whole number from 0, or None")
    cost: object = call.cost
    if cost is None:
        return
    if isinstance(cost, bool) or not isinstance(cost, int | float) or not math.isfinite(cost) or cost < 0:
        raise ValueError("a cost is a number of US dollars from 0, or None")
