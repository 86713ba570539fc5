"""Requests over real connections: what a fault on the way turns into."""

from __future__ import annotations

import asyncio
import gzip
import logging
import os
import shutil
import socket
import ssl
import struct
import subprocess
import time
import tracemalloc
from contextlib import suppress
from pathlib import Path

import pytest

from jevbias.drivers.unpacking import MAX_BODY
from jevbias.errors import UsageError
from tests.drivers.loopback import ask_once, http_reply, loopback, open_transport

KEY = "sk-test-1234567890abcdef"


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


def test_a_gzip_body_is_unpacked() -> None:
    reply, server = ask_once(http_reply(200, gzip.compress(b'{"a":1}'), "Content-Encoding: gzip"))
    assert (reply.fault, reply.body) == (None, b'{"a":1}')
    assert "accept-encoding: gzip\r\n" in server.requests[0][0].lower()


def test_a_gzip_body_of_several_members_is_unpacked_whole() -> None:
    packed = gzip.compress(b'{"a":') + gzip.compress(b"1}")
    reply, _ = ask_once(http_reply(200, packed, "Content-Encoding: gzip"))
    assert (reply.fault, reply.body) == (None, b'{"a":1}')
    cut, _ = ask_once(http_reply(200, packed[:-4], "Content-Encoding: gzip"))
    assert (cut.status, cut.fault) == (None, "truncated")


@pytest.mark.parametrize("kept", [slice(0, -8), slice(0, -1), slice(0, 12)])
def test_a_gzip_body_without_its_end_is_a_transport_error_not_an_answer(kept: slice) -> None:
    packed = gzip.compress(b'{"model":"m","answers":{"a":{"noul":0.5}}}' * 20)
    reply, _ = ask_once(http_reply(200, packed[kept], "Content-Encoding: gzip"))
    assert (reply.status, reply.body, reply.fault, reply.possibly_billed) == (None, b"", "truncated", True)


def test_a_damaged_gzip_body_is_a_transport_error() -> None:
    packed = bytearray(gzip.compress(b'{"a":1}' * 50))
    packed[-6] ^= 0xFF
    reply, _ = ask_once(http_reply(200, bytes(packed), "Content-Encoding: gzip"))
    assert reply.fault == "truncated"


def test_a_packed_bomb_is_refused_without_being_unpacked() -> None:
    bomb = gzip.compress(b"0" * 60_000_000, compresslevel=9)
    tracemalloc.start()
    try:
        reply, _ = ask_once(http_reply(200, bomb, "Content-Encoding: gzip"))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert reply.fault == "invalid"
    assert "larger than 8 MB" in (reply.fault_message or "")
    assert peak < 6 * MAX_BODY


def test_a_body_without_end_is_refused() -> None:
    async def flood(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
        for _ in range(200):
            writer.write(b" " * 1_000_000)
            await writer.drain()

    reply, _ = ask_once(flood)
    assert (reply.fault, reply.body) == ("invalid", b"")


def test_an_encoding_that_nobody_asked_for_is_refused() -> None:
    reply, _ = ask_once(http_reply(200, b"xx", "Content-Encoding: br"))
    assert reply.fault == "invalid"


def test_an_error_keeps_its_status_when_its_body_breaks_off() -> None:
    cut = b"HTTP/1.1 401 No\r\nConnection: close\r\nContent-Length: 50\r\n\r\n{"
    reply, _ = ask_once(cut)
    assert (reply.status, reply.fault, reply.body) == (401, None, b"")


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


@pytest.fixture
def certified(tmp_path: Path) -> ssl.SSLContext:
    """What a TLS server on loopback needs; `cert` is the certificate."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("openssl makes the certificate")
    kind = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    files = ["-keyout", "key", "-out", "cert", "-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run([openssl, *kind, *files], cwd=tmp_path, check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "cert", tmp_path / "key")
    return context


def test_a_certificate_that_nobody_signed_is_a_tls_fault(certified: ssl.SSLContext) -> None:
    async def run() -> None:
        server = await asyncio.start_server(lambda r, w: w.close(), "127.0.0.1", 0, ssl=certified)
        transport = open_transport(f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}")
        reply = await transport.post("/v1/systemone", b"{}")
        await transport.aclose()
        server.close()
        assert (reply.fault, reply.possibly_billed) == ("tls", False)
        assert "certificate" in (reply.fault_message or "")

    asyncio.run(run())


async def end(server: asyncio.Server, writers: list[asyncio.StreamWriter]) -> None:
    """Close a server and its connections."""
    server.close()
    for writer in writers:
        writer.transport.abort()
    await asyncio.sleep(0.05)


def test_tls_that_breaks_in_the_middle_is_a_fault_that_may_have_been_billed(
    certified: ssl.SSLContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "cert"))

    writers: list[asyncio.StreamWriter] = []

    async def junk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writers.append(writer)
        await reader.readuntil(b"{}")
        connection = socket.socket(fileno=os.dup(writer.get_extra_info("socket").fileno()))
        connection.sendall(b"this is no TLS record")
        connection.close()

    async def run() -> None:
        server = await asyncio.start_server(junk, "127.0.0.1", 0, ssl=certified)
        transport = open_transport(f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}")
        reply = await transport.post("/v1/systemone", b"{}")
        await transport.aclose()
        await end(server, writers)
        assert (reply.status, reply.fault, reply.possibly_billed) == (None, "connection", True)
        assert (reply.fault_message or "").startswith("the connection broke (")

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
        await end(server, writers)
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
        await end(server, writers)
        assert (first.body, second.body, len(writers)) == (b"A", b"A", 2)

    asyncio.run(run())


def test_a_certificate_file_that_is_not_there_is_one_line_and_plain_http_needs_none(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "none.pem"))
    with pytest.raises(UsageError, match="SSL_CERT_FILE"):
        open_transport("https://models.example")
    open_transport("http://127.0.0.1:9")


# Keys


def test_a_key_is_sent_and_shows_nowhere_else(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    echo = b'{"detail":"bad key ' + KEY.encode() + b'"}'
    reply, server = ask_once(
        http_reply(401, echo, f"X-Request-Id: {KEY}", f"Location: https://example.org/{KEY}"), key=KEY
    )
    assert f"authorization: Bearer {KEY}" in server.requests[0][0].replace("Authorization", "authorization")
    assert KEY not in repr(reply)
    assert b"[key withheld]" in reply.body
    assert KEY not in caplog.text
    assert server.url not in caplog.text


def test_a_key_is_in_no_repr() -> None:
    async def run() -> None:
        transport = open_transport("http://127.0.0.1:9", key=KEY)
        assert KEY not in repr(transport)
        assert KEY not in repr(vars(transport))
        await transport.aclose()

    asyncio.run(run())


def test_a_short_key_that_is_a_common_word_changes_no_reply() -> None:
    reply, _ = ask_once(http_reply(200, b'{"model":"none"}'), key="none")
    assert reply.body == b'{"model":"none"}'


# Proxies


@pytest.mark.parametrize("no_proxy", ["::1/128,[::1]", "[::1]", "::1/128", "[", "http://", "%zz", ",,", "*"])
def test_an_odd_no_proxy_does_not_keep_a_run_from_starting(
    no_proxy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.setenv(name, no_proxy)
    reply, _ = ask_once(http_reply(200, b"{}"))
    assert reply.status == 200


def test_loopback_is_reached_directly_and_everything_else_through_the_proxy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def run() -> None:
        async with loopback(http_reply(200, b"{}")) as proxy, loopback(http_reply(200, b"{}")) as direct:
            monkeypatch.setenv("http_proxy", proxy.url)
            monkeypatch.setenv("no_proxy", "other.example")
            for url in (direct.url, "http://models.example"):
                transport = open_transport(url)
                assert (await transport.post("/v1/systemone", b"{}")).status == 200
                await transport.aclose()
            assert len(direct.requests) == 1
            assert proxy.requests[0][0].startswith("POST http://models.example/v1/systemone ")

    asyncio.run(run())


@pytest.mark.parametrize(
    "proxy", ["ftp://127.0.0.1", "http://proxy:port", "socks5://user:hunter2@127.0.0.1:1"]
)
def test_a_proxy_that_cannot_be_used_is_one_line(proxy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", proxy)
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    with pytest.raises(UsageError) as caught:
        open_transport("http://models.example")
    assert "proxy" in str(caught.value)
    assert "hunter2" not in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("answer", [b"HTTP/1.1 403 No {braces}\r\n\r\n", b"HTTP/1.1 502 Bad\r\n\r\n", b""])
def test_a_proxy_that_makes_no_connection_has_billed_nothing(
    answer: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(writer: asyncio.StreamWriter) -> None:
        writer.write(answer)
        await writer.drain()

    async def run() -> None:
        async with loopback(refuse) as proxy:
            monkeypatch.setenv("https_proxy", proxy.url)
            monkeypatch.setenv("no_proxy", "other.example")
            transport = open_transport("https://models.example")
            reply = await transport.post("/v1/systemone", b"{}")
            await transport.aclose()
            assert (reply.status, reply.fault, reply.possibly_billed) == (None, "connection", False)
            assert proxy.requests[0][0].startswith("CONNECT models.example:443 ")

    asyncio.run(run())


def test_a_reply_with_long_headers_is_read() -> None:
    reply, _ = ask_once(http_reply(200, b"{}", f"X-Long: {'x' * 30_000}"))
    assert (reply.status, reply.body) == (200, b"{}")


def test_a_large_body_arrives_whole_and_with_its_length() -> None:
    body = b'{"a":"' + b"x" * 3_000_000 + b'"}'
    reply, server = ask_once(http_reply(200, b"{}"), body=body)
    assert reply.status == 200
    assert server.requests[0][1] == body
    assert f"content-length: {len(body)}\r\n" in server.requests[0][0].lower()
