"""What the commands for batches have in common: the run, its provider, the question of money."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from jevbias.drain.batches.context import BatchContext
    from jevbias.drivers.select import DriverChoice
    from jevbias.settings import Settings
    from jevbias.store.batches import StoredBatch
    from jevbias.store.next_commands import NextCommands
    from jevbias.store.tables import Run

BATCHED = "openrouter"
"""The one driver whose provider takes batches."""
PRICE_SHARE = 0.5
"""Of the price, what is charged for answers in batches."""


@dataclass(frozen=True)
class BatchedRun:
    """A stored run whose driver knows batches, and the database that it is in."""

    engine: Engine
    run: Run
    settings: Settings
    commands: NextCommands

    def choice(self) -> DriverChoice:
        """Whom the run asks. Raises UsageError where the settings name another server, or lack a key."""
        from jevbias.cli.draining import choose_again

        return choose_again(self.run, self.settings)

    def stored(self, *statuses: str) -> list[StoredBatch]:
        """The run's batches as the database has them; only those of these statuses where any are given."""
        from jevbias.store.batches import batches_of
        from jevbias.store.connections import reading

        with reading(self.engine) as connection:
            return batches_of(connection, self.run.id or 0, *statuses)

    def count_pending(self) -> int:
        """How many probes wait to be sent."""
        from jevbias.store.progress import run_progress

        return run_progress(self.engine, self.run.id or 0).by_status["pending"]


def find_batched_run(name: str | None, db: str | None, timeout: float | None) -> BatchedRun:
    """Open the database and find the run. Raises UsageError where there is none, or its driver knows no
    batches.
    """
    from jevbias.cli import options
    from jevbias.errors import UsageError
    from jevbias.settings import load_settings
    from jevbias.store.engine import open_store
    from jevbias.store.next_commands import NextCommands
    from jevbias.store.runs import find_run

    settings = load_settings(db=db, timeout=timeout)
    engine = open_store(settings.db, create=False)
    run = find_run(engine, name)
    if run.driver != BATCHED:
        why = f"batches are for --driver {BATCHED}"
        if run.driver == "openrouter-decisions":
            why = f"decisions cannot be batched; chat models can, with --driver {BATCHED}"
        raise UsageError(f"run {run.name} asks with --driver {run.driver}: {why}")
    return BatchedRun(engine, run, settings, NextCommands(run.name, options.database_flag(db), run.kind))


@asynccontextmanager
async def open_batches(batched: BatchedRun, choice: DriverChoice) -> AsyncIterator[BatchContext]:
    """Open the provider of a run's batches.

    Raises UsageError for a key, an address or a proxy that cannot be used.
    """
    from jevbias.cli.console import say
    from jevbias.drain.batches.context import BatchContext
    from jevbias.drivers.access import key_of
    from jevbias.drivers.http import HttpTransport
    from jevbias.drivers.openrouter_batches import LARGEST_REPLY, OpenRouterBatches
    from jevbias.drivers.select import open_driver

    run, settings = batched.run, batched.settings
    transport = HttpTransport(
        choice.base_url,
        key=key_of(choice.provider, settings),
        timeout=settings.timeout or choice.provider.timeout,
        connections=2,
        largest_reply=LARGEST_REPLY,
    )
    client = OpenRouterBatches(transport, choice.model)
    try:
        # The price table knows no batches: where the provider does not say what a reply cost, nobody does.
        async with open_driver(replace(choice, prices=None), settings) as driver:
            yield BatchContext(batched.engine, run.id or 0, run.seed, driver, client, say)
    finally:
        await client.aclose()


def agree(batched: BatchedRun, choice: DriverChoice, *, chunk: int, yes: bool) -> None:
    """Say what the pending probes will cost in batches, and ask where that is money.

    Raises UsageError where the model is known to take no batches, or where there is nobody to ask.
    """
    import asyncio

    from jevbias.cli.console import say
    from jevbias.cli.draining import look_up_price
    from jevbias.cli.spending import (
        Pace,
        confirm_spending,
        described_spending,
        may_cost,
        need_consent,
        spending_left,
    )
    from jevbias.drivers.model_check import check_model
    from jevbias.errors import UsageError

    need_consent(choice, yes=yes)
    listed = asyncio.run(check_model(choice, batched.settings))
    if listed is not None and listed.batches is False:
        raise UsageError(
            f"{choice.model} takes no batches; `jevbias doctor --driver {choice.name} --models` lists models "
            "that do"
        )
    if not may_cost(choice):
        return
    price = look_up_price(choice, batched.settings)
    spending = spending_left(batched.engine, batched.run, choice, price, share=PRICE_SHARE)
    for line in described_spending(choice, spending, price, Pace()):
        say(line)
    how = f" in batches of up to {chunk:,}"
    confirm_spending(choice, spending, yes=yes, go_on=batched.commands.submit_batches, how=how)


async def settle_submitting(batched: BatchedRun, choice: DriverChoice, *, again: bool) -> int:
    """Look for what was submitted before and may have arrived; with `again`, give up what is not found. How
    many probes are in batches that nobody knows more of.

    Raises ModelError where the provider cannot be asked, UsageError where a submission may still be on its
    way.
    """
    from jevbias.cli.console import say
    from jevbias.drain.batches.adoption import give_up, lost_batches
    from jevbias.drain.batches.matching import match_submitting

    if not batched.stored("submitting", *(["submitted"] if again else [])):
        return 0
    async with open_batches(batched, choice) as context:
        matched = await match_submitting(context)
        for batch in matched.found:
            say(f"batch {batch.id} had arrived")
        lost = await lost_batches(context) if again else []
        unknown = [one.batch for one in matched.undecided]
        if not again:
            for batch in unknown:
                say(f"batch {batch.id}: whether its {batch.requests:,} requests arrived is not known")
            return sum(batch.requests for batch in unknown)
        for batch in [*unknown, *lost]:
            returned = give_up(context, batch)
            say(f"batch {batch.id} is given up: its {returned:,} requests may be billed twice")
        return 0
