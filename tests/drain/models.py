"""Models to drain against: one in memory, and one behind a real loopback server."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import httpx

from jevbias.catalogue.canonical import canonical_json
from jevbias.drivers.base import Answer, Reading, Reply
from jevbias.plan.model import Ask
from tests.mock.http import NO_CERTIFICATES

OK = b'{"p": 0.625}'


def ok(tokens: int | None = None) -> Reply:
    body = OK if tokens is None else json.dumps({"p": 0.625, "tokens": tokens}).encode()
    return Reply(200, body, 5.0, request_id="req-1")


def status(code: int, body: bytes = b"", *, retry_after: float | None = None) -> Reply:
    return Reply(code, body, 5.0, retry_after=retry_after)


def refused_connection() -> Reply:
    return Reply(None, b"", 1.0, fault="connection", fault_message="connection refused")


def timed_out() -> Reply:
    return Reply(None, b"", 9.0, fault="timeout", fault_message="no answer in time", possibly_billed=True)


class PlainReading:
    """How these models' replies are read: 200 with a `p` answers both questions."""

    name, model = "plain", "plain-1"

    def render(self, ask: Ask) -> bytes:
        return canonical_json(ask.state)

    def read(self, ask: Ask, reply: Reply) -> Reading:
        code = reply.status
        if code is None:
            return Reading("retry", error_kind=reply.fault, error=reply.fault_message)
        if code == 200:
            return self._answers(ask, reply)
        message = reply.body.decode() or f"HTTP {code}"
        if code in (401, 402, 403, 404):
            return Reading("stop", error_kind=f"http_{code}", error=message)
        if code in (408, 425, 429) or code >= 500:
            return Reading("retry", error_kind=f"http_{code}", error=message)
        return Reading("failed", error_kind=f"http_{code}", error=message)

    def _answers(self, ask: Ask, reply: Reply) -> Reading:
        content = json.loads(reply.body)
        if "refusal" in content:
            return Reading("refused", error_kind="refusal", error=content["refusal"], cost=0.5)
        if "p" not in content:
            return Reading("malformed", error_kind="no_answers", error="nothing usable")
        keys = list(ask.frame.questions)
        missing = content.get("missing", [])
        return Reading(
            "answered",
            tuple(Answer(key, "noul", content["p"], content["p"]) for key in keys if key not in missing),
            rejected={key: "missing" for key in missing},
            model_answered="plain-1.0",
            input_tokens=content.get("tokens"),
            cost=content.get("cost"),
        )


@dataclass
class MemoryDriver(PlainReading):
    """Answers from a script: called with the body's place among all sends and how often it came before."""

    script: Callable[[int, int], Reply | Awaitable[Reply]] = field(default=lambda place, times: ok())
    base_url: str = "http://127.0.0.1:1"
    bodies: list[bytes] = field(default_factory=list)

    async def send(self, body: bytes) -> Reply:
        times = Counter(self.bodies)[body] if self.bodies else 0
        self.bodies.append(body)
        reply = self.script(len(self.bodies) - 1, times)
        return reply if isinstance(reply, Reply) else await reply

    async def aclose(self) -> None:
        pass


@dataclass
class HttpDriver(PlainReading):
    """Sends over HTTP, as a real driver does; faults come back as replies."""

    base_url: str
    timeout: float = 5.0
    _client: httpx.AsyncClient = field(init=False)

    def __post_init__(self) -> None:
        self._client = httpx.AsyncClient(timeout=self.timeout, verify=NO_CERTIFICATES, trust_env=False)

    async def send(self, body: bytes) -> Reply:
        try:
            response = await self._client.post(self.base_url, content=body)
        except httpx.TimeoutException:
            return timed_out()
        except httpx.ConnectError as error:
            return Reply(None, b"", 1.0, fault="connection", fault_message=str(error))
        except httpx.TransportError as error:
            message = str(error) or type(error).__name__
            return Reply(None, b"", 1.0, fault="connection", fault_message=message, possibly_billed=True)
        hint = response.headers.get("retry-after")
        return Reply(
            response.status_code,
            response.content,
            response.elapsed.total_seconds() * 1000,
            retry_after=None if hint is None else float(hint),
        )

    async def aclose(self) -> None:
        await self._client.aclose()


@dataclass
class LoopbackModel:
    """A real server on a loopback port: keeps a ledger of bodies and answers each from a script, which gets
    the place of the request and how often that body came before, and returns status, headers and body.
    """

    script: Callable[[int, int], tuple[int, dict[str, str], bytes]] = field(
        default=lambda place, times: (200, {}, OK)
    )
    delay: float = 0.0
    ledger: list[bytes] = field(default_factory=list)
    port: int = 0
    _connections: set[asyncio.StreamWriter] = field(default_factory=set)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[LoopbackModel]:
        server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            server.close()
            for writer in list(self._connections):
                writer.close()
            await asyncio.sleep(0)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._connections.add(writer)
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
                length = int(head.split("content-length:")[1].split("\r\n")[0])
                body = await reader.readexactly(length)
                times = self.ledger.count(body)
                self.ledger.append(body)
                code, headers, answer = self.script(len(self.ledger) - 1, times)
                await asyncio.sleep(self.delay)
                lines = [f"HTTP/1.1 {code} X", f"content-length: {len(answer)}"]
                lines += [f"{name}: {value}" for name, value in headers.items()]
                writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + answer)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            self._connections.discard(writer)
            writer.close()
