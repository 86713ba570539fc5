"""What the drivers have in common that post one JSON body to one address: sending, and reading failures."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping

from jevbias.catalogue.models import Prices
from jevbias.drivers.advice import advice_on
from jevbias.drivers.base import Reading, Reply
from jevbias.drivers.failures import (
    error_message,
    error_object,
    message_of_error,
    status_line,
    verdict_of_fault,
    verdict_of_status,
)
from jevbias.drivers.http import HttpTransport
from jevbias.drivers.json_text import BrokenJson, read_json
from jevbias.drivers.providers import Provider
from jevbias.plan.model import Ask

_ERROR_CODES = frozenset(str(code) for code in range(400, 600))


class ServedDriver(ABC):
    """Asks one server. A subclass renders the body, and reads what a success holds.

    `server` is what the address should be, for the line that says it is something else; `prices` is where a
    cost comes from when the server reports none.
    """

    server: str

    def __init__(
        self, provider: Provider, model: str, transport: HttpTransport, path: str, prices: Prices | None
    ) -> None:
        self.name, self.model, self.base_url = provider.driver, model, transport.base_url
        self._provider, self._transport, self._path, self._prices = provider, transport, path, prices

    @abstractmethod
    def render(self, ask: Ask) -> bytes:
        """The request body for an ask. Raises UnsendableText."""

    async def send(self, body: bytes) -> Reply:
        """Send one body once; faults come back as replies."""
        return await self._transport.post(self._path, body)

    def read(self, ask: Ask, reply: Reply) -> Reading:
        """What a reply to this ask means; never raises, whatever came back."""
        if reply.status is None:
            fault = reply.fault or "invalid"
            return Reading(verdict_of_fault(fault), error_kind=fault, error=reply.fault_message or fault)
        if not 200 <= reply.status < 300:
            return self._read_error(
                reply.status, error_message(reply), error_object(reply.body), reply.location
            )
        try:
            content = read_json(reply.body)
        except BrokenJson as broken:
            return self._read_no_json(reply.body.strip(), broken)
        if not isinstance(content, Mapping):
            return self._wrong_address("JSON that is no object")
        return self.read_content(ask, content)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._transport.aclose()

    @abstractmethod
    def read_content(self, ask: Ask, content: Mapping[str, object]) -> Reading:
        """What a success with this JSON object means for an ask; never raises."""

    def read_known_error(self, status: int, message: str, error: Mapping[str, object]) -> Reading | None:
        """What an error means that this way of asking knows better than its status says; None: it does not.

        `error` is the body's `error` object, empty where it has none.
        """
        del status, message, error
        return None

    def read_error_object(self, error: object) -> Reading:
        """A success that carries an error: its own `code` says what it means, else the reply is malformed."""
        known = error if isinstance(error, Mapping) else {}
        message = message_of_error(error)
        code = str(known.get("code"))
        if code in _ERROR_CODES:
            return self._read_error(int(code), message, known)
        reading = self.read_known_error(200, message, known)
        return reading or Reading(
            "malformed", error_kind="error_in_reply", error=message or "an error without a message"
        )

    def stopped(self, status: int, message: str, advice: str) -> Reading:
        """What stops the run: who answered what, and what to do about it."""
        line = f"{status_line(status)}: {message}" if message else status_line(status)
        where = f"{self.base_url}{self._path}"
        return Reading("stop", error_kind=f"http_{status}", error=f"{where} answered {line}; {advice}")

    def _read_error(
        self, status: int, message: str, error: Mapping[str, object], location: str | None = None
    ) -> Reading:
        known = self.read_known_error(status, message, error)
        if known is not None:
            return known
        verdict = verdict_of_status(status)
        if verdict != "stop":
            line = f"{status_line(status)}: {message}" if message else status_line(status)
            return Reading(verdict, error_kind=f"http_{status}", error=line)
        advice = advice_on(
            status,
            self._provider,
            self.model,
            self.base_url,
            sends_key=self._transport.sends_key,
            location=location,
        )
        return self.stopped(status, message, advice)

    def _read_no_json(self, body: bytes, broken: BrokenJson) -> Reading:
        if not body or (body.startswith(b"{") and broken.ends_early):
            what = "ends too early" if body else "is empty"
            return Reading("retry", error_kind="truncated", error=f"the reply {what}")
        if body.startswith(b"{"):
            return Reading("malformed", error_kind="invalid_json", error="the reply is not valid JSON")
        return self._wrong_address("something that is not JSON")

    def _wrong_address(self, what: str) -> Reading:
        line = f"{self.base_url}{self._path} answered 200 with {what}; is that {self.server}?"
        return Reading("stop", error_kind="wrong_address", error=line)
