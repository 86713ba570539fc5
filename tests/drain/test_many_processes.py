"""Four processes of eight workers on one database: each probe is sent once, and nobody is locked out."""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from jevbias.catalogue.catalogue import Catalogue
from jevbias.drain.drain import drain
from jevbias.drivers.select import RequestModel, open_driver, rechoose_driver, render_body
from jevbias.mock.model import MockModel
from jevbias.mock.serve import running_mock
from jevbias.plan.build import build_plan
from jevbias.settings import Settings
from jevbias.store.engine import open_store
from jevbias.store.progress import run_progress
from jevbias.store.runs import create_run, find_run
from tests.drain.draining import options
from tests.postgres.databases import Databases
from tests.store.processes import Child
from tests.store.small import RUN_SETTINGS

PROBES = int(os.environ.get("JEVBIAS_TEST_PROBES", "600"))
"""The whole proof takes 5,000."""
PROCESSES, WORKERS = 4, 8


@pytest.fixture(params=["sqlite", "postgresql"])
def db(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return str(tmp_path / "jevbias.db")
    postgres: Databases = request.getfixturevalue("postgres")
    return postgres.empty()


def drain_when_told(pipe: Any, db: str, base_url: str) -> tuple[int, str | None]:
    engine = open_store(db, create=False)
    run = find_run(engine, "shared")
    settings = Settings(typesafe_base_url=base_url)

    async def put() -> tuple[int, str | None]:
        choice = rechoose_driver(RequestModel(run.driver, run.model), run.base_url, settings)
        async with open_driver(choice, settings) as driver:
            summary = await drain(engine, run, driver, options(workers=WORKERS, timeout=60.0))
            return summary.sent_now, summary.stopped

    pipe.send("ready")
    pipe.recv()
    return asyncio.run(put())


def test_each_probe_is_sent_once_and_no_process_fails(db: str, catalogue: Catalogue) -> None:
    profile = "standard" if PROBES <= 2_992 else "jev-latest-deep"
    whole = build_plan(catalogue, profile, catalogue.profiles[profile], seed=1)
    plan = replace(whole, probes=whole.probes[:PROBES])
    assert len(plan.probes) == PROBES
    planned = Counter(
        hashlib.sha256(render_body("jev", "jev-latest", plan.asks[probe.ask_hash])).hexdigest()
        for probe in plan.probes
    )
    with running_mock(MockModel(catalogue, seed=2)) as mock:
        engine = open_store(db)
        run_id = create_run(engine, plan, name="shared", **{**RUN_SETTINGS, "base_url": mock.base_url})
        children = [Child(drain_when_told, db, mock.base_url) for _ in range(PROCESSES)]
        assert [child.wait_for_line() for child in children] == ["ready"] * PROCESSES
        for child in children:
            child.tell("go")
        ended = [child.result(patience=600) for child in children]
        ledger = httpx.get(f"{mock.base_url}/ledger", timeout=60).json()
    assert Counter(row["sha256"] for row in ledger) == planned
    progress = run_progress(engine, run_id)
    assert progress.failures == {}
    assert (progress.status, progress.by_status["answered"]) == ("finished", PROBES)
    assert (progress.sends, progress.possible_sends) == (PROBES, 0)
    assert [stopped for _, stopped in ended] == [None] * PROCESSES
    assert all(sent for sent, _ in ended)
    assert sum(sent for sent, _ in ended) == PROBES
