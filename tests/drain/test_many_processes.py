"""Four processes of eight workers on one database: each probe is sent once, and nobody is locked out."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import Engine, select

from jevbias.catalogue.catalogue import Catalogue
from jevbias.drivers.select import render_body
from jevbias.mock.serve import running_mock
from jevbias.plan.build import build_plan
from jevbias.store.connections import reading
from jevbias.store.engine import open_store
from jevbias.store.progress import run_progress
from jevbias.store.runs import create_run
from jevbias.store.tables import PROBE
from tests.drain.commands import Command, wait_for
from tests.drain.held_model import HeldModel
from tests.mock.http import get
from tests.postgres.databases import Databases
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


def test_each_probe_is_sent_once_and_no_process_fails(db: str, catalogue: Catalogue, tmp_path: Path) -> None:
    profile = "standard" if PROBES <= 2_992 else "jev-latest-deep"
    whole = build_plan(catalogue, profile, catalogue.profiles[profile], seed=1)
    plan = replace(whole, probes=whole.probes[:PROBES])
    assert len(plan.probes) == PROBES
    planned = Counter(
        hashlib.sha256(render_body("jev", "jev-latest", plan.asks[probe.ask_hash])).hexdigest()
        for probe in plan.probes
    )
    model = HeldModel(catalogue, seed=2)
    with running_mock(model) as mock:
        engine = open_store(db)
        run_id = create_run(engine, plan, name="shared", **{**RUN_SETTINGS, "base_url": mock.base_url})
        settings = {
            "JEVBIAS_DB": db,
            "TYPESAFE_BASE_URL": mock.base_url,
            "JEVBIAS_WORKERS": str(WORKERS),
            "JEVBIAS_TIMEOUT": "300",
        }
        commands = [Command(tmp_path, "work", settings=settings) for _ in range(PROCESSES)]
        wait_for(lambda: len(holders(engine)) == PROCESSES)
        model.allow(10**9)
        codes = [command.ended(patience=600) for command in commands]
        ledger = get(mock, "/ledger").content
    said = [line for command in commands for line in command.said]
    assert codes == [0] * PROCESSES, said
    assert not any("lock" in line for line in said)
    assert Counter(row["sha256"] for row in ledger) == planned
    progress = run_progress(engine, run_id)
    assert progress.failures == {}
    assert (progress.status, progress.by_status["answered"]) == ("finished", PROBES)
    assert (progress.sends, progress.possible_sends) == (PROBES, 0)


def holders(engine: Engine) -> list[str]:
    """Who holds probes."""
    held = select(PROBE.c.lease_owner).where(PROBE.c.lease_owner.is_not(None)).distinct()
    with reading(engine) as connection:
        return list(connection.execute(held).scalars())
