"""A server that answers known bodies after a fixed time, in a process of its own, and keeps a ledger.

It does as little as it can, so that what is measured is who asks it: no parsing beyond the length of a body,
no logging, and replies that were made before.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from multiprocessing.connection import Connection
from typing import cast

_CONTEXT = multiprocessing.get_context("spawn")
_END_OF_HEAD = b"\r\n\r\n"
_NOT_FOUND = b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n"


@dataclass(frozen=True)
class Served:
    """What a server has done since it was last asked: how often each body came, by its SHA-256, and the CPU
    seconds that took.
    """

    ledger: Counter[bytes]
    cpu_seconds: float


class FixedLatencyServer:
    """The address of a running server, and the way to its ledger."""

    def __init__(self, pipe: Connection, port: int) -> None:
        self._pipe = pipe
        self.base_url = f"http://127.0.0.1:{port}"

    def take(self) -> Served:
        """What was served since the last call."""
        self._pipe.send("take")
        return cast("Served", self._pipe.recv())


@contextmanager
def fixed_latency_server(replies: Mapping[bytes, bytes], latency: float) -> Iterator[FixedLatencyServer]:
    """While inside, answer each body with the JSON that `replies` has for it, `latency` seconds after it came
    in; a body that it does not have is not found.
    """
    ours, theirs = _CONTEXT.Pipe()
    known = {sha256(body).digest(): _reply(content) for body, content in replies.items()}
    process = _CONTEXT.Process(target=_serve, args=(theirs, known, latency), daemon=True)
    process.start()
    theirs.close()
    try:
        yield FixedLatencyServer(ours, ours.recv())
    finally:
        ours.close()  # which is how it learns that it may end
        process.join()


def _reply(content: bytes) -> bytes:
    head = (
        "HTTP/1.1 200 OK\r\ndate: Mon, 01 Jun 2026 12:00:00 GMT\r\ncontent-type: application/json\r\n"
        f"content-length: {len(content)}\r\nx-typesafe-request-id: req-benchmark\r\n\r\n"
    )
    return head.encode() + content


def _serve(pipe: Connection, replies: dict[bytes, bytes], latency: float) -> None:
    asyncio.run(_Server(pipe, replies, latency).run())


class _Server:
    def __init__(self, pipe: Connection, replies: dict[bytes, bytes], latency: float) -> None:
        self._pipe, self.replies, self.latency = pipe, replies, latency
        self.ledger: Counter[bytes] = Counter()
        self._cpu = time.process_time()
        self._ended = asyncio.Event()

    async def run(self) -> None:
        self.loop = asyncio.get_running_loop()
        server = await self.loop.create_server(lambda: _Connection(self), "127.0.0.1", 0, backlog=1024)
        self.loop.add_reader(self._pipe.fileno(), self._told)
        self._pipe.send(server.sockets[0].getsockname()[1])
        await self._ended.wait()

    def _told(self) -> None:
        try:
            self._pipe.recv()
        except EOFError:
            self.loop.remove_reader(self._pipe.fileno())
            self._ended.set()
            return
        cpu = time.process_time()
        self._pipe.send(Served(self.ledger, cpu - self._cpu))
        self.ledger, self._cpu = Counter(), cpu


class _Connection(asyncio.Protocol):
    """One connection, on which a client sends one request at a time."""

    def __init__(self, server: _Server) -> None:
        self._server = server
        self._received = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        self._received += data
        head, found, body = self._received.partition(_END_OF_HEAD)
        if not found or len(body) < _content_length(head):
            return
        self._received = b""
        digest = sha256(body).digest()
        self._server.ledger[digest] += 1
        reply = self._server.replies.get(digest, _NOT_FOUND)
        self._server.loop.call_later(self._server.latency, self._transport.write, reply)


def _content_length(head: bytes) -> int:
    _, found, after = head.lower().partition(b"\r\ncontent-length:")
    return int(after.partition(b"\r\n")[0]) if found else 0
