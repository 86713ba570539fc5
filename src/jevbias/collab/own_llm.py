"""An LLM that a user wrote in Python, its answers kept in the ledger as those of a server are."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from functools import partial
from typing import Any, cast

from jevbias.catalogue.canonical import canonical_json
from jevbias.collab.actors import Llm
from jevbias.collab.loading import load_member
from jevbias.collab.prompts import system_text, user_text
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
from jevbias.drivers.failures import one_line
from jevbias.drivers.json_text import read_json
from jevbias.errors import ModelError, TaskError


def load_llm(name: str) -> Llm:
    """The LLM that `--llm` names as `module:Class`. Raises TaskError where it is none."""
    found = load_member("--llm", name, "a driver")
    missing = [method for method in ("act", "propose") if not callable(getattr(found, method, None))]
    if missing:
        raise TaskError(f"--llm {one_line(name, 80)}: has no method {missing[0]}(); see docs/collab.md")
    if not isinstance(getattr(found, "model", None), str) or not found.model.strip():
        raise TaskError(f"--llm {one_line(name, 80)}: `model` is no name")
    return cast("Llm", found)


class OwnLlm:
    """Asks what a user wrote, once for every key: a resumed bench finds what it said in the ledger.

    What it raises, and what is none of the values it has to return, ends the bench with one line.
    """

    def __init__(self, llm: Llm, calls: RecordedCalls, halt: Halt) -> None:
        self.model = one_line(llm.model, 120)
        self.is_real = bool(getattr(llm, "is_real", True))
        self._llm, self._calls, self._halt = llm, calls, halt

    async def act(self, situation: Situation, doubt: Doubt | None, key: str) -> Named:
        """The action to take now."""
        body = self._body(situation, doubt, None)
        said = await self._said(
            key, situation.place, body, lambda: self._llm.act(situation, doubt, key), Named
        )
        proposal = said["proposal"]
        return Named(None if proposal is None else Proposal(**proposal), self._call(said), said["fault"])

    async def propose(self, situation: Situation, most: int, doubt: Doubt | None, key: str) -> Proposed:
        """`most` actions or fewer, best first."""
        body = self._body(situation, doubt, most)
        ask = partial(self._llm.propose, situation, most, doubt, key)
        said = await self._said(key, situation.place, body, ask, Proposed)
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
        place: str,
        body: bytes,
        ask: Callable[[], Awaitable[Named | Proposed]],
        kind: type[Named | Proposed],
    ) -> dict[str, Any]:
        async def send(_body: bytes) -> Reply:
            started = time.perf_counter()
            try:
                content, fault = _checked(await ask(), kind), None
            except (Exception, SystemExit) as error:
                content, fault = b"", one_line(f"{type(error).__name__}: {error}".removesuffix(": "), 200)
            took = (time.perf_counter() - started) * 1000
            if fault is None:
                return Reply(200, content, took)
            return Reply(None, b"", took, fault="invalid", fault_message=fault)

        attempt = 0
        while True:
            attempt += 1
            if self._halt.requested.is_set():
                raise Halted
            recorded = await self._calls.send(f"{key}#{attempt}", body, send)
            if recorded.reply.status is not None:
                said = cast("dict[str, Any]", read_json(recorded.reply.body))
                return {**said, "took": recorded.reply.latency_ms}
            if not recorded.replayed:
                raise ModelError(f"--llm {self.model}: {place}: {recorded.reply.fault_message}")

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


def _checked(answer: object, kind: type[Named | Proposed]) -> bytes:
    """An answer as the ledger keeps it. Raises TypeError and ValueError for what is none."""
    if not isinstance(answer, kind):
        raise TypeError(f"{kind.__name__} is wanted, not {type(answer).__name__}")
    named = answer.proposals if isinstance(answer, Proposed) else (answer.proposal,)
    if any(entry is not None and not isinstance(entry.action, str) for entry in named):
        raise TypeError("the name of an action is a string")
    return canonical_json(asdict(answer))
