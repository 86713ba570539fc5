"""Draining in tests: quick retries, and what the database says afterwards."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Engine, Row, select

from jevbias.drain.drain import drain
from jevbias.drain.options import DrainOptions
from jevbias.drain.progress import DrainState
from jevbias.drain.summary import DrainSummary
from jevbias.drivers.base import Driver
from jevbias.store.connections import reading
from jevbias.store.tables import ANSWER, ATTEMPT, PROBE, RUN, Run


@dataclass
class Recorder:
    """A view that remembers."""

    states: list[DrainState] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    stopped: int = 0

    def start(self, state: DrainState) -> None:
        self.states.append(state)

    def update(self, state: DrainState) -> None:
        self.states.append(state)

    def note(self, line: str) -> None:
        self.notes.append(line)

    def stop(self, state: DrainState) -> None:
        self.states.append(state)
        self.stopped += 1


def options(**given: Any) -> DrainOptions:
    return DrainOptions(**{"workers": 4, "timeout": 5.0, "first_wait": 0.001, **given})


def drained(
    engine: Engine, run: Run, driver: Driver, view: Recorder | None = None, **given: Any
) -> DrainSummary:
    return asyncio.run(drain(engine, run, driver, options(**given), view))


async def until(condition: Callable[[], bool]) -> None:
    """Wait for something that another task brings about."""
    for _ in range(6_000):
        if condition():
            return
        await asyncio.sleep(0.005)
    raise TimeoutError


def probes(engine: Engine) -> list[Row[Any]]:
    with reading(engine) as connection:
        return list(connection.execute(select(PROBE).order_by(PROBE.c.position)).all())


def statuses(engine: Engine) -> dict[str, int]:
    found: dict[str, int] = {}
    for probe in probes(engine):
        found[probe.status] = found.get(probe.status, 0) + 1
    return found


def attempts(engine: Engine) -> list[Row[Any]]:
    with reading(engine) as connection:
        query = select(ATTEMPT).order_by(ATTEMPT.c.probe_id, ATTEMPT.c.number)
        return list(connection.execute(query).all())


def answers(engine: Engine) -> list[Row[Any]]:
    with reading(engine) as connection:
        return list(connection.execute(select(ANSWER)).all())


def run_row(engine: Engine) -> Row[Any]:
    with reading(engine) as connection:
        return connection.execute(select(RUN)).one()
