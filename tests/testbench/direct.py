"""A server in this process: what it says is a function of the key and the body of a call."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from jevbias.catalogue.canonical import canonical_json
from jevbias.catalogue.catalogue import Catalogue
from jevbias.drain.recorded_calls import RecordedReply, Send
from jevbias.drivers.base import Reply
from jevbias.drivers.http import HttpTransport
from jevbias.drivers.paid import paid_of_reply
from jevbias.drivers.system_one import SystemOneDriver
from jevbias.mock.known_model import KnownModel
from jevbias.mock.properties import KnownProperties
from jevbias.mock.refusal import RefusedRequest
from jevbias.store.calls import NewCall
from jevbias.testbench.bench import Bench

Says = Callable[[str, bytes], tuple[int, Any]]
"""From key and body to status and content."""


class Direct:
    """Calls answered by a function; `sent` are the keys and the sizes of the bodies, `waits` what was slept.
    Time stands still; `started_at` says when a key's call starts, `takes` for how many milliseconds.
    """

    def __init__(self, says: Says, *, retry_after: float | None = None) -> None:
        self._says, self._retry_after = says, retry_after
        self.started_at: Callable[[str], float] = lambda _key: 0.0
        self.takes: Callable[[], float] = lambda: 1.0
        self.sent: list[tuple[str, int]] = []
        self.waits: list[float] = []
        self._known: dict[str, RecordedReply] = {}

    async def send_together(self, calls: Sequence[NewCall], send: Send) -> list[RecordedReply | None]:
        del send
        return [self._answered(call) for call in calls]

    def _answered(self, call: NewCall) -> RecordedReply:
        if call.key in self._known:
            return replace(self._known[call.key], replayed=True)
        self.sent.append((call.key, len(call.body)))
        status, content = self._says(call.key, call.body)
        hint = self._retry_after if status == 429 else None
        reply = Reply(status, canonical_json(content), self.takes(), retry_after=hint)
        paid = paid_of_reply(reply, "jev", "m", None)
        recorded = RecordedReply(call.key, reply, paid, self.started_at(call.key), replayed=False)
        self._known[call.key] = recorded
        return recorded

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)

    def bench(self) -> Bench:
        driver = SystemOneDriver(
            "jev", "m", HttpTransport("http://127.0.0.1", key=None, timeout=1, connections=1)
        )
        return Bench(driver, self, sleep=self.sleep)

    def measure(self, measure: Callable[..., Any], *options: Any) -> tuple[Any, list[str]]:
        """What a part of the bench finds, and its notes."""
        bench = self.bench()
        return asyncio.run(measure(bench, *options)), bench.notes


def known(
    catalogue: Catalogue,
    properties: dict[str, Any] | None = None,
    *,
    noise: float = 0.01,
    seed: int = 1,
    decimals: int | None = None,
) -> Says:
    """What the mock says, its properties known."""
    model = KnownModel(
        catalogue,
        KnownProperties.model_validate(properties or {}),
        noise=noise,
        seed=seed,
        decimals=decimals,
    )

    def says(_key: str, body: bytes) -> tuple[int, Any]:
        try:
            return 200, model.answer(body)
        except RefusedRequest as refused:
            return refused.status, refused.content

    return says


def yes(body: bytes, value: float, tokens: int | None = None) -> tuple[int, dict[str, Any]]:
    """Every yes/no question answered by a value."""
    answers = {key: {"type": "noul", "noul": value} for key in json.loads(body)["questions"]}
    return 200, {"answers": answers, "usage": {"input_tokens": tokens or 0, "output_tokens": 0}}
