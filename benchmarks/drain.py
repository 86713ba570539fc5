"""Throughput of a drain, storage included, beside clients that store nothing: `python -m benchmarks.drain`.

A server in a process of its own answers every request after a fixed time (`--latency`). A run of the deep
profile, cut off after so many probes, is planned into a database and drained as `jevbias run` does it; then
the same bodies are sent, as many at a time, by two bare loops that read no answer and store nothing: one over
the driver's own connections, one over httpx clients of eight connections each. The three alternate
`--repeats` times; shown are medians, also of the ratios within one repeat. The ideal rate is what is in
flight divided by the latency.

The database is a new SQLite file for each drain, or the PostgreSQL database that `--database` names, in which
the benchmark makes runs and deletes them.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from statistics import median
from typing import Any

import httpx
from pydantic import SecretStr
from sqlalchemy import Engine

from benchmarks.fixed_latency import FixedLatencyServer, Served, fixed_latency_server
from jevbias.catalogue.load import load_catalogue
from jevbias.catalogue.lookup import find_profile
from jevbias.drain.drain import drain
from jevbias.drain.options import DrainOptions
from jevbias.drivers.http import HttpTransport
from jevbias.drivers.select import choose_driver, open_driver, render_body
from jevbias.drivers.system_one import PATH
from jevbias.mock.model import MockModel
from jevbias.plan.build import build_plan
from jevbias.plan.model import Plan
from jevbias.plan.narrow import Narrowing, narrow_profile
from jevbias.settings import Settings
from jevbias.store.engine import open_store
from jevbias.store.runs import create_run, delete_run, find_run

Send = Callable[[bytes], Awaitable[int | None]]
"""Sends one body and returns the status that came back."""
PROFILE, DRIVER, MODEL = "jev-latest-deep", "jev", "jev-latest"
PROBES_PER_BASE = 1_900
"""At least, in the deep profile."""
CONNECTIONS_PER_CLIENT = 8
"""Of an httpx client: with many it looks through all of them for every request."""
TIMEOUT = 30.0
KEY = SecretStr("benchmark-0123456789-0123456789-0123456789")
"""As long as a real one: looking for it in every reply is part of the work."""


@dataclass(frozen=True)
class Measured:
    """One way of sending all probes once: seconds on the clock and of CPU, the server's not included; and
    what the server saw of it.
    """

    seconds: float
    cpu_seconds: float
    served: Served


@dataclass(frozen=True)
class Work:
    """A plan, and its bodies in the order in which they are to be sent."""

    plan: Plan
    bodies: tuple[bytes, ...]

    @property
    def digests(self) -> Counter[bytes]:
        """How often each body is to be sent, by its SHA-256."""
        return Counter(sha256(body).digest() for body in self.bodies)


def main() -> None:
    """Measure and print Markdown."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--in-flight", type=int, nargs="+", default=[32, 128], metavar="N")
    parser.add_argument("--probes", type=int, default=6_000)
    parser.add_argument("--latency", type=float, default=0.1, help="seconds")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--database", metavar="URL", help="of PostgreSQL, in place of SQLite files")
    asked = parser.parse_args()
    work, replies = prepare(asked.probes)
    _say(
        "| in flight | drain | of ideal | of the driver's loop | of the httpx loop | driver's loop "
        "| httpx loop | CPU of 1,000 probes | driver's loop | httpx loop |\n"
        "|---|---|---|---|---|---|---|---|---|---|"
    )
    with fixed_latency_server(replies, asked.latency) as server:
        for in_flight in asked.in_flight:
            found = []
            for _ in range(asked.repeats):
                found.append(
                    (
                        measure_drain(work, server, in_flight, asked.database),
                        measure_bare_loop(work, server, in_flight, own_client=True),
                        measure_bare_loop(work, server, in_flight, own_client=False),
                    )
                )
            _say(_row(in_flight, in_flight / asked.latency, len(work.bodies), found))


def prepare(probes: int) -> tuple[Work, dict[bytes, bytes]]:
    """The first so many probes of the deep profile, with as many anchors as that takes, and what the mock
    answers to each body.
    """
    catalogue = load_catalogue(None)
    name, profile = find_profile(catalogue, PROFILE)
    enough = Narrowing(bases=-(-probes // PROBES_PER_BASE))
    whole = build_plan(catalogue, name, narrow_profile(catalogue, name, profile, enough), seed=1)
    plan = replace(whole, probes=whole.probes[:probes])
    asks = {probe.ask_hash: plan.asks[probe.ask_hash] for probe in plan.probes}
    bodies = {key: render_body(DRIVER, MODEL, ask) for key, ask in asks.items()}
    work = Work(plan, tuple(bodies[probe.ask_hash] for probe in plan.probes))
    model = MockModel(catalogue)
    return work, {body: json.dumps(model.answer(body)).encode() for body in dict.fromkeys(work.bodies)}


def measure_drain(work: Work, server: FixedLatencyServer, in_flight: int, database: str | None) -> Measured:
    """Drain the plan as a new run. Raises RuntimeError unless each probe was sent once and answered."""
    settings = Settings(typesafe_base_url=server.base_url, typesafe_api_key=KEY, workers=in_flight)
    with _new_store(database) as engine:
        name = f"drain-benchmark-{time.time_ns()}"
        create_run(
            engine,
            work.plan,
            name=name,
            driver=DRIVER,
            model=MODEL,
            base_url=server.base_url,
            margin=0.02,
            alpha=0.05,
            settings={},
        )
        run = find_run(engine, name)

        async def put() -> None:
            async with open_driver(choose_driver(settings), settings) as driver:
                summary = await drain(engine, run, driver, DrainOptions(workers=in_flight))
                if summary.answered != len(work.bodies):
                    raise RuntimeError(f"not every probe was answered: {summary.stopped}")

        try:
            return _measured(put(), work, server)
        finally:
            delete_run(engine, name)


def measure_bare_loop(
    work: Work, server: FixedLatencyServer, in_flight: int, *, own_client: bool
) -> Measured:
    """Send the same bodies and read nothing, over the driver's own connections or over httpx clients. Raises
    RuntimeError unless each was sent once.
    """
    waiting = iter(work.bodies)

    async def send_all(send: Send) -> None:
        for body in waiting:
            status = await send(body)
            if status != 200:
                raise RuntimeError(f"the server answered {status}")

    async def put() -> None:
        senders = (_own_client if own_client else _httpx_clients)(server.base_url, in_flight)
        async with senders as sends:
            await asyncio.gather(*(send_all(send) for send in sends))

    return _measured(put(), work, server)


def _measured(sending: Coroutine[Any, Any, None], work: Work, server: FixedLatencyServer) -> Measured:
    server.take()
    started, clock = time.perf_counter(), time.process_time()
    asyncio.run(sending)
    seconds, cpu = time.perf_counter() - started, time.process_time() - clock
    served = server.take()
    if served.ledger != work.digests:
        raise RuntimeError("the server's ledger is not what was to be sent")
    return Measured(seconds, cpu, served)


@asynccontextmanager
async def _own_client(base_url: str, in_flight: int) -> AsyncIterator[Sequence[Send]]:
    transport = HttpTransport(base_url, key=KEY, timeout=TIMEOUT, connections=in_flight)

    async def send(body: bytes) -> int | None:
        return (await transport.post(PATH, body)).status

    try:
        yield [send] * in_flight
    finally:
        await transport.aclose()


@asynccontextmanager
async def _httpx_clients(base_url: str, in_flight: int) -> AsyncIterator[Sequence[Send]]:
    headers = {"content-type": "application/json", "authorization": f"Bearer {KEY.get_secret_value()}"}
    timeout = httpx.Timeout(TIMEOUT, pool=None)
    clients = [
        httpx.AsyncClient(base_url=base_url, headers=headers, timeout=timeout, trust_env=False)
        for _ in range(-(-in_flight // CONNECTIONS_PER_CLIENT))
    ]

    async def send(client: httpx.AsyncClient, body: bytes) -> int | None:
        return (await client.post(PATH, content=body)).status_code

    try:
        yield [partial(send, clients[place % len(clients)]) for place in range(in_flight)]
    finally:
        for client in clients:
            await client.aclose()


@contextmanager
def _new_store(database: str | None) -> Iterator[Engine]:
    with tempfile.TemporaryDirectory() as folder:
        engine = open_store(database or str(Path(folder) / "drain.db"))
        try:
            yield engine
        finally:
            engine.dispose()


def _row(
    in_flight: int, ideal: float, probes: int, found: Sequence[tuple[Measured, Measured, Measured]]
) -> str:
    drained, own, plain = zip(*found, strict=True)
    rates = [median(probes / one.seconds for one in ways) for ways in (drained, own, plain)]
    of_own, of_plain = (
        median(loop.seconds / one.seconds for one, loop in zip(drained, loops, strict=True))
        for loops in (own, plain)
    )
    cpu = [1000 / probes * median(one.cpu_seconds for one in ways) for ways in (drained, own, plain)]
    return (
        f"| {in_flight} | {rates[0]:.0f}/s | {rates[0] / ideal:.1%} | {of_own:.1%} | {of_plain:.1%} "
        f"| {rates[1]:.0f}/s | {rates[2]:.0f}/s | {cpu[0]:.2f} s | {cpu[1]:.2f} s | {cpu[2]:.2f} s |"
    )


def _say(line: str) -> None:
    print(line, flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
