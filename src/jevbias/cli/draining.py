"""Putting a run to its model: the price, the question whether to spend it, the drain and its summary."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

import typer

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from jevbias.cli.new_run import PlannedRun
    from jevbias.cli.spending import Pace
    from jevbias.drain.options import DrainOptions
    from jevbias.drain.summary import DrainSummary
    from jevbias.drivers.base import Driver
    from jevbias.drivers.pricing import TokenPrice
    from jevbias.drivers.select import DriverChoice
    from jevbias.drivers.spending import SpendingEstimate
    from jevbias.settings import Settings
    from jevbias.store.hypotheses import FrozenHypotheses
    from jevbias.store.tables import Run


@dataclass(frozen=True)
class Sending:
    """What a command line says about sending. `rate` is in requests a minute, `tokens_per_second` in input
    tokens, `max_cost` in US dollars; None where nothing was said. `yes`: no question is asked. `flags` is
    what the commands that are suggested need besides the run's name, such as ` --db other.db`.
    """

    rate: float | None = None
    tokens_per_second: float | None = None
    max_cost: float | None = None
    yes: bool = False
    flags: str = ""


def read_sending(
    rate: str | None, tokens_per_second: str | None, max_cost: float | None, *, yes: bool, flags: str
) -> Sending:
    """The options of a command that sends, checked. Raises UsageError for a rate or a limit that is none."""
    from jevbias.drain.options import DrainOptions, parse_rate, parse_token_rate

    sending = Sending(
        rate=None if rate is None else parse_rate(rate),
        tokens_per_second=None if tokens_per_second is None else parse_token_rate(tokens_per_second),
        max_cost=max_cost,
        yes=yes,
        flags=flags,
    )
    DrainOptions(rate=sending.rate, tokens_per_second=sending.tokens_per_second, max_cost=sending.max_cost)
    return sending


def pace_of(choice: DriverChoice, sending: Sending) -> Pace:
    """The limits that hold: those that were given, else what the provider's documents allow where the server
    is the provider's own.
    """
    from jevbias.cli.spending import Pace, may_cost

    theirs = choice.provider if may_cost(choice) else None
    return Pace(
        sending.rate or (theirs.requests_per_minute if theirs else None),
        sending.tokens_per_second or (theirs.tokens_per_second if theirs else None),
    )


def drain_options(
    settings: Settings, choice: DriverChoice, sending: Sending, call_cost: float | None = None
) -> DrainOptions:
    """How a run is to be drained. `call_cost` is what one call may cost in US dollars, None where no price is
    known. The embedded model costs nothing and has no limit.
    """
    from jevbias.drain.options import DrainOptions

    pace = pace_of(choice, sending)
    return DrainOptions(
        workers=settings.workers,
        max_attempts=settings.max_attempts,
        timeout=settings.timeout or choice.provider.timeout,
        rate=pace.rate,
        tokens_per_second=pace.tokens_per_second,
        max_cost=None if choice.provider.address is None else sending.max_cost,
        call_cost=call_cost,
    )


def look_up_price(choice: DriverChoice, settings: Settings) -> TokenPrice | None:
    """What the model's tokens cost: as the price table says, else as the provider's listing says now.

    Checks on the way that the model can take a run; raises UsageError where it cannot.
    """
    import asyncio

    from jevbias.drivers.model_check import check_model
    from jevbias.drivers.pricing import TokenPrice, find_price

    listed = asyncio.run(check_model(choice, settings))
    price = find_price(choice.prices, choice.name, choice.model)
    if price is None and listed is not None:
        sides = listed.input_price, listed.output_price
        if sides[0] is not None and sides[1] is not None:
            price = TokenPrice(sides[0], sides[1], f"{choice.base_url} lists it now")
    return price


def start_run(
    open_database: Callable[[], Engine],
    planned: PlannedRun,
    settings: Settings,
    sending: Sending,
    *,
    plan_only: bool,
    hypotheses: FrozenHypotheses | None = None,
    said: Sequence[str] = (),
) -> None:
    """Store a planned run and, unless it is only to be planned, put it to its model; see `put_to_model`.

    `said` are lines to say once it is stored. Raises UsageError before anything is stored where its model
    cannot take it, and where it would cost money and there is nobody to ask.
    """
    from jevbias.cli.console import say
    from jevbias.cli.new_run import store_new_run
    from jevbias.cli.spending import described_spending, need_consent
    from jevbias.store.next_commands import NextCommands

    choice = planned.choice
    if not plan_only:
        need_consent(choice, yes=sending.yes)
    price = look_up_price(choice, settings)
    spending = planned.spending(price)
    engine = open_database()
    stored = store_new_run(engine, planned, settings, hypotheses)
    first, *rest = described_spending(choice, spending, price, pace_of(choice, sending))
    for line in (*said, f"{planned.described}, {first}", *rest):
        say(line)
    if plan_only:
        say(f"planned; {NextCommands(stored.name, sending.flags, stored.kind).resume} puts it to the model")
        return
    put_to_model(engine, stored, settings, sending, chosen=choice, spending=spending)


def put_to_model(
    engine: Engine,
    run: Run,
    settings: Settings,
    sending: Sending,
    *,
    chosen: DriverChoice | None = None,
    spending: SpendingEstimate | None = None,
    opened: Callable[[], AbstractAsyncContextManager[Driver]] | None = None,
) -> NoReturn:
    """Send what is pending of a run once the user agrees, say how it went, and end the command with that exit
    code. `chosen` and `spending` are those of a run that was just planned: they have been said. `opened`
    opens the driver where it is none of those that settings name; then `chosen` stands for it.
    """
    from jevbias.cli.console import say
    from jevbias.cli.spending import confirm_spending, may_cost
    from jevbias.drain.drain import nothing_left
    from jevbias.drivers.select import open_driver
    from jevbias.store.next_commands import NextCommands

    commands = NextCommands(run.name, sending.flags, run.kind)
    summary = nothing_left(engine, run)
    if summary is not None:
        say(f"{run.name}: nothing left to send")
    else:
        choice = chosen or choose_again(run, settings)
        if spending is None and (may_cost(choice) or sending.max_cost is not None):
            spending = _spending_left(engine, run, choice, settings, sending)
        if spending is not None:
            confirm_spending(
                choice, spending, yes=sending.yes, go_on=commands.resume, max_cost=sending.max_cost
            )
        how = drain_options(settings, choice, sending, spending.dearest_call if spending else None)
        summary = _drain(engine, run, opened or (lambda: open_driver(choice, settings)), how)
    for line in summary.lines(sending.flags):
        say(line)
    if summary.exit_code == 0:
        say(f"{commands.analyse} says what came out")
    raise typer.Exit(summary.exit_code)


def choose_again(run: Run, settings: Settings) -> DriverChoice:
    """Whom a stored run asks, as it was planned."""
    from jevbias.catalogue.load import load_catalogue
    from jevbias.drivers.select import RequestModel, rechoose_driver

    return rechoose_driver(
        RequestModel(run.driver, run.model, run.settings.get("reasoning_effort")),
        run.base_url,
        settings,
        catalogue_prices=None if run.driver == "local" else load_catalogue(settings.catalogue).prices,
    )


def _spending_left(
    engine: Engine, run: Run, choice: DriverChoice, settings: Settings, sending: Sending
) -> SpendingEstimate:
    """What the rest of a run will take, said to the user where it costs money."""
    from jevbias.cli.console import say
    from jevbias.cli.spending import described_spending, may_cost, need_consent, spending_left

    need_consent(choice, yes=sending.yes)
    price = look_up_price(choice, settings)
    spending = spending_left(engine, run, choice, price)
    if may_cost(choice):
        first, *rest = described_spending(choice, spending, price, pace_of(choice, sending))
        calls = "1 call" if spending.calls == 1 else f"{spending.calls:,} calls"
        for line in (f"{run.name}: {calls} left, {first}", *rest):
            say(line)
    return spending


def _drain(
    engine: Engine,
    run: Run,
    opened: Callable[[], AbstractAsyncContextManager[Driver]],
    how: DrainOptions,
) -> DrainSummary:
    import asyncio
    import sys

    from jevbias.drain.drain import drain
    from jevbias.drain.progress import choose_view

    async def put() -> DrainSummary:
        async with opened() as driver:
            return await drain(engine, run, driver, how, choose_view(sys.stderr))

    return asyncio.run(put())
