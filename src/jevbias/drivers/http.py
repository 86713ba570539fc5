"""Sending one request and getting one reply, whatever becomes of it on the way."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping

from pydantic import SecretStr

from jevbias import __version__
from jevbias.drivers.base import Reply
from jevbias.drivers.failures import one_line
from jevbias.drivers.http_connections import HttpConnections, read_body
from jevbias.drivers.http_faults import WIRE_ERRORS, fault_of
from jevbias.drivers.retry_after import retry_after_seconds
from jevbias.drivers.unpacking import MAX_BODY, BrokenBody, unpacked
from jevbias.drivers.withheld import KeyFilter

LOST_BY_A_GATEWAY = frozenset({502, 504, 524})
"""Statuses of a server in between, behind which the request may have been processed all the same."""
_LONGEST_CONNECT = 10.0


class HttpTransport:
    """Requests to one base URL, over connections kept open.

    `timeout` (seconds) bounds a whole request, `connections` how many are open at a time; a caller beyond
    that many waits outside the timeout, `largest_reply` the bytes of a reply. Faults come back as replies.
    Redirects are not followed and cookies not kept, so that a request depends on nothing that was sent
    before. The key is sent as a bearer token, is in no repr, and is blotted out of replies that echo it.

    Raises UsageError for a URL, a proxy or a certificate file that cannot be used.
    """

    def __init__(
        self,
        base_url: str,
        *,
        key: SecretStr | None,
        timeout: float,
        connections: int,
        largest_reply: int = MAX_BODY,
    ) -> None:
        self.base_url = base_url
        self._largest_reply = largest_reply
        self._sends_key = key is not None and bool(key.get_secret_value())
        self._without_key = KeyFilter(key)
        self._timeout = timeout
        # Half for connecting: then a request that ran out of time while connecting is known to be unsent.
        self._connections = HttpConnections(
            base_url, _headers(key), count=connections, connect_timeout=min(_LONGEST_CONNECT, timeout / 2)
        )

    @property
    def sends_key(self) -> bool:
        """Whether requests carry a key."""
        return self._sends_key

    async def post(self, path: str, body: bytes) -> Reply:
        """Send JSON, once."""
        return await self._send("POST", path, body)

    async def get(self, path: str) -> Reply:
        """Ask for a resource, once."""
        return await self._send("GET", path, None)

    async def aclose(self) -> None:
        """Close every connection."""
        await self._connections.aclose()

    async def _send(self, method: str, path: str, body: bytes | None) -> Reply:
        async with self._connections.turn:
            return await self._exchange(method, path, body)

    async def _exchange(self, method: str, path: str, body: bytes | None) -> Reply:
        started = time.perf_counter()
        status: int | None = None
        headers: Mapping[str, str] = {}
        content, fault = b"", None
        try:
            async with asyncio.timeout(self._timeout):
                response = await self._connections.send(method, path, body)
                try:
                    status, headers = response.status, response.headers
                    raw = await read_body(response, self._largest_reply)
                finally:
                    response.release()
            content = unpacked(raw, headers.get("content-encoding", ""), self._largest_reply)
        except (BrokenBody, *WIRE_ERRORS) as error:
            fault = fault_of(error, self._timeout)
        if fault is not None and status is not None and status >= 400:
            fault = None  # an error's status says enough, whatever became of its body
        if fault is not None:
            status = None  # an answer that did not arrive whole is none
        return Reply(
            status=status,
            body=self._without_key(content),
            latency_ms=(time.perf_counter() - started) * 1000,
            request_id=self._header(headers, "x-typesafe-request-id")
            or self._header(headers, "x-request-id"),
            retry_after=retry_after_seconds(headers),
            fault=fault.kind if fault else None,
            fault_message=one_line(self._without_key.text(fault.message)) if fault else None,
            possibly_billed=fault.billed if fault else status in LOST_BY_A_GATEWAY,
            location=self._header(headers, "location"),
        )

    def _header(self, headers: Mapping[str, str], name: str) -> str | None:
        value = headers.get(name)
        return one_line(self._without_key.text(value), 200) if value else None


def _headers(key: SecretStr | None) -> dict[str, str]:
    headers = {
        "content-type": "application/json",
        "accept": "application/json",
        "accept-encoding": "gzip",
        "connection": "keep-alive",
        "user-agent": f"jevbias/{__version__}",
    }
    if key is not None:
        headers["authorization"] = f"Bearer {key.get_secret_value()}"
    return headers
