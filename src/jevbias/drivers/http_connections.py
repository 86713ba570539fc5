"""Connections to one server that are kept open, each for one request at a time.

The connections are httpcore's, which httpx is built upon; httpx reads URLs, proxies and certificates. Its
client is left out because it looks through all its connections before and after each request, and does for
each what a fixed body to a fixed address does not need: that costs three times what the request does.
"""

from __future__ import annotations

import asyncio
import logging
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import httpcore
import httpx

from jevbias.drivers.proxy import proxy_for
from jevbias.drivers.unpacking import too_large
from jevbias.errors import UsageError

KEPT_OPEN = 30.0
"""Seconds for which a connection that is not used is kept."""


def _is_of_concern(record: logging.LogRecord) -> bool:
    return record.levelno >= logging.WARNING


# At INFO they write full URLs and at DEBUG headers, whatever level a program sets them to.
for _name in ("httpx", "httpcore"):
    logging.getLogger(_name).setLevel(logging.WARNING)
for _name in ("httpx", *(f"httpcore.{part}" for part in ("connection", "http11", "http2", "proxy", "socks"))):
    logging.getLogger(_name).addFilter(_is_of_concern)


class HttpConnections:
    """At most `count` connections to the server of a base URL, each opened when it is first needed.

    `headers` go with every request; `connect_timeout` is in seconds, and nothing else has a limit in time
    here. Raises UsageError for a URL, a proxy or a certificate file that cannot be used.
    """

    def __init__(
        self, base_url: str, headers: Mapping[str, str], *, count: int, connect_timeout: float
    ) -> None:
        url = _url(base_url)
        self._base_url = base_url
        self._origin = _for_connections(url).origin
        self._headers = [(b"host", url.netloc), *((k.encode(), v.encode()) for k, v in headers.items())]
        self._options = {"timeout": {"connect": connect_timeout}}
        self._urls: dict[str, httpcore.URL] = {}
        self._factory = _factory(base_url)
        self._turn = asyncio.Semaphore(count)
        self._places = tuple(_Place() for _ in range(count))
        self._free = list(self._places)

    async def borrow(self) -> Borrowed:
        """A connection for one request, which must be given back; waits until one is free."""
        await self._turn.acquire()
        return Borrowed(self, self._free.pop())

    async def aclose(self) -> None:
        """Close every connection."""
        for place in self._places:
            await place.drop()

    def _request(self, method: str, path: str, body: bytes | None) -> httpcore.Request:
        url = self._urls.get(path)
        if url is None:
            url = self._urls[path] = _for_connections(_url(self._base_url + path))
        headers = self._headers
        if body is not None:
            headers = [*headers, (b"content-length", b"%d" % len(body))]
        return httpcore.Request(method, url, headers=headers, content=body, extensions=self._options)

    def _connect(self) -> httpcore.AsyncConnectionInterface:
        return self._factory.create_connection(self._origin)

    def _take_back(self, place: _Place) -> None:
        self._free.append(place)
        self._turn.release()


class Borrowed:
    """One connection, for one request. Everything may raise one of `http_faults.WIRE_ERRORS`."""

    def __init__(self, owner: HttpConnections, place: _Place) -> None:
        self._owner, self._place = owner, place
        self._response: httpcore.Response | None = None

    async def send(self, method: str, path: str, body: bytes | None) -> Head:
        """Send a request, with JSON or nothing for a body, and wait for the head of what comes back."""
        place = self._place
        if place.connection is not None and place.connection.has_expired():
            await place.drop()
        if place.connection is None:
            place.connection = self._owner._connect()
        self._response = await place.connection.handle_async_request(self._owner._request(method, path, body))
        return Head(self._response.status, _decoded(self._response.headers))

    async def read(self, largest: int) -> bytes:
        """The body of what came back, as it was packed. Raises BrokenBody beyond `largest` bytes."""
        if self._response is None:
            return b""
        parts, size = [], 0
        async for part in self._response.aiter_stream():
            parts.append(part)
            size += len(part)
            if size > largest:
                raise too_large(largest)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    async def give_back(self) -> None:
        """Let others have the connection; it is closed where the exchange did not come to its end."""
        try:
            if self._response is not None:
                await self._response.aclose()
        finally:
            try:
                if not self._place.is_reusable:
                    await self._place.drop()
            finally:
                self._owner._take_back(self._place)


@dataclass(frozen=True, slots=True)
class Head:
    """A status, and headers by their names in lower case."""

    status: int
    headers: dict[str, str]


class _Place:
    """Room for one connection, and the connection in it."""

    def __init__(self) -> None:
        self.connection: httpcore.AsyncConnectionInterface | None = None

    @property
    def is_reusable(self) -> bool:
        """Whether another request may be sent over the connection."""
        connection = self.connection
        if connection is None or not connection.is_idle() or connection.is_closed():
            return False
        return _nothing_is_left(connection)

    async def drop(self) -> None:
        connection, self.connection = self.connection, None
        if connection is not None:
            await connection.aclose()


def _nothing_is_left(connection: Any) -> bool:
    """Whether no bytes came behind the reply's end, which would pass for the beginning of the next one.

    httpcore, h11 and anyio keep them to themselves. Where these do not look as they are known here, no
    connection is used again. What comes later still makes the socket readable, which `has_expired` sees.
    """
    try:
        while not hasattr(connection, "_h11_state"):
            connection = connection._connection
        if connection._h11_state.trailing_data[0]:
            return False
        stream = connection._network_stream._stream
        while hasattr(stream, "transport_stream"):  # TLS
            if stream._read_bio.pending or stream._ssl_object.pending():
                return False
            stream = stream.transport_stream
        return not stream._protocol.read_queue
    except AttributeError:
        return False


def _decoded(raw: list[tuple[bytes, bytes]]) -> dict[str, str]:
    headers: dict[str, str] = {}
    for name, value in raw:
        key, text = name.decode("ascii").lower(), value.decode(errors="replace")
        headers[key] = f"{headers[key]}, {text}" if key in headers else text
    return headers


def _url(text: str) -> httpx.URL:
    try:
        url = httpx.URL(text)
    except httpx.InvalidURL:
        url = None
    if url is None or url.scheme not in ("http", "https") or not url.host:
        raise UsageError(f"{text} is not a URL that can be called")
    return url


def _for_connections(url: httpx.URL) -> httpcore.URL:
    return httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path)


def _factory(base_url: str) -> httpcore.AsyncConnectionPool:
    """What makes connections to the server, through the environment's proxy where it wants one."""
    options: dict[str, Any] = {"ssl_context": _certificates(base_url), "keepalive_expiry": KEPT_OPEN}
    named = proxy_for(base_url)
    if named is None:
        return httpcore.AsyncConnectionPool(**options)
    try:
        proxy = httpx.Proxy(named)
    except (ValueError, httpx.InvalidURL):
        raise UsageError("the environment's proxy (HTTP_PROXY, HTTPS_PROXY, ALL_PROXY) is no URL") from None
    options |= {"proxy_url": _for_connections(proxy.url), "proxy_auth": proxy.raw_auth}
    if proxy.url.scheme in ("http", "https"):
        return httpcore.AsyncHTTPProxy(**options)
    try:
        return httpcore.AsyncSOCKSProxy(**options)
    except RuntimeError:
        raise UsageError(
            "the environment's proxy cannot be used: SOCKS needs a package; pip install 'httpx[socks]'"
        ) from None


def _certificates(base_url: str) -> ssl.SSLContext | None:
    """The certificates to trust; none for plain http, which saves reading them."""
    if not base_url.lower().startswith("https:"):
        return None
    try:
        return httpx.create_ssl_context()
    except OSError as error:
        raise UsageError(f"the certificates of SSL_CERT_FILE or SSL_CERT_DIR: {error.strerror}") from None
