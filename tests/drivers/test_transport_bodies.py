"""A reply's body: unpacked within bounds, whole or a fault."""

from __future__ import annotations

import asyncio
import gzip
import tracemalloc

import pytest

from jevbias.drivers.unpacking import MAX_BODY
from tests.drivers.loopback import ask_once, http_reply


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


def test_a_reply_with_long_headers_is_read() -> None:
    reply, _ = ask_once(http_reply(200, b"{}", f"X-Long: {'x' * 30_000}"))
    assert (reply.status, reply.body) == (200, b"{}")


def test_a_large_body_arrives_whole_and_with_its_length() -> None:
    body = b'{"a":"' + b"x" * 3_000_000 + b'"}'
    reply, server = ask_once(http_reply(200, b"{}"), body=body)
    assert reply.status == 200
    assert server.requests[0][1] == body
    assert f"content-length: {len(body)}\r\n" in server.requests[0][0].lower()
