"""Starting a run of the test bench, going on with one, and showing what it found."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from pydantic import ValidationError
from sqlalchemy import Engine

from jevbias.catalogue.catalogue import Catalogue
from jevbias.catalogue.load import load_catalogue
from jevbias.catalogue.lookup import USUAL_SCENARIO, default_scenario
from jevbias.cli.console import say
from jevbias.cli.draining import Sending, choose_again, look_up_price, pace_of
from jevbias.cli.spending import confirm_spending, described_spending, need_consent
from jevbias.cli.written import Written
from jevbias.drivers.pricing import TokenPrice
from jevbias.drivers.select import DriverChoice, choose_driver, open_driver
from jevbias.drivers.spending import SpendingEstimate, estimate_spending
from jevbias.errors import Interrupted, JevbiasError, UsageError
from jevbias.plan.estimate import tokens_of
from jevbias.plan.model import Ask
from jevbias.publish.testbench_page import render_testbench
from jevbias.publish.testbench_terminal import testbench_text
from jevbias.settings import Settings
from jevbias.store.engine import open_store, open_store_to_read
from jevbias.store.next_commands import NextCommands
from jevbias.store.planning import check_run_name, free_name
from jevbias.store.runs import find_run
from jevbias.store.tables import Run
from jevbias.testbench.estimate import calls_to_make
from jevbias.testbench.options import BenchOptions
from jevbias.testbench.run import (
    KIND,
    bench_asks,
    bench_options,
    create_testbench_run,
    report_testbench,
    run_testbench,
)
from jevbias.testbench.semantics_asks import scenario_asks

_LISTS = ("words", "bursts")
_FLAGS = {("latency", "repeats"): "calls", ("concurrency", "repeats"): "each"}
"""Options that are called otherwise on the command line."""
_SUCH_AS = "testbench.json"
_ANSWER_TOKENS = 400
"""Output tokens that room is kept for, for each call under --max-cost."""


def read_numbers(text: str, flag: str) -> tuple[int, ...]:
    """`1,5,10` as numbers. Raises UsageError."""
    parts = [part for part in text.replace(",", " ").split() if part]
    if not parts or not all(part.isdecimal() and len(part) < 10 for part in parts):
        raise UsageError(f"{flag}: '{text[:40]}' is not a list of whole numbers, such as 1,5,10")
    return tuple(dict.fromkeys(int(part) for part in parts))


def check_options(wanted: Mapping[str, Mapping[str, object]]) -> BenchOptions:
    """The options of a run, by part; what is None has its default. Raises UsageError in one line for one that
    is out of its range.
    """
    given: dict[str, object] = {"parts": tuple(wanted)}
    for part, stated in wanted.items():
        given[part] = {
            key: read_numbers(value, flag_of(part, key))
            if key in _LISTS and isinstance(value, str)
            else value
            for key, value in stated.items()
            if value is not None
        }
    try:
        return BenchOptions.model_validate(given)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        part, key = (str(step) for step in first["loc"][:2])
        raise UsageError(f"{flag_of(part, key)}: {first['input']} is not allowed: {first['msg']}") from None


def flag_of(part: str, key: str) -> str:
    """How an option of a part is called on the command line."""
    return f"--{_FLAGS.get((part, key), key.replace('_', '-'))}"


def _with_scenario(wanted: BenchOptions, catalogue: Catalogue) -> BenchOptions:
    if wanted.semantics.scenario != USUAL_SCENARIO:
        return wanted
    semantics = wanted.semantics.model_copy(update={"scenario": default_scenario(catalogue.scenarios)})
    return wanted.model_copy(update={"semantics": semantics})


def start_bench(
    wanted: BenchOptions, name: str | None, settings: Settings, sending: Sending, written: Written
) -> None:
    """Store a new run, put it to its server once the user agrees, and show what came out.

    Raises UsageError before anything is stored, and what `run_testbench` raises.
    """
    written.check(_SUCH_AS)
    if name is not None:
        check_run_name(name)
    catalogue = load_catalogue(settings.catalogue)
    choice = choose_driver(settings, catalogue_prices=catalogue.prices)
    asks: list[Ask] = []
    if "semantics" in wanted.parts:
        wanted = _with_scenario(wanted, catalogue)
        asks = scenario_asks(catalogue, wanted.semantics.scenario, wanted.semantics.cases, settings.seed)
    if choice.note:
        say(choice.note)
    need_consent(choice, yes=sending.yes)
    price = look_up_price(choice, settings)
    spending = estimate_spending(calls_to_make(wanted, asks), choice, price)
    engine = open_store(settings.db)
    design = "all" if len(wanted.parts) > 1 else wanted.parts[0]
    run = create_testbench_run(
        engine,
        wanted,
        asks,
        name=name or free_name(engine, f"{choice.model}-{KIND}-{design}", KIND),
        driver=choice.name,
        model=choice.model,
        base_url=choice.base_url,
        seed=settings.seed,
        settings={"timeout": settings.timeout, "reasoning_effort": choice.reasoning_effort},
    )
    _describe(run, choice, spending, price, sending)
    _put(engine, run, choice, settings, sending, spending, price)
    show_report(engine, run.name, written)


def resume_bench(name: str, settings: Settings, sending: Sending, written: Written) -> None:
    """Go on with a run: only what is missing is sent. Raises UsageError where it is none."""
    written.check(_SUCH_AS)
    engine = open_store(settings.db, create=False)
    run = find_run(engine, name, KIND)
    if run.status == "finished":
        say(f"{run.name}: nothing left to send")
    else:
        choice = choose_again(run, settings)
        need_consent(choice, yes=sending.yes)
        price = look_up_price(choice, settings)
        spending = estimate_spending(calls_to_make(bench_options(run), bench_asks(run)), choice, price)
        _describe(run, choice, spending, price, sending)
        _put(engine, run, choice, settings, sending, spending, price)
    show_report(engine, run.name, written)


def show_stored(name: str | None, settings: Settings, written: Written) -> None:
    """Show what a run found so far. Raises UsageError where it is none."""
    written.check(_SUCH_AS)
    show_report(open_store_to_read(settings.db), name, written)


def show_report(engine: Engine, name: str | None, written: Written) -> None:
    """Print the report of a run, and write it where it is wanted."""
    found = report_testbench(engine, find_run(engine, name, KIND))
    written.write(found, testbench_text, render_testbench)


def _describe(
    run: Run, choice: DriverChoice, spending: SpendingEstimate, price: TokenPrice | None, sending: Sending
) -> None:
    parts = ", ".join(bench_options(run).parts)
    first, *rest = described_spending(choice, spending, price, pace_of(choice, sending))
    most = "at most " if "context" in bench_options(run).parts else ""
    say(
        f"{run.name}: {parts}: {most}{spending.calls:,} calls to {choice.model} at {choice.base_url}, {first}"
    )
    for line in rest:
        say(line)


def _put(
    engine: Engine,
    run: Run,
    choice: DriverChoice,
    settings: Settings,
    sending: Sending,
    spending: SpendingEstimate,
    price: TokenPrice | None,
) -> None:
    go_on = NextCommands(run.name, sending.flags, KIND).resume
    confirm_spending(choice, spending, yes=sending.yes, go_on=go_on, max_cost=sending.max_cost)
    wide = settings.model_copy(update={"workers": bench_options(run).connections})

    def expected(body: bytes) -> float | None:
        return None if price is None else price.cost(tokens_of(len(body)).high, _ANSWER_TOKENS)

    async def put() -> None:
        async with open_driver(choice, wide) as driver:
            await run_testbench(
                engine,
                run,
                driver,
                prices=choice.prices,
                max_cost=None if choice.provider.address is None else sending.max_cost,
                expected_cost=expected,
                say=say,
            )

    try:
        asyncio.run(put())
    except KeyboardInterrupt:
        raise Interrupted(f"{run.name}: stopped; what was answered is stored; {go_on} goes on") from None
    except JevbiasError:
        say(f"{run.name}: what was answered is stored; {go_on} goes on")
        raise
