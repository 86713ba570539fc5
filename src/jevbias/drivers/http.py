"""Sending one request and getting one reply, over connections kept open; the only file that knows httpx."""

from __future__ import annotations

import asyncio
import logging
import socket
import ssl
import time
from dataclasses import dataclass
from http.cookiejar import CookieJar, DefaultCookiePolicy
from types import TracebackType
from typing import Self

import httpx
from pydantic import SecretStr

from jevbias import __version__
from jevbias.drivers.base import Reply
from jevbias.drivers.failures import one_line
from jevbias.drivers.proxy import proxy_for
from jevbias.drivers.retry_after import retry_after_seconds
from jevbias.drivers.unpacking import MAX_BODY, BrokenBody, too_large, unpacked
from jevbias.drivers.withheld import KeyFilter
from jevbias.errors import UsageError

CONNECTIONS_PER_CLIENT = 8
"""One httpx client slows down badly past some 32 connections; many clients of a few do not."""
LOST_BY_A_GATEWAY = frozenset({502, 504, 524})
"""Statuses of a server in between, behind which the request may have been processed all the same."""


def _is_of_concern(record: logging.LogRecord) -> bool:
    return record.levelno >= logging.WARNING


# At INFO they write full URLs and at DEBUG headers, whatever level a program sets them to.
for _name in ("httpx", "httpcore"):
    logging.getLogger(_name).setLevel(logging.WARNING)
for _name in ("httpx", *(f"httpcore.{part}" for part in ("connection", "http11", "http2", "proxy", "socks"))):
    logging.getLogger(_name).addFilter(_is_of_concern)


class HttpTransport:
    """Connections to one base URL, spread over clients of a few connections each.

    `timeout` (seconds) bounds a whole request, `connections` how many are open at a time; a caller beyond
    that many waits outside the timeout, `largest_reply` the bytes of a reply. Faults come back as replies.
    Redirects are not followed and cookies not kept, so that a request depends on nothing that was sent
    before. The key is sent as a bearer token, is in no repr, and is blotted out of replies that echo it.
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
        self._free = asyncio.Semaphore(connections)
        shards = -(-connections // CONNECTIONS_PER_CLIENT)
        options = _ClientOptions.read(base_url, key, timeout)
        self._shards = [_Shard(options.open()) for _ in range(shards)]

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
        for shard in self._shards:
            await shard.client.aclose()

    async def _send(self, method: str, path: str, body: bytes | None) -> Reply:
        async with self._free:
            with min(self._shards, key=lambda shard: shard.in_flight) as client:
                return await self._exchange(client, method, self.base_url + path, body)

    async def _exchange(self, client: httpx.AsyncClient, method: str, url: str, body: bytes | None) -> Reply:
        started = time.perf_counter()
        status: int | None = None
        headers = httpx.Headers()
        content, fault = b"", None
        try:
            async with asyncio.timeout(self._timeout), client.stream(method, url, content=body) as response:
                status, headers = response.status_code, response.headers
                raw = await _read(response, self._largest_reply)
                content = unpacked(raw, headers.get("content-encoding", ""), self._largest_reply)
        except TimeoutError:
            fault = _Fault("timeout", f"no answer within {self._timeout:g} s", billed=True)
        except (BrokenBody, httpx.HTTPError) as error:
            fault = _fault_of(error)
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

    def _header(self, headers: httpx.Headers, name: str) -> str | None:
        value = headers.get(name)
        return one_line(self._without_key.text(value), 200) if value else None


class _Shard:
    """One client and how many requests it has in flight."""

    def __init__(self, client: httpx.AsyncClient) -> None:
        self.client, self.in_flight = client, 0

    def __enter__(self) -> httpx.AsyncClient:
        self.in_flight += 1
        return self.client

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.in_flight -= 1


@dataclass(frozen=True)
class _ClientOptions:
    """What every client of a transport has in common."""

    headers: httpx.Headers
    timeout: httpx.Timeout
    verify: ssl.SSLContext
    proxy: httpx.Proxy | None

    @classmethod
    def read(cls, base_url: str, key: SecretStr | None, timeout: float) -> Self:
        """Raises UsageError for a URL, a proxy or a certificate file that cannot be used."""
        headers = httpx.Headers(
            {
                "content-type": "application/json",
                "accept": "application/json",
                "accept-encoding": "gzip",
                "user-agent": f"jevbias/{__version__}",
            }
        )
        if key is not None:
            headers["authorization"] = f"Bearer {key.get_secret_value()}"
        # Half for connecting: then a request that ran out of time while connecting is known to be unsent.
        timeouts = httpx.Timeout(timeout, connect=min(10.0, timeout / 2), pool=None)
        try:
            httpx.URL(base_url)
        except httpx.InvalidURL:
            raise UsageError(f"{base_url} is not a URL that can be called") from None
        try:
            verify = _certificates(base_url)
        except OSError as error:
            raise UsageError(f"the certificates of SSL_CERT_FILE or SSL_CERT_DIR: {error.strerror}") from None
        proxy = proxy_for(base_url)
        try:
            return cls(headers, timeouts, verify, httpx.Proxy(proxy) if proxy else None)
        except (ValueError, httpx.InvalidURL):
            raise UsageError(
                "the environment's proxy (HTTP_PROXY, HTTPS_PROXY, ALL_PROXY) is no URL"
            ) from None

    def open(self) -> httpx.AsyncClient:
        """A client of its own connections."""
        limits = httpx.Limits(
            max_connections=CONNECTIONS_PER_CLIENT,
            max_keepalive_connections=CONNECTIONS_PER_CLIENT,
            keepalive_expiry=30.0,
        )
        try:
            return httpx.AsyncClient(
                headers=self.headers,
                timeout=self.timeout,
                verify=self.verify,
                proxy=self.proxy,
                limits=limits,
                cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
                follow_redirects=False,
                trust_env=False,
            )
        except ImportError as error:
            raise UsageError(f"the environment's proxy cannot be used: {one_line(str(error))}") from None


async def _read(response: httpx.Response, largest: int) -> bytes:
    parts, size = [], 0
    async for part in response.aiter_raw():
        parts.append(part)
        size += len(part)
        if size > largest:
            raise too_large(largest)
    return b"".join(parts)


def _certificates(base_url: str) -> ssl.SSLContext:
    """The certificates to trust; none for plain http, which saves reading them and trusts nobody."""
    if base_url.lower().startswith("https:"):
        return httpx.create_ssl_context()
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


# Faults


@dataclass(frozen=True)
class _Fault:
    kind: str
    message: str
    billed: bool


def _fault_of(error: BrokenBody | httpx.HTTPError) -> _Fault:
    """What went wrong, and whether the request may have been processed all the same."""
    text = str(error) or type(error).__name__
    if isinstance(error, BrokenBody):
        return _Fault(error.kind, text, billed=True)
    if isinstance(error, httpx.TimeoutException):
        unsent = isinstance(error, httpx.ConnectTimeout)
        return _Fault(
            "timeout", "no connection in time" if unsent else "no answer in time", billed=not unsent
        )
    if isinstance(error, httpx.ConnectError | httpx.ProxyError):
        return _unconnected(error, text)
    if isinstance(error, httpx.RemoteProtocolError):
        return _broken_off(text)
    if isinstance(error, httpx.NetworkError):
        return _Fault("connection", f"the connection broke ({text})", billed=True)
    return _Fault("invalid", f"the request could not be sent ({text})", billed=False)


def _unconnected(error: httpx.TransportError, text: str) -> _Fault:
    causes = _causes(error)
    if any(isinstance(cause, socket.gaierror) for cause in causes):
        return _Fault("dns", f"the host name cannot be resolved ({text})", billed=False)
    if any(isinstance(cause, ssl.SSLCertVerificationError) for cause in causes):
        return _Fault("tls", f"the server's certificate is not accepted ({text})", billed=False)
    return _Fault("connection", f"no connection ({text})", billed=False)


def _broken_off(text: str) -> _Fault:
    """A reply that breaks the rules of HTTP; the texts are those of h11."""
    if "without sending complete message body" in text or "incomplete chunked read" in text:
        return _Fault("truncated", "the connection was closed in the middle of the reply", billed=True)
    if "disconnected without sending a response" in text:
        return _Fault("connection", "the connection was closed before any reply", billed=True)
    return _Fault("invalid", f"the reply is not HTTP ({text})", billed=True)


def _causes(error: BaseException) -> list[BaseException]:
    chain: list[BaseException] = []
    current: BaseException | None = error
    while current is not None and current not in chain:
        chain.append(current)
        current = current.__cause__ or current.__context__
    return chain
