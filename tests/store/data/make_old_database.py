"""How the stored old databases were made, by the code of commit 0461ad1 (schema 3)::

    git worktree add /tmp/old 0461ad1
    PYTHONPATH=/tmp/old/src python tests/store/data/make_old_database.py /tmp/old/old.db
    PYTHONPATH=/tmp/old/src python tests/store/data/make_old_database.py postgresql://user@127.0.0.1/old
    sqlite3 /tmp/old/old.db .dump | gzip -9n > tests/store/data/schema_3_sqlite.sql.gz
    pg_dump --inserts --no-owner --no-privileges postgresql://user@127.0.0.1/old |
        gzip -9n > tests/store/data/schema_3_postgresql.sql.gz

Run `tested` confirms two hypotheses and is finished; run `stopped` was killed: of its probes one failed, one
is malformed, one refused, one answered, two are held by a process that is gone, and the rest are pending.
"""

from __future__ import annotations

import asyncio
import sys

from sqlalchemy import Engine

from jevbias.catalogue.load import load_catalogue
from jevbias.drain.drain import drain
from jevbias.drain.options import DrainOptions
from jevbias.drivers.select import choose_driver, open_driver
from jevbias.mock.effects import load_effects
from jevbias.mock.model import MockModel
from jevbias.mock.serve import running_mock
from jevbias.plan.build import build_plan
from jevbias.plan.confirm import Hypothesis
from jevbias.plan.model import Plan
from jevbias.settings import Settings
from jevbias.store.connections import writing
from jevbias.store.engine import open_store
from jevbias.store.hypotheses import FrozenHypotheses, freeze
from jevbias.store.outcomes import ClaimedProbe, CompletedProbe, FinalStatus, SentAttempt, StoredAnswer
from jevbias.store.queue import ProbeQueue
from jevbias.store.run_status import mark_running
from jevbias.store.runs import create_run, find_run

BASE_URL = "http://127.0.0.1:8799"
GONE = "elsewhere@4026531836/7/12345"


def make(db: str) -> None:
    """Make both runs."""
    engine = open_store(db)
    catalogue = load_catalogue()
    plan = build_plan(catalogue, "smoke", catalogue.profiles["smoke"], seed=20260920)
    found = [
        Hypothesis("full/gender=woman", "down", 0.02, 0.05),
        Hypothesis("full/name_culture=west_african", "down", 0.02, 0.05),
    ]
    store(engine, plan, "tested", freeze(found, plan.plan_hash, "explored"))
    with running_mock(MockModel(catalogue, seed=2, effects=load_effects(None, catalogue))) as mock:
        settings = Settings(driver="jev", typesafe_base_url=mock.base_url)

        async def put() -> None:
            async with open_driver(choose_driver(settings), settings) as driver:
                await drain(engine, find_run(engine, "tested"), driver, DrainOptions(workers=1))

        asyncio.run(put())
    other = build_plan(catalogue, "smoke", catalogue.profiles["smoke"], seed=7)
    queue = ProbeQueue(store(engine, other, "stopped"), GONE)
    with writing(engine) as connection:
        mark_running(connection, queue.run_id, 1_790_000_000.0)
        claims = queue.claim(connection, 6)
        outcomes: tuple[FinalStatus, ...] = ("failed", "malformed", "refused", "answered")
        for claim, status in zip(claims, outcomes, strict=False):
            queue.complete(connection, ended(claim, status))


def store(engine: Engine, plan: Plan, name: str, hypotheses: FrozenHypotheses | None = None) -> int:
    """Store a plan as a run."""
    return create_run(
        engine,
        plan,
        name=name,
        driver="jev",
        model="jev-latest",
        base_url=BASE_URL,
        margin=0.02,
        alpha=0.05,
        settings={"workers": 1, "timeout": 30.0, "max_attempts": 3, "threshold": 0.5},
        hypotheses=hypotheses,
    )


def ended(claim: ClaimedProbe, status: FinalStatus) -> CompletedProbe:
    """A probe that ended so."""
    code = 422 if status == "failed" else 200
    sent = SentAttempt(1_790_000_001.0, 12.5, status, code, "ab" * 32, False, 100, 7, 0.25)
    if status != "answered":
        return CompletedProbe(claim.lease, status, sent, (), f"{status}_kind", "one line", b"{}")
    answers = tuple(StoredAnswer(key, "noul", 0.5, 0.5) for key in claim.ask.frame.questions)
    return CompletedProbe(claim.lease, status, sent, answers, None, None, b"{}", "jev-1.13.0", "req-1")


if __name__ == "__main__":
    make(sys.argv[1])
