"""Keys stay where they belong, and a proxy is used only where it should be."""

from __future__ import annotations

import asyncio
import logging

import pytest

from jevbias.errors import UsageError
from tests.drivers.loopback import KEY, ask_once, http_reply, loopback, open_transport


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
