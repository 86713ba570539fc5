"""TLS: certificates that cannot be trusted or found, and connections that break."""

from __future__ import annotations

import asyncio
import os
import socket
import ssl
from pathlib import Path

import pytest

from jevbias.errors import UsageError
from tests.drivers.loopback import end_server, open_transport


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
        await end_server(server, writers)
        assert (reply.status, reply.fault, reply.possibly_billed) == (None, "connection", True)
        assert (reply.fault_message or "").startswith("the connection broke (")

    asyncio.run(run())


def test_a_certificate_file_that_is_not_there_is_one_line_and_plain_http_needs_none(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "none.pem"))
    with pytest.raises(UsageError, match="SSL_CERT_FILE"):
        open_transport("https://models.example")
    open_transport("http://127.0.0.1:9")
