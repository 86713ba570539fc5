"""Serving the mock, for a user until Ctrl-C and for a program as long as it wants."""

from __future__ import annotations

import asyncio
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

import uvicorn
from starlette.applications import Starlette
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from jevbias.errors import UsageError
from jevbias.mock.app import create_app
from jevbias.mock.fault_plan import FaultPlan
from jevbias.mock.model import MockModel
from jevbias.mock.replies import TRANSPORT

BACKLOG = 2048


def serve(app: Starlette, port: int, *, profile: str = "pilot", flags: str = "") -> None:
    """Serve on a loopback port (0: a free one) until Ctrl-C. Once it listens, one line on stderr says where,
    and one how to ask it: with which `profile`, and with which `flags` besides, such as
    ` --catalogue mine`.

    Raises UsageError where the port cannot be had.
    """
    listener = _listen(port)
    try:
        address = _address(listener)
        sys.stderr.write(f"mock model on {address} (Ctrl-C stops it)\n")
        sys.stderr.write(
            f"ask it: TYPESAFE_BASE_URL={address} jevbias run --driver jev --profile {profile} "
            f"--name mock-{profile}{flags}\n"
        )
        sys.stderr.flush()
        with suppress(KeyboardInterrupt):
            _server(app).run(sockets=[listener])
    finally:
        listener.close()


@dataclass(frozen=True)
class RunningMock:
    """A mock that is being served: `base_url` is what `TYPESAFE_BASE_URL` would say, `openai_url` what
    `OPENAI_BASE_URL`, and `openrouter_url` what `OPENROUTER_BASE_URL`.
    """

    base_url: str
    model: MockModel

    @property
    def openai_url(self) -> str:
        """The base of chat completions as OpenAI's servers have them."""
        return f"{self.base_url}/v1"

    @property
    def openrouter_url(self) -> str:
        """The base of chat completions and batches as OpenRouter has them."""
        return f"{self.base_url}/api/v1"


@contextmanager
def running_mock(
    model: MockModel, *, latency_ms: float = 0, faults: FaultPlan | None = None
) -> Iterator[RunningMock]:
    """Serve a mock on a free loopback port, in a thread of this process, for the length of a block."""
    listener = _listen(0)
    server = _server(create_app(model, latency_ms=latency_ms, faults=faults))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, name="mock", daemon=True)
    thread.start()
    try:
        while not server.started and thread.is_alive():
            time.sleep(0.005)
        yield RunningMock(_address(listener), model)
    finally:
        server.should_exit = True
        thread.join()
        listener.close()


def _listen(port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(("127.0.0.1", port))
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        reason = error.strerror or str(error)
        raise UsageError(f"--port {port}: cannot listen on 127.0.0.1:{port}: {reason}") from None
    return listener


def _address(listener: socket.socket) -> str:
    return f"http://127.0.0.1:{listener.getsockname()[1]}"


def _server(app: Starlette) -> uvicorn.Server:
    return uvicorn.Server(
        uvicorn.Config(
            app,
            http=_Connection,
            lifespan="off",
            ws="none",
            loop="asyncio",
            log_config=None,
            log_level="warning",
            access_log=False,
            backlog=BACKLOG,
            timeout_keep_alive=30,
            timeout_graceful_shutdown=2,
        )
    )


class _Connection(H11Protocol):
    """Tells the application which connection a request came by, so that it can break it off."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.app = _with_transport(self.app, transport)


def _with_transport(app: ASGIApp, transport: asyncio.Transport) -> ASGIApp:
    async def with_transport(scope: Scope, receive: Receive, send: Send) -> None:
        await app({**scope, "extensions": {TRANSPORT: transport}}, receive, send)

    return with_transport
