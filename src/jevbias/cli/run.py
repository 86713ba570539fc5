"""`run`, `work`, `status` and `reset`: planning a run, putting it to a model, and looking after it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from jevbias.cli import options

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from jevbias.drain.options import DrainOptions
    from jevbias.settings import Settings
    from jevbias.store.tables import Run

Workers = Annotated[
    int | None,
    typer.Option(
        "--workers", help="Calls in flight at once [env: JEVBIAS_WORKERS; default: 8].", show_default=False
    ),
]
Timeout = Annotated[
    float | None,
    typer.Option("--timeout", help="Seconds a call may take [env: JEVBIAS_TIMEOUT].", show_default=False),
]
Attempts = Annotated[
    int | None,
    typer.Option(
        "--max-attempts",
        help="Sends a probe may have [env: JEVBIAS_MAX_ATTEMPTS; default: 3].",
        show_default=False,
    ),
]
Rate = Annotated[
    float | None, typer.Option("--rate", help="At most so many calls a minute.", show_default=False)
]


def register(app: typer.Typer) -> None:
    """Add this family's commands."""
    app.command("run")(run)
    app.command("work")(work)
    app.command("status")(status)
    app.command("reset")(reset)


def run(
    profile: Annotated[
        str | None,
        typer.Option(
            "--profile", help="How much to ask; see `jevbias design` [default: smoke].", show_default=False
        ),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option("--name", help="The run's name [default: <model>-<profile>].", show_default=False),
    ] = None,
    resume: Annotated[
        str | None,
        typer.Option("--resume", metavar="NAME", help="Go on with this run; only what is missing is sent."),
    ] = None,
    plan_only: Annotated[
        bool, typer.Option("--plan-only", help="Plan and store the run, send nothing.")
    ] = False,
    scenarios: Annotated[
        str | None,
        typer.Option(
            "--scenarios", metavar="A,B", help="Only these scenarios of the profile.", show_default=False
        ),
    ] = None,
    swept: Annotated[
        str | None,
        typer.Option(
            "--swept", metavar="A,B", help="Only these attributes of the profile.", show_default=False
        ),
    ] = None,
    bases: Annotated[
        int | None,
        typer.Option("--bases", help="So many anchors instead of the profile's.", show_default=False),
    ] = None,
    anchor_reference: Annotated[
        bool,
        typer.Option(
            "--anchor-reference", help="Put attributes that are not swept at their reference, undrawn."
        ),
    ] = False,
    margin: Annotated[
        float | None,
        typer.Option(
            "--margin",
            help="The smallest difference that matters [env: JEVBIAS_MARGIN; default: 0.02].",
            show_default=False,
        ),
    ] = None,
    seed: options.Seed = None,
    driver: options.DriverName = None,
    model: options.ModelName = None,
    workers: Workers = None,
    timeout: Timeout = None,
    max_attempts: Attempts = None,
    rate: Rate = None,
    catalogue: options.CatalogueFolder = None,
    db: options.Database = None,
) -> None:
    """Plan a run and put it to a model; Ctrl-C stops it, --resume goes on."""
    from jevbias.cli.console import say
    from jevbias.cli.new_run import NewRun, plan_new_run, store_new_run
    from jevbias.errors import UsageError
    from jevbias.plan.narrow import Narrowing
    from jevbias.settings import load_settings
    from jevbias.store.engine import open_store
    from jevbias.store.runs import find_run

    settings = load_settings(
        seed=seed,
        driver=driver,
        model=model,
        workers=workers,
        timeout=timeout,
        max_attempts=max_attempts,
        margin=margin,
        catalogue=catalogue,
        db=db,
    )
    drain_options = _drain_options(settings, rate)
    if resume is not None:
        planning = {
            "--profile": profile,
            "--name": name,
            "--plan-only": plan_only or None,
            "--scenarios": scenarios,
            "--swept": swept,
            "--bases": bases,
            "--anchor-reference": anchor_reference or None,
            "--margin": margin,
            "--seed": seed,
            "--driver": driver,
            "--model": model,
        }
        given = [flag for flag, value in planning.items() if value is not None]
        if given:
            raise UsageError(f"--resume takes the run as it was planned: leave out {', '.join(given)}")
        engine = open_store(settings.db, create=False)
        _put_to_model(engine, find_run(engine, resume), settings, drain_options)
        return
    wanted = NewRun(
        profile=profile or "smoke",
        name=name,
        narrowing=Narrowing(
            scenarios=options.split_names(scenarios),
            swept=options.split_names(swept),
            bases=bases,
            anchor_reference=anchor_reference,
        ),
    )
    planned = plan_new_run(wanted, settings)
    if planned.choice.note:
        say(planned.choice.note)
    engine = open_store(settings.db)
    stored = store_new_run(engine, planned, settings)
    say(planned.described)
    if plan_only:
        say(f"planned; `jevbias run --resume {stored.name}` puts it to the model")
        return
    _put_to_model(engine, stored, settings, drain_options)


def work(
    run: options.RunName = None,
    workers: Workers = None,
    timeout: Timeout = None,
    max_attempts: Attempts = None,
    rate: Rate = None,
    db: options.Database = None,
) -> None:
    """Join a planned run from one more process, on this or another machine."""
    from jevbias.settings import load_settings
    from jevbias.store.engine import open_store
    from jevbias.store.runs import find_run

    settings = load_settings(workers=workers, timeout=timeout, max_attempts=max_attempts, db=db)
    engine = open_store(settings.db, create=False)
    _put_to_model(engine, find_run(engine, run), settings, _drain_options(settings, rate))


def status(
    run: options.RunName = None,
    watch: Annotated[
        bool, typer.Option("--watch", help="Look again every two seconds until it is over.")
    ] = False,
    db: options.Database = None,
    as_json: options.AsJson = False,
) -> None:
    """How far a run is: probes, sends (known and possible), tokens, cost, failures by kind."""
    import time

    from jevbias.cli.console import print_json, stdout_console
    from jevbias.cli.status_view import progress_json, progress_text
    from jevbias.settings import load_settings
    from jevbias.store.engine import open_store
    from jevbias.store.progress import run_progress
    from jevbias.store.runs import find_run

    engine = open_store(load_settings(db=db).db, create=False)
    found = find_run(engine, run)
    console = stdout_console()
    while True:
        progress = run_progress(engine, found.id or 0)
        if as_json:
            print_json(progress_json(progress))
        else:
            console.print(progress_text(progress), markup=False, highlight=False)
        if not watch or progress.left == 0:
            return
        time.sleep(2)


def reset(
    run: options.RunName = None,
    failed: Annotated[
        bool, typer.Option("--failed", help="Failed probes too, with all their attempts.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Also what a living process holds: it may be sent twice.")
    ] = False,
    db: options.Database = None,
) -> None:
    """Return abandoned probes to the queue (their worker is gone), or failed ones."""
    from jevbias.cli.console import say
    from jevbias.settings import load_settings
    from jevbias.store.engine import open_store
    from jevbias.store.reset import reset_probes
    from jevbias.store.runs import find_run

    engine = open_store(load_settings(db=db).db, create=False)
    found = find_run(engine, run)
    for line in reset_probes(engine, found.id or 0, failed=failed, force=force).lines():
        say(f"{found.name}: {line}")


def _drain_options(settings: Settings, rate: float | None) -> DrainOptions:
    from jevbias.drain.options import DrainOptions
    from jevbias.drivers.select import DEFAULT_TIMEOUT

    return DrainOptions(
        workers=settings.workers,
        max_attempts=settings.max_attempts,
        timeout=settings.timeout or DEFAULT_TIMEOUT,
        rate=rate,
    )


def _put_to_model(engine: Engine, run: Run, settings: Settings, drain_options: DrainOptions) -> None:
    import asyncio
    import sys

    from jevbias.catalogue.load import load_catalogue
    from jevbias.cli.console import say
    from jevbias.drain.drain import drain
    from jevbias.drain.progress import choose_view
    from jevbias.drain.summary import DrainSummary
    from jevbias.drivers.select import RequestModel, open_driver, rechoose_driver

    choice = rechoose_driver(
        RequestModel(run.driver, run.model),
        run.base_url,
        settings,
        catalogue_prices=None if run.driver == "local" else load_catalogue(settings.catalogue).prices,
    )

    async def put() -> DrainSummary:
        async with open_driver(choice, settings) as driver:
            return await drain(engine, run, driver, drain_options, choose_view(sys.stderr))

    summary = asyncio.run(put())
    for line in summary.lines():
        say(line)
    if summary.exit_code == 0:
        say(f"`jevbias analyse --run {run.name}` says what came out")
    raise typer.Exit(summary.exit_code)
