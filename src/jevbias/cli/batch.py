"""`batch`: putting a run to a chat model in OpenRouter's batches, for about half the price."""

from __future__ import annotations

from typing import Annotated

import typer

from jevbias.cli import options
from jevbias.cli.batching import BatchedRun, agree, find_batched_run, open_batches, settle_submitting


def register(app: typer.Typer) -> None:
    """Add this family's commands."""
    family = typer.Typer(
        help="Ask in OpenRouter's batches: answers within a day, for about half the price.",
        no_args_is_help=True,
        rich_markup_mode=None,
    )
    for command in (submit, status, collect, adopt):
        family.command(command.__name__)(command)
    app.add_typer(family, name="batch")


def submit(
    run: options.RunName = None,
    again: Annotated[
        bool,
        typer.Option(
            "--again", help="Also what may have arrived before and cannot be found: it may be billed twice."
        ),
    ] = False,
    chunk: Annotated[int, typer.Option("--chunk", help="Requests in a batch, 1 to 5000.")] = 500,
    timeout: options.Timeout = None,
    yes: options.Yes = False,
    db: options.Database = None,
) -> None:
    """Hand a run's pending probes over in batches, each written down before it is sent."""
    import asyncio

    from jevbias.cli.console import say
    from jevbias.drain.batches.submission import submit_pending
    from jevbias.drivers.openrouter_batches import MOST_REQUESTS
    from jevbias.errors import UsageError

    if not 1 <= chunk <= MOST_REQUESTS:
        raise UsageError(f"--chunk: {chunk} is not allowed; give 1 to {MOST_REQUESTS:,}")
    batched = find_batched_run(run, db, timeout)
    choice = batched.choice()
    undecided = asyncio.run(settle_submitting(batched, choice, again=again))
    if batched.count_pending():
        agree(batched, choice, chunk=chunk, yes=yes)

        async def hand_over() -> None:
            async with open_batches(batched, choice) as context:
                summary = await submit_pending(context, size=chunk)
            if summary.failed:
                say(f"{summary.failed:,} probes failed, because {summary.errors[0]}")

        asyncio.run(hand_over())
        say(f"{batched.commands.await_batches} waits for them")
    else:
        say(f"{batched.run.name}: nothing is pending")
    if undecided:
        say(f"{undecided:,} probes are in batches that may not have arrived: {batched.commands.submit_again}")
        raise typer.Exit(1)


def status(
    run: options.RunName = None,
    wait: Annotated[
        bool,
        typer.Option(
            "--wait", help="Look again until every batch has ended, then collect; Ctrl-C loses nothing."
        ),
    ] = False,
    timeout: options.Timeout = None,
    db: options.Database = None,
    as_json: options.AsJson = False,
) -> None:
    """What has become of a run's batches, here and at the provider."""
    import asyncio
    import sys

    from jevbias.cli.batch_view import batch_lines, batches_json, next_step
    from jevbias.cli.console import print_json, say
    from jevbias.drain.batches.watching import SeenBatch, look_at_batches, wait_for_batches

    batched = find_batched_run(run, db, timeout)
    shown: list[str] = []

    def show(seen: list[SeenBatch]) -> None:
        lines = batch_lines(seen)
        for line in lines:
            if line not in shown:
                say(line)
        shown[:] = lines

    async def look() -> list[SeenBatch]:
        async with open_batches(batched, batched.choice()) as context:
            return await wait_for_batches(context, show) if wait else await look_at_batches(context)

    if batched.stored("submitting", "submitted"):
        seen = asyncio.run(look())
    else:
        seen = [SeenBatch(batch) for batch in batched.stored()]
    complete = not (wait and seen) or _collect(batched)
    if as_json:
        print_json(batches_json([SeenBatch(batch) for batch in batched.stored()] if wait else seen))
    elif not seen:
        say(f"{batched.run.name} has no batches; {batched.commands.submit_batches} makes some")
    else:
        if not shown:
            sys.stdout.write("\n".join(batch_lines(seen)) + "\n")
        step = next_step([one for one in seen if not (wait and one.is_ready)], batched.commands)
        if step:
            say(step)
    if not complete:
        raise typer.Exit(1)


def collect(
    run: options.RunName = None, timeout: options.Timeout = None, db: options.Database = None
) -> None:
    """Store what batches that have ended brought; what is missing goes back to the queue."""
    if not _collect(find_batched_run(run, db, timeout)):
        raise typer.Exit(1)


def adopt(
    provider_id: Annotated[str, typer.Argument(metavar="ID", help="The batch's id at the provider.")],
    run: options.RunName = None,
    timeout: options.Timeout = None,
    db: options.Database = None,
) -> None:
    """Take a batch at the provider for one of this database's, whose requests it must hold."""
    import asyncio

    from jevbias.cli.console import say
    from jevbias.drain.batches.adoption import adopt_batch
    from jevbias.store.batches import StoredBatch

    batched = find_batched_run(run, db, timeout)

    async def take() -> StoredBatch:
        async with open_batches(batched, batched.choice()) as context:
            return await adopt_batch(context, provider_id)

    batch = asyncio.run(take())
    say(f"{provider_id} is batch {batch.id}: {batch.requests:,} requests")
    say(f"{batched.commands.collect} stores the answers")


def _collect(batched: BatchedRun) -> bool:
    """Store what has ended and say what it was; whether nothing of the run is left to ask or to await."""
    import asyncio

    from jevbias.cli.batch_view import collection_lines
    from jevbias.cli.console import say
    from jevbias.drain.batches.collection import CollectionSummary, collect_batches
    from jevbias.drain.batches.watching import look_at_batches
    from jevbias.store.progress import run_progress

    commands = batched.commands

    async def gather() -> CollectionSummary:
        async with open_batches(batched, batched.choice()) as context:
            if batched.stored("submitting"):
                await look_at_batches(context)
            return await collect_batches(context)

    has_open = batched.stored("submitting", "submitted")
    summary = asyncio.run(gather()) if has_open else CollectionSummary()
    for line in collection_lines(summary):
        say(line)
    progress = run_progress(batched.engine, batched.run.id or 0)
    pending = progress.by_status["pending"]
    say(f"{progress.name}: {progress.by_status['answered']:,} of {progress.probes:,} probes answered")
    if progress.in_batches:
        say(f"{progress.in_batches:,} are in batches: {commands.await_batches}")
    if pending:
        say(f"{pending:,} are pending: {commands.submit_batches}, or one by one {commands.resume}")
    if not progress.left:
        say(f"{commands.analyse} says what came out")
    return not progress.left and not summary.unseen
