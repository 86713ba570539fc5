"""The embedded model: started, asked, stopped, and never left behind."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from jevbias.drivers.local import LocalDriver, check_local_model, open_local_driver
from jevbias.errors import ModelError, UsageError
from tests.drivers.asks import small_ask

MODEL = "sparrow-nano-general-v1.1"


@asynccontextmanager
async def opened() -> AsyncIterator[LocalDriver]:
    async with open_local_driver(MODEL, timeout_s=20, connections=8) as driver:
        yield driver


def is_gone(pid: int, within: float = 20.0) -> bool:
    """Whether a process ends, or has ended, soon (a zombie whose parent is not reading has ended)."""
    deadline = time.monotonic() + within
    while time.monotonic() < deadline:
        try:
            with open(f"/proc/{pid}/stat") as stat:
                if stat.read().rsplit(")", 1)[1].split()[0] == "Z":
                    return True
        except FileNotFoundError:
            return True
        time.sleep(0.02)
    return False


def test_it_answers_deterministically_and_is_stopped() -> None:
    async def run() -> int:
        async with opened() as driver:
            body = driver.render(small_ask())
            first, second = await asyncio.gather(driver.send(body), driver.send(body))
            readings = [driver.read(small_ask(), reply) for reply in (first, second)]
            assert [reading.verdict for reading in readings] == ["answered", "answered"]
            assert readings[0].answers == readings[1].answers
            assert len(readings[0].answers) == 3
            assert (readings[0].model_answered, readings[0].input_tokens, readings[0].cost) == (
                MODEL,
                None,
                None,
            )
            return driver._server.process.pid

    assert is_gone(asyncio.run(run()))


def test_many_at_once_are_all_answered() -> None:
    async def run() -> None:
        async with open_local_driver(MODEL, timeout_s=60, connections=64) as driver:
            body = driver.render(small_ask())
            replies = await asyncio.gather(*[driver.send(body) for _ in range(64)])
            assert [reply.fault_message for reply in replies if reply.status != 200] == []

    asyncio.run(run())


def test_it_is_stopped_when_the_block_fails() -> None:
    pids = []

    async def run() -> None:
        async with opened() as driver:
            pids.append(driver._server.process.pid)
            raise RuntimeError("on purpose")

    with pytest.raises(RuntimeError, match="on purpose"):
        asyncio.run(run())
    assert is_gone(pids[0])


def test_it_is_stopped_when_the_task_is_cancelled_while_starting() -> None:
    before = set(_children())

    async def run() -> None:
        task = asyncio.create_task(_open_and_wait())
        await asyncio.sleep(0.2)
        assert set(_children()) - before
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(run())
    assert set(_children()) <= before


async def _open_and_wait() -> None:
    async with opened():
        await asyncio.sleep(60)


def _children() -> list[int]:
    with open(f"/proc/self/task/{os.getpid()}/children") as children:
        return [int(pid) for pid in children.read().split()]


def test_a_server_that_dies_is_said_in_one_line_and_stops_the_run() -> None:
    async def run() -> None:
        async with opened() as driver:
            os.kill(driver._server.process.pid, signal.SIGKILL)
            driver._server.process.wait(5)
            reading = driver.read(small_ask(), await driver.send(driver.render(small_ask())))
            assert (reading.verdict, reading.error_kind) == ("stop", "server_died")
            assert "has ended with exit code -9" in (reading.error or "")
            assert (reading.error or "\n").isprintable()

    asyncio.run(run())


def test_a_server_that_cannot_start_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jevbias.drivers.local.check_local_model", lambda model: model)

    async def run() -> None:
        async with open_local_driver("no-such-model", timeout_s=5, connections=1):
            raise AssertionError("it started")

    with pytest.raises(ModelError) as caught:
        asyncio.run(run())
    assert "no-such-model" in str(caught.value)
    assert str(caught.value).isprintable()


def test_a_model_that_is_not_embedded_is_refused_before_anything_starts() -> None:
    with pytest.raises(UsageError, match=re.escape(f"{MODEL}, sparrow-nano-robot-v1.2")):
        check_local_model("jev-latest")


PARENT = f"""
import asyncio, signal
from jevbias.drivers.local import open_local_driver

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it

async def main():
    async with open_local_driver({MODEL!r}, timeout_s=5, connections=1) as driver:
        print(driver._server.process.pid, flush=True)
        await asyncio.sleep(60)

asyncio.run(main())
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_it_does_not_outlive_a_parent_that_is_killed(how: signal.Signals) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PARENT], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        assert not is_gone(child, within=0.1)
        parent.send_signal(how)
        parent.wait(30)
    assert is_gone(child)


def test_ctrl_c_in_the_terminal_reaches_only_the_parent() -> None:
    async def run() -> None:
        async with opened() as driver:
            assert os.getpgid(driver._server.process.pid) != os.getpgid(0)

    asyncio.run(run())
