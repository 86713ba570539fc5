"""Requests over real connections: what a fault on the way turns into."""

from __future__ import annotations

import asyncio
import socket
import ssl
import struct
import time
from contextlib import suppress
from pathlib import Path

import pytest

from tests.drivers.loopback import KEY, ask_once, end_server, http_reply, loopback, open_transport


def test_a_reply_arrives_whole_with_its_request_id() -> None:
    reply, server = ask_once(
        http_reply(200, b'{"a":1}', "X-Request-Id: other", "X-TypeSafe-Request-Id: req-7")
    )
    assert (reply.status, reply.body, reply.request_id, reply.fault) == (200, b'{"a":1}', "req-7", None)
    assert reply.latency_ms > 0
    assert server.requests[0][0].startswith("POST /v1/systemone HTTP/1.1")
    assert server.requests[0][1] == b"{}"


def test_x_request_id_is_the_second_choice() -> None:
    reply, _ = ask_once(http_reply(200, b"{}", "X-Request-Id: other"))
    assert reply.request_id == "other"


def test_a_server_that_is_too_slow_is_a_timeout_that_may_have_been_billed() -> None:
    async def sleep(_: asyncio.StreamWriter) -> None:
        await asyncio.sleep(60)

    started = time.monotonic()
    reply, _ = ask_once(sleep, timeout=0.3)
    assert (reply.status, reply.fault, reply.possibly_billed) == (None, "timeout", True)
    assert time.monotonic() - started < 30


def test_a_server_that_drips_is_bounded_by_the_same_timeout() -> None:
    async def drip(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
        for _ in range(1_200):
            writer.write(b"x")
            await writer.drain()
            await asyncio.sleep(0.05)

    started = time.monotonic()
    reply, _ = ask_once(drip, timeout=0.4)
    assert (reply.status, reply.fault, reply.possibly_billed) == (None, "timeout", True)
    assert time.monotonic() - started < 30


def test_a_refused_connection_was_not_billed() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}"

    async def run() -> None:
        transport = open_transport(url)
        reply = await transport.post("/v1/systemone", b"{}")
        await transport.aclose()
        assert (reply.status, reply.fault, reply.possibly_billed) == (None, "connection", False)

    asyncio.run(run())


def test_a_name_that_cannot_be_resolved_is_a_dns_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)  # nothing outside this machine is looked up
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)

    async def run() -> None:
        transport = open_transport("http://models.example")
        reply = await transport.post("/v1/systemone", b"{}")
        await transport.aclose()
        assert (reply.fault, reply.possibly_billed) == ("dns", False)

    asyncio.run(run())


async def _close(_: asyncio.StreamWriter) -> None:
    return


async def _reset(writer: asyncio.StreamWriter) -> None:
    linger = struct.pack("ii", 1, 0)
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    writer.transport.abort()


async def _garbage(writer: asyncio.StreamWriter) -> None:
    writer.write(b"220 mail.example ESMTP\r\n\r\n")


@pytest.mark.parametrize(
    ("reaction", "fault"),
    [
        pytest.param(_close, "connection", id="closed before any reply"),
        pytest.param(
            b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 50\r\n\r\n{",
            "truncated",
            id="cut short",
        ),
        pytest.param(
            b'HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"a":',
            "truncated",
            id="a chunk missing",
        ),
        pytest.param(_garbage, "invalid", id="not HTTP"),
        pytest.param(_reset, "connection", id="reset before any reply"),
        pytest.param(
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{never a length}\r\n",
            "invalid",
            id="a chunk of no length",
        ),
        pytest.param(b"HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n", "invalid", id="no number of bytes"),
    ],
)
def test_a_broken_reply_is_a_fault_that_may_have_been_billed(reaction: bytes, fault: str) -> None:
    reply, _ = ask_once(reaction)
    assert (reply.status, reply.fault, reply.possibly_billed) == (None, fault, True)
    assert reply.fault_message


@pytest.mark.parametrize(
    ("status", "billed"), [(502, True), (504, True), (429, False), (503, False), (422, False)]
)
def test_a_gateway_that_lost_the_answer_may_have_been_billed(status: int, billed: bool) -> None:
    reply, _ = ask_once(http_reply(status, b"{}"))
    assert (reply.status, reply.fault, reply.possibly_billed) == (status, None, billed)


def test_a_redirect_is_not_followed_and_says_where_it_points() -> None:
    async def run() -> None:
        async with loopback(http_reply(200, b"{}")) as target:
            redirect = http_reply(307, b"", f"Location: {target.url}/elsewhere")
            async with loopback(redirect) as server:
                transport = open_transport(server.url, key=KEY)
                reply = await transport.post("/v1/systemone", b"{}")
                await transport.aclose()
                assert (reply.status, reply.location) == (307, f"{target.url}/elsewhere")
                assert target.requests == []

    asyncio.run(run())


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        (("Retry-After: 7",), 7.0),
        (("retry-after-ms: 1500", "Retry-After: 3600"), 1.5),
        (("Retry-After: Wed, 21 Oct 2015 07:28:00 GMT",), 0.0),
        (("Retry-After: soon",), None),
        ((), None),
    ],
)
def test_the_servers_hint_is_read(headers: tuple[str, ...], seconds: float | None) -> None:
    reply, _ = ask_once(http_reply(429, b"{}", *headers))
    assert reply.retry_after == seconds


def test_cookies_are_not_kept() -> None:
    async def run() -> None:
        async with loopback(http_reply(200, b"{}", "Set-Cookie: sticky=1; Path=/")) as server:
            transport = open_transport(server.url, connections=1)
            for _ in range(2):
                await transport.post("/v1/systemone", b"{}")
            await transport.aclose()
            assert server.connections == 1
            assert [head for head, _ in server.requests if "cookie" in head.lower()] == []

    asyncio.run(run())


def test_http_1_0_without_keep_alive_is_spoken() -> None:
    async def run() -> None:
        async with loopback(b"HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n{}") as server:
            transport = open_transport(server.url, connections=1)
            replies = [await transport.post("/v1/systemone", b"{}") for _ in range(3)]
            await transport.aclose()
            assert [(reply.status, reply.body) for reply in replies] == [(200, b"{}")] * 3
            assert server.connections == 3

    asyncio.run(run())


def test_no_more_connections_than_declared_and_waiting_is_no_timeout() -> None:
    most, now = 0, 0

    async def slow(writer: asyncio.StreamWriter) -> None:
        nonlocal most, now
        now += 1
        most = max(most, now)
        await asyncio.sleep(0.8)
        now -= 1
        writer.write(http_reply(200, b"{}", "Connection: close"))

    async def run() -> None:
        async with loopback(slow) as server:
            transport = open_transport(server.url, connections=10, timeout=3.0)
            replies = await asyncio.gather(*[transport.post("/v1/systemone", b"{}") for _ in range(40)])
            await transport.aclose()
            assert {reply.status for reply in replies} == {200}  # the last took 3.2 s, most of it waiting
            assert most == 10

    asyncio.run(run())


def test_a_connection_is_used_again_and_one_that_the_server_closed_meanwhile_is_not() -> None:
    closed = asyncio.Event()

    async def answer_and_close(writer: asyncio.StreamWriter) -> None:
        writer.write(http_reply(200, b"{}"))
        await writer.drain()
        writer.close()
        await writer.wait_closed()
        closed.set()

    async def run() -> None:
        async with loopback(http_reply(200, b"{}"), answer_and_close, http_reply(200, b"{}")) as server:
            transport = open_transport(server.url, connections=1)
            statuses = [(await transport.post("/v1/systemone", b"{}")).status for _ in range(2)]
            assert server.connections == 1
            await closed.wait()
            await asyncio.sleep(0.1)
            statuses.append((await transport.post("/v1/systemone", b"{}")).status)
            await transport.aclose()
            assert (statuses, server.connections) == ([200, 200, 200], 2)

    asyncio.run(run())


def test_a_cancelled_request_leaves_the_transport_usable() -> None:
    arrived = asyncio.Event()

    async def hang(_: asyncio.StreamWriter) -> None:
        arrived.set()
        await asyncio.sleep(3)

    async def run() -> None:
        async with loopback(hang, http_reply(200, b"{}")) as server:
            transport = open_transport(server.url, connections=1)
            task = asyncio.create_task(transport.post("/v1/systemone", b"{}"))
            await asyncio.wait_for(arrived.wait(), 4)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert (await transport.post("/v1/systemone", b"{}")).status == 200
            await transport.aclose()

    asyncio.run(run())


@pytest.mark.parametrize("encrypted", [False, True])
@pytest.mark.parametrize("size", [2, 100_000])
def test_what_comes_behind_a_replys_end_is_no_answer_to_the_next_request(
    certified: ssl.SSLContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, encrypted: bool, size: int
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "cert"))
    writers: list[asyncio.StreamWriter] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writers.append(writer)
        first = len(writers) == 1
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while await reader.readuntil(b"{}"):
                writer.write(http_reply(200, b"A" * size))
                if first:
                    writer.write(http_reply(200, b"B"))

    async def run() -> None:
        server = await asyncio.start_server(answer, "127.0.0.1", 0, ssl=certified if encrypted else None)
        port = server.sockets[0].getsockname()[1]
        transport = open_transport(f"http{'s' * encrypted}://127.0.0.1:{port}", connections=1)
        bodies = [(await transport.post("/v1/systemone", b"{}")).body for _ in range(4)]
        await transport.aclose()
        await end_server(server, writers)
        assert bodies == [b"A" * size] * 4
        assert len(writers) == 2, "and a connection without such bytes is used again"

    asyncio.run(run())


def test_what_comes_late_on_an_idle_connection_is_no_answer_to_the_next_request() -> None:
    late = asyncio.Event()
    writers: list[asyncio.StreamWriter] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writers.append(writer)
        await reader.readuntil(b"{}")
        writer.write(http_reply(200, b"A"))
        await asyncio.sleep(0.1)
        writer.write(http_reply(200, b"B"))
        late.set()

    async def run() -> None:
        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        transport = open_transport(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}", connections=1)
        first = await transport.post("/v1/systemone", b"{}")
        await late.wait()
        await asyncio.sleep(0.1)
        second = await transport.post("/v1/systemone", b"{}")
        await transport.aclose()
        await end_server(server, writers)
        assert (first.body, second.body, len(writers)) == (b"A", b"A", 2)

    asyncio.run(run())
