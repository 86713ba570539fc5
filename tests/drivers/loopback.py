"""A real server on loopback that answers exactly the bytes it was told to."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

from pydantic import SecretStr

from jevbias.drivers.base import Reply
from jevbias.drivers.http import HttpTransport

KEY = "sk-test-1234567890abcdef"

Reaction = Callable[[asyncio.StreamWriter], Awaitable[None]]
"""What a server does about a request; it closes the connection afterwards."""


@dataclass
class Loopback:
    """The server's address, and the requests it got: head and body."""

    url: str
    requests: list[tuple[str, bytes]] = field(default_factory=list)
    connections: int = 0


@asynccontextmanager
async def loopback(*replies: bytes | Reaction) -> AsyncIterator[Loopback]:
    """Answer each request with the next reply, the last one again and again."""
    server: Loopback
    waiting = list(replies)

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        server.connections += 1
        with suppress(asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                length = next(
                    (
                        int(line[15:])
                        for line in head.split("\r\n")
                        if line.lower().startswith("content-length:")
                    ),
                    0,
                )
                server.requests.append((head, await reader.readexactly(length)))
                reply = waiting.pop(0) if len(waiting) > 1 else waiting[0]
                if not isinstance(reply, bytes):
                    await reply(writer)
                    break
                writer.write(reply)
                await writer.drain()
                if b"connection: close" in reply.lower() or reply.startswith(b"HTTP/1.0"):
                    break
        writer.close()

    listener = await asyncio.start_server(handle, "127.0.0.1", 0)
    try:
        server = Loopback(f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}")
        yield server
    finally:
        listener.close()


def http_reply(status: int = 200, body: bytes = b"", *headers: str) -> bytes:
    """A well-formed HTTP/1.1 reply."""
    lines = [f"HTTP/1.1 {status} Whatever", f"Content-Length: {len(body)}", *headers]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body


def ask_once(
    *replies: bytes | Reaction, key: str | None = None, timeout: float = 5.0, body: bytes = b"{}"
) -> tuple[Reply, Loopback]:
    """Send one request to a server that answers so."""

    async def run() -> tuple[Reply, Loopback]:
        async with loopback(*replies) as server:
            transport = open_transport(server.url, key=key, timeout=timeout)
            try:
                return await transport.post("/v1/systemone", body), server
            finally:
                await transport.aclose()

    return asyncio.run(run())


def open_transport(
    url: str, *, key: str | None = None, timeout: float = 5.0, connections: int = 4
) -> HttpTransport:
    """A transport with small bounds."""
    secret = SecretStr(key) if key is not None else None
    return HttpTransport(url, key=secret, timeout=timeout, connections=connections)


async def end_server(server: asyncio.Server, writers: list[asyncio.StreamWriter]) -> None:
    """Close a server and its connections."""
    server.close()
    for writer in writers:
        writer.transport.abort()
    await asyncio.sleep(0.05)
