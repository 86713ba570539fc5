"""Running the test bench, and the report of a run from what is stored of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sqlalchemy import Engine

from jevbias.catalogue.models import Prices
from jevbias.drain.call_budget import CallBudget
from jevbias.drain.recorded_calls import RecordedCalls
from jevbias.drivers.base import Driver, Reply
from jevbias.drivers.paid import Paid, paid_of_reply
from jevbias.plan.model import Ask
from jevbias.report.testbench import TestbenchReport, TestbenchRun
from jevbias.store.bench_runs import begin_work, create_bench_run, end_work
from jevbias.store.calls import count_calls, list_calls, spent_on_calls
from jevbias.store.connections import reading
from jevbias.store.tables import Run
from jevbias.store.writer import StoreWriter
from jevbias.testbench.bench import Bench
from jevbias.testbench.concurrency import measure_concurrency
from jevbias.testbench.context import measure_context
from jevbias.testbench.determinism import measure_determinism
from jevbias.testbench.latency import measure_latency
from jevbias.testbench.options import CASES, OPTIONS, BenchOptions
from jevbias.testbench.replay import LedgerCalls, reading_driver
from jevbias.testbench.semantics import measure_semantics
from jevbias.testbench.semantics_asks import pack_asks, unpack_asks

KIND = "testbench"


def create_testbench_run(
    engine: Engine,
    options: BenchOptions,
    asks: Sequence[Ask],
    *,
    name: str,
    driver: str,
    model: str,
    base_url: str,
    seed: int,
    settings: Mapping[str, Any],
) -> Run:
    """Store a new run of the test bench with everything that it will ask. `asks` are the cases of the
    semantics part, `settings` whatever else belongs to the run. Raises UsageError for a name that is taken.
    """
    held = {**settings, OPTIONS: options.model_dump(mode="json"), CASES: pack_asks(asks)}
    return create_bench_run(
        engine,
        kind=KIND,
        name=name,
        driver=driver,
        model=model,
        base_url=base_url,
        seed=seed,
        settings=held,
        design="all" if len(options.parts) > 1 else options.parts[0],
    )


def bench_options(run: Run) -> BenchOptions:
    """What a run asks."""
    return BenchOptions.model_validate(run.settings[OPTIONS])


def bench_asks(run: Run) -> list[Ask]:
    """The cases of a run's semantics part."""
    return unpack_asks(run.settings[CASES])


async def run_testbench(
    engine: Engine,
    run: Run,
    driver: Driver,
    *,
    prices: Prices | None = None,
    max_cost: float | None = None,
    expected_cost: Callable[[bytes], float | None] = lambda _body: None,
    say: Callable[[str], None] = lambda _line: None,
) -> None:
    """Ask what is left of a run. What was answered before is not sent again.

    Raises ModelError where nothing can succeed, BudgetSpent where a call could pass `max_cost` (US dollars),
    UsageError where another process works on the run; what came until then is stored.
    """
    if run.id is None:
        raise ValueError("the run is not stored")
    begin_work(engine, run)
    try:
        with reading(engine) as connection:
            spent = spent_on_calls(connection, run.id)

        def meter(reply: Reply) -> Paid:
            return paid_of_reply(reply, driver.name, driver.model, prices)

        async with StoreWriter(engine) as writer:
            budget = CallBudget(max_cost, spent, expected_cost)
            calls = RecordedCalls(writer, run.id, meter=meter, budget=budget)
            await _measure(Bench(driver, calls, say=say), run)
    except BaseException as error:
        interrupted = isinstance(error, asyncio.CancelledError | KeyboardInterrupt)
        end_work(engine, run, stopped="interrupted" if interrupted else str(error) or type(error).__name__)
        raise
    end_work(engine, run)


def report_testbench(engine: Engine, run: Run) -> TestbenchReport:
    """The report of a run as far as it has come, from the store alone."""
    bench = Bench(reading_driver(run), LedgerCalls(engine, run.id or 0), live=False)
    parts = asyncio.run(_measure(bench, run))
    return TestbenchReport(run=_run_info(engine, run), **parts, notes=_unique(bench.notes))


async def _measure(bench: Bench, run: Run) -> dict[str, Any]:
    """Each part of a run, by its name in the report."""
    options = bench_options(run)
    measured: dict[str, Any] = {}
    for part in options.parts:
        match part:
            case "determinism":
                measured[part] = await measure_determinism(bench, options.determinism)
            case "latency":
                measured[part] = await measure_latency(bench, options.latency)
            case "context":
                measured[part] = await measure_context(bench, options.context)
            case "semantics":
                measured[part] = await measure_semantics(bench, options.semantics, bench_asks(run))
            case "concurrency":
                measured[part] = await measure_concurrency(bench, options.concurrency)
    return measured


def _run_info(engine: Engine, run: Run) -> TestbenchRun:
    with reading(engine) as connection:
        counts = count_calls(connection, run.id or 0)
        results = [call.result for call in list_calls(connection, run.id or 0) if call.result is not None]
    costs = [result.cost for result in results if result.cost is not None]
    return TestbenchRun(
        name=run.name,
        parts=list(bench_options(run).parts),
        driver=run.driver,
        model=run.model,
        models_answered=sorted({r.model_answered for r in results if r.model_answered is not None}),
        base_url=run.base_url,
        seed=run.seed,
        status=run.status,
        calls=counts.done,
        failed=counts.failed,
        sends=counts.sends,
        possibly_billed=counts.possibly_billed,
        input_tokens=_sum([result.input_tokens for result in results]),
        output_tokens=_sum([result.output_tokens for result in results]),
        cost=sum(costs) if costs else None,
        started_at=run.started_at,
        finished_at=run.finished_at,
        jevbias_version=run.jevbias_version,
    )


def _sum(counts: Sequence[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known else None


def _unique(notes: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(notes))
