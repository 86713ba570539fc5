"""A run of the test bench from its ledger alone: nothing is sent."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Engine

from jevbias.drain.recorded_calls import RecordedReply, Send, replayed_call
from jevbias.drivers.base import Driver
from jevbias.drivers.chat import ChatDriver
from jevbias.drivers.http import HttpTransport
from jevbias.drivers.openrouter_decisions import OpenRouterDecisionsDriver
from jevbias.drivers.providers import find_provider
from jevbias.drivers.system_one import SystemOneDriver
from jevbias.store.calls import NewCall, find_calls
from jevbias.store.connections import reading
from jevbias.store.tables import Run

_NOWHERE = "http://127.0.0.1"


class LedgerCalls:
    """Answers calls from the ledger, and with None those that it does not have."""

    def __init__(self, engine: Engine, run_id: int) -> None:
        self._engine, self._run_id = engine, run_id

    async def send_together(self, calls: Sequence[NewCall], send: Send) -> list[RecordedReply | None]:
        """What came of each call; None where nothing did. Raises UsageError for one with another body."""
        del send
        with reading(self._engine) as connection:
            found = find_calls(connection, self._run_id, calls)
        return [None if call is None else replayed_call(call) for call in found]


def reading_driver(run: Run) -> Driver:
    """A driver that renders and reads as the run's own, and is never to send anything."""
    transport = HttpTransport(_NOWHERE, key=None, timeout=1, connections=1)
    if find_provider(run.driver).writes_numbers:
        effort = run.settings.get("reasoning_effort")
        return ChatDriver(run.driver, run.model, transport, None, effort)
    if run.driver == "openrouter-decisions":
        return OpenRouterDecisionsDriver(run.model, transport)
    return SystemOneDriver(run.driver, run.model, transport)
