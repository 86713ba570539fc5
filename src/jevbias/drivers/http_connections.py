"""Connections to one server that are kept open, each for one request at a time.

The client is aiohttp's, whose parser is compiled: a request costs it a fifth of the processor time that httpx
takes for one (docs/benchmarks.md), and at a hundred in flight that is what bounds a drain.
"""

from __future__ import annotations

import asyncio
import os
import ssl
from collections.abc import Mapping
from io import BytesIO
from typing import Any

import aiohttp
import certifi
from yarl import URL

from jevbias.drivers.http_faults import NeverSent
from jevbias.drivers.proxy import proxy_for
from jevbias.drivers.unpacking import too_large
from jevbias.errors import UsageError

KEPT_OPEN = 30.0
"""Seconds for which a connection that is not used is kept."""
_LONGEST_HEADER = 64 * 1024
_LARGE_BODY = 512 * 1024
"""Bytes; a larger body is sent in pieces, so that other requests are not held up."""


class HttpConnections:
    """At most `count` connections to the server of a base URL, each opened when it is first needed.

    `headers` go with every request; `connect_timeout` is in seconds, and nothing else has a limit in time
    here. Raises UsageError for a URL, a proxy or a certificate file that cannot be used.
    """

    def __init__(
        self, base_url: str, headers: Mapping[str, str], *, count: int, connect_timeout: float
    ) -> None:
        _url(base_url)
        self._base_url = base_url
        self._headers = dict(headers)
        self._timeout = aiohttp.ClientTimeout(total=None, connect=connect_timeout)
        self._proxy = _proxy(base_url)
        self._certificates = _certificates(base_url)
        self._urls: dict[str, URL] = {}
        self._session: aiohttp.ClientSession | None = None
        self.turn = asyncio.Semaphore(count)
        """To be held while a request is under way; whoever waits for it waits for a connection."""

    async def send(self, method: str, path: str, body: bytes | None) -> aiohttp.ClientResponse:
        """Send a request once, with JSON or nothing for a body, and wait for the head of what comes back.

        What comes back must be released. Raises one of `http_faults.WIRE_ERRORS`.
        """
        if self._session is None:
            self._session = self._open()
        url = self._urls.get(path)
        if url is None:
            url = self._urls[path] = _url(self._base_url + path)
        data = BytesIO(body) if body is not None and len(body) > _LARGE_BODY else body
        return await self._session.request(method, url, data=data, allow_redirects=False, proxy=self._proxy)

    async def aclose(self) -> None:
        """Close every connection."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    def _open(self) -> aiohttp.ClientSession:
        """A session without memory: no cookies, no looking at the environment, no unpacking."""
        connector = _Connector(
            limit=0,
            keepalive_timeout=KEPT_OPEN,
            ssl=True if self._certificates is None else self._certificates,
            resolver=aiohttp.ThreadedResolver(),
        )
        return aiohttp.ClientSession(
            connector=connector,
            headers=self._headers,
            timeout=self._timeout,
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            max_line_size=_LONGEST_HEADER,
            max_field_size=_LONGEST_HEADER,
        )


async def read_body(response: aiohttp.ClientResponse, largest: int) -> bytes:
    """The body of what came back, as it was packed.

    Raises BrokenBody beyond `largest` bytes, and one of `http_faults.WIRE_ERRORS`.
    """
    parts, size = [], 0
    async for part in response.content.iter_any():
        parts.append(part)
        size += len(part)
        if size > largest:
            raise too_large(largest)
    return parts[0] if len(parts) == 1 else b"".join(parts)


class _Connector(aiohttp.TCPConnector):
    """Gives out no connection on which something has come that nobody asked for: bytes behind a reply's end
    would pass for the beginning of the next reply. aiohttp looks for them when it takes a connection back,
    but not at what comes later.
    """

    async def connect(
        self,
        req: aiohttp.ClientRequest,
        traces: list[Any],
        timeout: aiohttp.ClientTimeout,  # noqa: ASYNC109 (aiohttp's own signature)
    ) -> aiohttp.connector.Connection:
        while True:
            try:
                connection = await super().connect(req, traces, timeout)
            except (aiohttp.ClientError, ssl.SSLError) as error:
                raise NeverSent from error
            if connection.protocol is not None and not connection.protocol.should_close:
                return connection
            connection.close()


def _url(text: str) -> URL:
    try:
        url = URL(text)
        usable = url.scheme in ("http", "https") and bool(url.host)
    except ValueError:
        usable = False
    if not usable:
        raise UsageError(f"{text} is not a URL that can be called")
    return url


def _proxy(base_url: str) -> URL | None:
    """The environment's proxy for the server, where it wants one."""
    named = proxy_for(base_url)
    if named is None:
        return None
    try:
        url = URL(named)
        host = url.host
    except ValueError:
        host = None
    if not host:
        raise UsageError("the environment's proxy (HTTP_PROXY, HTTPS_PROXY, ALL_PROXY) is no URL")
    if url.scheme not in ("http", "https"):
        raise UsageError(
            f"the environment's proxy cannot be used: it is one of {url.scheme}://, "
            "only http:// and https:// are spoken; NO_PROXY names servers to be reached without it"
        )
    return url


def _certificates(base_url: str) -> ssl.SSLContext | None:
    """The certificates to trust; none for plain http, which saves reading them."""
    if not base_url.lower().startswith("https:"):
        return None
    file, folder = os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR")
    try:
        if file or folder:
            return ssl.create_default_context(cafile=file or None, capath=folder or None)
        return ssl.create_default_context(cafile=certifi.where())
    except OSError as error:
        reason = error.strerror or "they cannot be read"
        raise UsageError(f"the certificates of SSL_CERT_FILE or SSL_CERT_DIR: {reason}") from None
