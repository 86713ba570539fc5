"""Runs of the test bench against a mock whose properties are known."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Engine

from jevbias.catalogue.catalogue import Catalogue
from jevbias.drivers.http import HttpTransport
from jevbias.drivers.system_one import SystemOneDriver
from jevbias.mock.fault_plan import FaultPlan
from jevbias.mock.known_model import KnownModel
from jevbias.mock.properties import KnownProperties
from jevbias.mock.serve import running_mock
from jevbias.report.testbench import TestbenchReport
from jevbias.store.calls import StoredCall, list_calls
from jevbias.store.connections import reading
from jevbias.store.runs import find_run
from jevbias.store.tables import Run
from jevbias.testbench.cases import FACT
from jevbias.testbench.options import BenchOptions
from jevbias.testbench.run import create_testbench_run, report_testbench, run_testbench
from jevbias.testbench.semantics_asks import scenario_asks

FACTS = [{"contains": FACT[:40], "size": 0.35}]


@dataclass(frozen=True)
class Server:
    """A mock to be served: its properties, noise and faults."""

    catalogue: Catalogue
    properties: dict[str, Any]
    noise: float = 0.01
    decimals: int | None = None
    seed: int = 1
    faults: FaultPlan | None = None
    latency_ms: float = 0.0
    drift: float = 0.0


def planned(engine: Engine, catalogue: Catalogue, options: BenchOptions, name: str = "bench") -> Run:
    asks = scenario_asks(catalogue, options.semantics.scenario, options.semantics.cases, 1)
    return create_testbench_run(
        engine,
        options,
        asks if "semantics" in options.parts else [],
        name=name,
        driver="jev",
        model="mock",
        base_url="http://mock",
        seed=1,
        settings={},
    )


def put(engine: Engine, run: Run, base_url: str, **more: Any) -> None:
    """Put a run to a server."""

    async def running() -> None:
        connections = HttpTransport(
            base_url, key=None, timeout=20, connections=max(1, BenchOptions().connections)
        )
        driver = SystemOneDriver("jev", "mock", connections)
        try:
            await run_testbench(engine, run, driver, **more)
        finally:
            await driver.aclose()

    asyncio.run(running())


def benched(engine: Engine, server: Server, options: BenchOptions) -> TestbenchReport:
    """The report of a run against a mock."""
    run = planned(engine, server.catalogue, options)
    model = KnownModel(
        server.catalogue,
        KnownProperties.model_validate(server.properties),
        noise=server.noise,
        seed=server.seed,
        decimals=server.decimals,
        drift=server.drift,
    )
    with running_mock(model, faults=server.faults, latency_ms=server.latency_ms) as mock:
        put(engine, run, mock.base_url)
    return report_testbench(engine, find_run(engine, run.name))


def calls_of(engine: Engine, prefix: str = "", name: str = "bench") -> list[StoredCall]:
    """The calls of a run, in the order in which they were first sent."""
    with reading(engine) as connection:
        return list_calls(connection, find_run(engine, name).id or 0, prefix)
