"""What the rest of the program makes of probes that a batch holds."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from sqlalchemy import Engine

from jevbias.cli.status_view import progress_text
from jevbias.drain.batches.collection import collect_batches
from jevbias.drain.batches.context import BatchContext
from jevbias.drain.batches.submission import submit_pending
from jevbias.drain.drain import nothing_left
from jevbias.store.batches import BatchShare, batch_share
from jevbias.store.connections import reading, writing
from jevbias.store.owner import Owner
from jevbias.store.progress import run_progress
from jevbias.store.queue import ProbeQueue
from jevbias.store.reset import reset_probes
from jevbias.store.runs import delete_run, find_run
from jevbias.store.tables import Run
from tests.drain.batches.conftest import with_batches
from tests.drain.batches.looking import everything, set_back, stored
from tests.drain.batches.provider import Provider
from tests.drain.draining import drained, probes, run_row, statuses
from tests.drain.models import MemoryDriver

PlanBatched = Callable[..., Run]


@pytest.fixture
def half(engine: Engine, provider: Provider, plan_batched: PlanBatched) -> Run:
    """A run of ten probes of which the second half is in batches, and the first was pending all the time."""
    run = plan_batched(10)
    me = ProbeQueue(run.id or 0, str(Owner.current()))
    with writing(engine) as connection:
        claims = me.claim(connection, 5)

    async def do(context: BatchContext) -> object:
        return await submit_pending(context, size=500)

    with_batches(engine, run, provider.url, do)
    with writing(engine) as connection:
        me.release(connection, [claim.lease for claim in claims])
    return run


def test_a_drain_sends_what_is_pending_and_leaves_what_is_in_batches(
    engine: Engine, provider: Provider, half: Run
) -> None:
    driver = MemoryDriver()
    began = time.monotonic()
    summary = drained(engine, half, driver)
    assert time.monotonic() - began < 20, "it does not wait for batches"
    assert len(driver.bodies) == 5
    assert statuses(engine) == {"answered": 5, "running": 5}
    assert (summary.pending, summary.in_batches, summary.exit_code) == (0, 5, 1)
    said = "\n".join(summary.lines(" --db x.db"))
    assert "5 probes are in batches: `jevbias batch status --wait --run small --db x.db`" in said
    assert run_row(engine).status == "stopped"
    again = nothing_left(engine, find_run(engine, None))
    assert again is not None
    assert again.in_batches == 5
    assert drained(engine, half, driver).sent_now == 0
    provider.complete_all()
    with_batches(engine, half, provider.url, collect_batches)
    assert statuses(engine) == {"answered": 10}
    assert run_row(engine).status == "finished"
    with reading(engine) as connection:
        share = batch_share(connection, half.id or 0)
    assert share == BatchShare(alone=5, in_batches=5, batches=1)


def test_no_time_and_no_reset_takes_a_probe_from_a_batch(
    engine: Engine, provider: Provider, half: Run
) -> None:
    set_back(engine, 10**6)
    before = everything(engine)["attempt"]
    for force in (False, True):
        summary = reset_probes(engine, half.id or 0, failed=True, refused=True, force=force)
        assert (summary.returned, summary.still_held, summary.holders, summary.in_batches) == (0, 0, (), 5)
        assert any("5 probes in batches stay there" in line for line in summary.lines())
    queue = ProbeQueue(half.id or 0, str(Owner.current()))
    with writing(engine) as connection:
        assert queue.reclaim(connection) == 0
    assert statuses(engine) == {"pending": 5, "running": 5}
    assert everything(engine)["attempt"] == before


def test_the_status_of_a_run_counts_what_is_in_batches(engine: Engine, provider: Provider, half: Run) -> None:
    progress = run_progress(engine, half.id or 0)
    assert (progress.in_batches, progress.abandoned, progress.deserted, progress.left) == (5, 0, False, 10)
    assert (progress.sends, progress.possible_sends) == (0, 5), "what may be billed is not hidden"
    text = progress_text(progress).plain
    assert "5 of the running are in batches: `jevbias batch status --wait --run small`" in text
    assert "go on     `jevbias run --resume small`" in text
    drained(engine, half, MemoryDriver())
    assert "go on " not in progress_text(run_progress(engine, half.id or 0)).plain


def test_a_run_goes_with_its_batches(engine: Engine, provider: Provider, half: Run) -> None:
    assert len(stored(engine)) == 1
    delete_run(engine, "small")
    assert all(rows == [] for rows in everything(engine).values())


def test_a_probe_that_a_batch_gave_back_and_a_drain_answered_went_alone(
    engine: Engine, provider: Provider, half: Run
) -> None:
    for batch in provider.batches.values():
        batch.status = "failed"
    with_batches(engine, half, provider.url, collect_batches)
    drained(engine, half, MemoryDriver())
    assert statuses(engine) == {"answered": 10}
    with reading(engine) as connection:
        assert batch_share(connection, half.id or 0) == BatchShare(alone=10, in_batches=0, batches=0)
    assert {row.batch_id for row in probes(engine)} == {None}
