"""The embedded model: a real decision model on this machine, served for as long as the driver is open."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, replace
from typing import IO

from jevbias.drivers.base import Reply
from jevbias.drivers.failures import one_line
from jevbias.drivers.http import HttpTransport
from jevbias.drivers.system_one import SystemOneDriver
from jevbias.errors import ModelError, UsageError

LOCAL_BASE_URL = "embedded"
"""What a run stores as its base URL: the real one, with a free port, is another in every process."""
START_LIMIT = 60.0
"""Seconds; loading a model takes one or two."""
STOP_LIMIT = 3.0


def embedded_models() -> list[str]:
    """The names of the models that come with the package."""
    from sparrow_decider import available_models

    return list(available_models())


def check_local_model(model: str) -> str:
    """The model's name; raises UsageError that names the embedded models where it is none of them."""
    names = embedded_models()
    if model not in names:
        raise UsageError(
            f"model '{one_line(model, 80)}' is not embedded; --driver local has {', '.join(names)}"
        )
    return model


@asynccontextmanager
async def open_local_driver(model: str, *, timeout_s: float, connections: int) -> AsyncIterator[LocalDriver]:
    """Start the embedded model's server on a free loopback port, and stop it at the end, however that comes.

    Raises UsageError for a model that is not embedded and ModelError where its server does not start.
    """
    check_local_model(model)
    with _running_server(model) as server:
        port = await _started(server)
        transport = HttpTransport(
            f"http://127.0.0.1:{port}", key=None, timeout=timeout_s, connections=connections
        )
        driver = LocalDriver(model, transport, server)
        try:
            await driver.check()
            yield driver
        finally:
            await driver.aclose()


class LocalDriver(SystemOneDriver):
    """Speaks to the embedded server exactly as to any other, and notices when it is gone."""

    def __init__(self, model: str, transport: HttpTransport, server: _Server) -> None:
        super().__init__("local", model, transport)
        self._server = server

    async def send(self, body: bytes) -> Reply:
        """Send one body once; where the server has died the fault is `server_died`."""
        reply = await super().send(body)
        if reply.fault == "connection" and self._server.process.poll() is not None:
            return replace(reply, fault="server_died", fault_message=self._server.obituary())
        return reply

    async def check(self) -> None:
        """Raises ModelError unless the server answers that it serves this model."""
        reply = await self._transport.get("/")
        try:
            health: object = json.loads(reply.body)
        except ValueError:
            health = None
        expected = {"status": "ok", "model": self.model}
        if not isinstance(health, dict) or not expected.items() <= health.items():
            what = reply.fault_message or one_line(reply.body.decode(errors="replace"), 100)
            raise ModelError(f"the embedded model's server answers '{what}' in place of its status")


@dataclass(frozen=True)
class _Server:
    process: subprocess.Popen[str]
    stderr: IO[str]

    def obituary(self) -> str:
        """Why the process ended, in one line: the last thing it said."""
        self.stderr.seek(0)
        said = [line for line in self.stderr.read()[-4000:].splitlines() if line.strip()]
        last = f": {one_line(said[-1])}" if said else ""
        return f"the embedded model's server has ended with exit code {self.process.returncode}{last}"


@contextmanager
def _running_server(model: str) -> Iterator[_Server]:
    """The child process. Ctrl-C in the terminal does not reach its session, so that answers in flight still
    arrive; it ends when its stdin closes, be it by this process's end.
    """
    command = [sys.executable, "-P", "-m", "jevbias.drivers.embedded_server", model]
    environment = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        environment.setdefault(name, "1")  # its matrices are too small to share out
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as stderr:
        process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
            env=environment,
            start_new_session=True,
        )
        with process:
            try:
                yield _Server(process, stderr)
            finally:
                _stop(process)


async def _started(server: _Server) -> int:
    """The port, once the server listens."""
    stdout = server.process.stdout
    try:
        line = await asyncio.wait_for(asyncio.to_thread(stdout.readline if stdout else str), START_LIMIT)
    except TimeoutError:
        raise ModelError(f"the embedded model's server did not start within {START_LIMIT:g} s") from None
    if line.strip().isdigit():
        return int(line)
    with suppress(subprocess.TimeoutExpired):
        server.process.wait(STOP_LIMIT)
    raise ModelError(server.obituary())


def _stop(process: subprocess.Popen[str]) -> None:
    if process.stdin is not None:
        with suppress(OSError):
            process.stdin.close()
    try:
        process.wait(STOP_LIMIT)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
