"""Draining a run: every pending probe is sent, answered and stored, or the reason why not is known."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from sqlalchemy import Engine

from jevbias.drain.admission import Admission
from jevbias.drain.budget import Budget
from jevbias.drain.context import DrainContext
from jevbias.drain.feed import Feed
from jevbias.drain.halt import Halt, interrupts
from jevbias.drain.keeper import LeaseKeeper
from jevbias.drain.options import DrainOptions
from jevbias.drain.progress import ProgressView, SilentView
from jevbias.drain.settlement import Settlement, clock_time
from jevbias.drain.summary import DrainSummary
from jevbias.drain.tally import Tally
from jevbias.drain.worker import work
from jevbias.drivers.base import Driver
from jevbias.errors import DatabaseError, DatabaseLostError
from jevbias.store.connections import writing
from jevbias.store.owner import Owner
from jevbias.store.progress import RunProgress, run_progress
from jevbias.store.queue import ProbeQueue
from jevbias.store.run_status import mark_ended, mark_running
from jevbias.store.same_file import saved_elsewhere
from jevbias.store.spent import spent_on
from jevbias.store.tables import Run
from jevbias.store.writer import StoreWriter

ProgressNow = Callable[[], Coroutine[Any, Any, RunProgress]]

_TICK = 0.2
_LOOK_AT_DATABASE = 10.0
_LOOK_AT_FILE = 2.0
_GRACE = 10.0
"""Seconds beyond the timeout that a stop waits for answers on their way."""


async def drain(
    engine: Engine, run: Run, driver: Driver, options: DrainOptions, progress: ProgressView | None = None
) -> DrainSummary:
    """Send what is pending of a run and store what comes back.

    Returns when no probe is left, when going on makes no sense, or when the user interrupts; the summary says
    which. Several processes may drain one run at once; then each returns when none has anything left.
    Nothing is sent twice except what an interruption left unknown. The driver stays open.

    Raises DatabaseError when the database fails; whatever was stored before stays.
    """
    if run.id is None:
        raise ValueError("the run is not stored")
    view = progress or SilentView()
    halt = Halt()
    tally = Tally.begin(await asyncio.to_thread(run_progress, engine, run.id))
    queue = ProbeQueue(run.id, str(Owner.current()), options.lease_seconds)
    progress_now = partial(asyncio.to_thread, run_progress, engine, run.id)
    view.start(tally.state())
    try:
        async with StoreWriter(engine) as writer:
            context = DrainContext(
                queue=queue,
                writer=writer,
                keeper=LeaseKeeper(queue, writer),
                driver=driver,
                options=options,
                halt=halt,
                tally=tally,
                view=view,
                budget=Budget(
                    options.max_cost,
                    partial(writer.call, spent_on, queue.run_id),
                    halt,
                    expected=options.call_cost,
                ),
                admission=Admission(options, halt, driver.base_url),
            )
            with interrupts(halt, view.note):
                stopped = await _drain(context, progress_now)
        if isinstance(halt.error, DatabaseLostError) and writer.rescued is not None:
            raise saved_elsewhere(halt.error, writer.rescued)
        if halt.error is not None:
            raise halt.error
        after = await tally.refresh(progress_now())
    finally:
        view.stop(tally.state())
    return DrainSummary.of(
        after,
        seconds=tally.seconds,
        sent_now=tally.sent,
        stopped=stopped,
        interrupted=halt.interrupted,
    )


def nothing_left(engine: Engine, run: Run) -> DrainSummary | None:
    """The summary of a run of which every probe has ended or is in a batch; None where something is left to
    send.

    A run whose last worker was killed before it could say so is marked as finished.
    """
    if run.id is None:
        raise ValueError("the run is not stored")
    progress = run_progress(engine, run.id)
    if progress.left > progress.in_batches:
        return None
    if not progress.left and run.status != "finished":
        with writing(engine) as connection:
            mark_ended(connection, run.id, time.time(), str(Owner.current()))
    return DrainSummary.of(progress, seconds=0.0, sent_now=0, stopped=None, interrupted=False)


async def _drain(context: DrainContext, progress_now: ProgressNow) -> str | None:
    """Drain; returns in one line why it stopped before the run's end, if it did."""
    queue, writer = context.queue, context.writer
    feed = Feed(context)
    outlook = await writer.call(queue.outlook)
    if not outlook.is_over:
        await writer.call(mark_running, queue.run_id, queue.clock.now())
        settlement = Settlement(context)
        steps = [feed.run(), *(work(context, feed, settlement) for _ in range(context.options.workers))]
        jobs = [asyncio.create_task(_guarded(context.halt, step)) for step in steps]
        renewal = asyncio.create_task(_guarded(context.halt, context.keeper.run()))
        watch = asyncio.create_task(_guarded(context.halt, _watch(writer)))
        display = asyncio.create_task(_show(context, progress_now))
        try:
            await _until_done(jobs, context.halt, context.options.timeout + _GRACE)
        finally:
            await _cancel([*jobs, renewal, watch, display])
    stopped = context.halt.reason
    if stopped is None and feed.parked_until is not None and not context.halt.interrupted:
        stopped = f"what is left is parked until {clock_time(feed.parked_until)}, as the server asked"
    reason = stopped or context.halt.described
    try:
        await writer.call(mark_ended, queue.run_id, queue.clock.now(), queue.owner, reason)
    except DatabaseError as error:
        context.halt.fail(error)
    return stopped


async def _guarded(halt: Halt, job: Coroutine[Any, Any, None]) -> None:
    """Run a job whose failure stops the whole drain."""
    try:
        await job
    except Exception as error:
        halt.fail(error)


async def _until_done(jobs: Sequence[asyncio.Task[None]], halt: Halt, patience: float) -> None:
    """Wait for the jobs; once the drain is to stop, for no longer than `patience` seconds."""
    done = asyncio.ensure_future(asyncio.wait(jobs))
    requested = asyncio.ensure_future(halt.requested.wait())
    at_once = asyncio.ensure_future(halt.at_once.wait())
    try:
        await asyncio.wait({done, requested}, return_when=asyncio.FIRST_COMPLETED)
        await asyncio.wait({done, at_once}, timeout=patience, return_when=asyncio.FIRST_COMPLETED)
    finally:
        await _cancel([done, requested, at_once])


async def _cancel(jobs: Sequence[asyncio.Future[Any]]) -> None:
    for job in jobs:
        job.cancel()
    await asyncio.gather(*jobs, return_exceptions=True)


async def _watch(writer: StoreWriter) -> None:
    """Notice soon that nothing can be stored any more, also while no answer comes: each costs money."""
    while True:
        await asyncio.sleep(_LOOK_AT_FILE)
        await writer.check()


async def _show(context: DrainContext, progress_now: ProgressNow) -> None:
    """Keep the view moving, and look at the database now and then: other processes may be at work too."""
    looked = time.monotonic()
    while True:
        await asyncio.sleep(_TICK)
        context.view.update(replace(context.tally.state(), held=context.admission.held))
        if time.monotonic() - looked > _LOOK_AT_DATABASE and not context.halt.requested.is_set():
            with suppress(DatabaseError):
                await context.tally.refresh(progress_now())
            looked = time.monotonic()
