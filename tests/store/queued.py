"""What the tests of the queue do to it and read from its tables."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Engine, Row, select

from jevbias.store.connections import reading, writing
from jevbias.store.outcomes import ClaimedProbe, Lease, Stored
from jevbias.store.queue import ProbeQueue
from jevbias.store.tables import ANSWER, ATTEMPT, PROBE
from tests.store.conftest import HandClock
from tests.store.small import completed


def claim(engine: Engine, queue: ProbeQueue, limit: int = 1) -> list[ClaimedProbe]:
    with writing(engine) as connection:
        return queue.claim(connection, limit)


def complete(engine: Engine, queue: ProbeQueue, lease: Lease, value: float = 0.5, **kwargs: Any) -> Stored:
    with writing(engine) as connection:
        return queue.complete(connection, completed(lease, value, **kwargs))


def probe(engine: Engine, probe_id: int) -> Row[Any]:
    with reading(engine) as connection:
        return connection.execute(select(PROBE).where(PROBE.c.id == probe_id)).one()


def attempts(engine: Engine, probe_id: int) -> list[tuple[int, str | None, bool]]:
    with reading(engine) as connection:
        query = select(ATTEMPT.c.number, ATTEMPT.c.outcome, ATTEMPT.c.possibly_billed)
        rows = connection.execute(query.where(ATTEMPT.c.probe_id == probe_id).order_by(ATTEMPT.c.number))
        return [(number, outcome, billed) for number, outcome, billed in rows]


def answers(engine: Engine, probe_id: int) -> dict[str, float]:
    with reading(engine) as connection:
        query = select(ANSWER.c.question, ANSWER.c.value).where(ANSWER.c.probe_id == probe_id)
        return {question: value for question, value in connection.execute(query)}


def lose_all_leases(engine: Engine, clock: HandClock, taker: ProbeQueue) -> int:
    clock.time += 1_000
    with writing(engine) as connection:
        return taker.reclaim(connection)
