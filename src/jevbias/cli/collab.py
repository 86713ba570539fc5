"""`collab`: does pairing a decision model with an LLM help on a task?"""

from __future__ import annotations

from typing import Annotated

import typer

from jevbias.cli import collab_plan, options

collab = typer.Typer(
    name="collab",
    help="Does pairing a decision model with an LLM help on a task: arms, matched episodes, exact tests.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Episodes = Annotated[
    int | None,
    typer.Option(
        "--episodes", help="Episodes of each level [default: 30].", min=1, max=100_000, show_default=False
    ),
]
Threshold = Annotated[
    float | None,
    typer.Option(
        "--threshold",
        help="The confidence from which the decision model's word counts, above 0, up to 1 [default: 0.6].",
        show_default=False,
    ),
]
Arms = Annotated[
    str | None,
    typer.Option(
        "--arms",
        metavar="A,B",
        help="Which arms, or all [default: llm_autonomous, scripted_plus_jev, llm_plus_jev].",
        show_default=False,
    ),
]
Escalations = Annotated[
    int | None,
    typer.Option(
        "--escalations",
        help="How often an LLM is asked again within a step [default: 1].",
        min=0,
        max=10,
        show_default=False,
    ),
]
Proposals = Annotated[
    int | None,
    typer.Option(
        "--proposals",
        help="How many actions an LLM proposes [default: 3].",
        min=1,
        max=20,
        show_default=False,
    ),
]


def register(app: typer.Typer) -> None:
    """Add this family's commands."""
    collab.command("demo")(demo)
    collab.command("run")(run)
    collab.command("plan")(collab_plan.plan)
    collab.command("report")(report)
    app.add_typer(collab)


def demo(
    episodes: Episodes = None,
    threshold: Threshold = None,
    arms: Arms = None,
    model: Annotated[
        str | None,
        typer.Option("--model", metavar="NAME", help="Which embedded model decides.", show_default=False),
    ] = None,
    name: options.CollabName = None,
    seed: options.Seed = None,
    workers: options.Workers = None,
    out: options.ReportOut = None,
    page: options.ReportPage = None,
    title: options.Title = None,
    db: options.Database = None,
    as_json: options.AsJson = False,
) -> None:
    """Walk over a grid with an embedded decision model and a stand-in for an LLM: no key, no cost.

    Whatever the stand-in took part in says that it is about no real model.
    """
    from jevbias.cli.collab_playing import start_bench
    from jevbias.cli.new_collab import NewCollab
    from jevbias.cli.written import Written
    from jevbias.collab.load_task import GRID
    from jevbias.collab.models import WantedLlm
    from jevbias.settings import load_settings

    settings = load_settings(driver="local", model=model, seed=seed, workers=workers, db=db)
    if model is None:
        settings = settings.model_copy(update={"model": None})
    wanted = NewCollab(GRID, WantedLlm("mock"), options.split_names(arms), name).told(
        episodes=episodes, threshold=threshold
    )
    start_bench(wanted, settings, None, Written(out, page, title, as_json), options.database_flag(db))


def run(
    task: Annotated[
        str | None,
        typer.Option(
            "--task",
            metavar="MODULE:CLASS",
            help="The task: grid, or a class of yours; see docs/collab.md.",
            show_default=False,
        ),
    ] = None,
    llm: Annotated[
        str | None,
        typer.Option(
            "--llm",
            metavar="NAME",
            help="The LLM: openai (any compatible server), openrouter, a class of yours as MODULE:CLASS, or "
            "mock, a stand-in [default: mock].",
            show_default=False,
        ),
    ] = None,
    llm_model: Annotated[
        str | None,
        typer.Option("--llm-model", metavar="NAME", help="Which LLM to ask.", show_default=False),
    ] = None,
    llm_price: Annotated[
        str | None,
        typer.Option(
            "--llm-price",
            metavar="IN,OUT",
            help="US dollars for a million tokens in and out [default: as replies or price table say].",
            show_default=False,
        ),
    ] = None,
    reasoning_effort: options.Effort = None,
    episodes: Episodes = None,
    threshold: Threshold = None,
    escalations: Escalations = None,
    proposals: Proposals = None,
    arms: Arms = None,
    name: options.CollabName = None,
    resume: options.Resume = None,
    seed: options.Seed = None,
    driver: options.DriverName = None,
    model: options.ModelName = None,
    workers: options.Workers = None,
    timeout: options.Timeout = None,
    max_attempts: options.Attempts = None,
    rate: options.Rate = None,
    tokens_per_second: options.TokenRate = None,
    max_cost: options.MaxCost = None,
    yes: options.Yes = False,
    out: options.ReportOut = None,
    page: options.ReportPage = None,
    title: options.Title = None,
    catalogue: options.CatalogueFolder = None,
    db: options.Database = None,
    as_json: options.AsJson = False,
) -> None:
    """Play a bench; Ctrl-C stops it, --resume goes on. --rate and --tokens-per-second hold for each model."""
    from jevbias.cli.collab_playing import resume_bench, start_bench
    from jevbias.cli.draining import read_sending
    from jevbias.cli.new_collab import NewCollab, read_price
    from jevbias.cli.written import Written
    from jevbias.collab.models import WantedLlm
    from jevbias.errors import UsageError
    from jevbias.settings import load_settings

    settings = load_settings(
        seed=seed,
        driver=driver,
        model=model,
        reasoning_effort=reasoning_effort,
        workers=workers,
        timeout=timeout,
        max_attempts=max_attempts,
        catalogue=catalogue,
        db=db,
    )
    sending = read_sending(rate, tokens_per_second, max_cost, yes=yes, flags=options.database_flag(db))
    written = Written(out, page, title, as_json)
    if resume is not None:
        planning = {
            "--task": task,
            "--llm": llm,
            "--llm-model": llm_model,
            "--llm-price": llm_price,
            "--reasoning-effort": reasoning_effort,
            "--episodes": episodes,
            "--threshold": threshold,
            "--escalations": escalations,
            "--proposals": proposals,
            "--arms": arms,
            "--name": name,
            "--seed": seed,
            "--driver": driver,
            "--model": model,
        }
        options.check_resuming(planning)
        resume_bench(resume, settings, sending, written)
        return
    if task is None:
        raise UsageError("--task: name one, such as --task grid or --task my_module:MyTask")
    price = None if llm_price is None else read_price(llm_price)
    asked = WantedLlm(llm or "mock", llm_model, price)
    wanted = NewCollab(task, asked, options.split_names(arms), name).told(
        episodes=episodes, threshold=threshold, escalations=escalations, proposals=proposals
    )
    start_bench(wanted, settings, sending, written, sending.flags)


def report(
    run: options.RunName = None,
    out: options.ReportOut = None,
    page: options.ReportPage = None,
    title: options.Title = None,
    db: options.Database = None,
    as_json: options.AsJson = False,
) -> None:
    """Compute the report of a bench from what is stored, and print it."""
    from jevbias.cli.collab_shown import SUCH_AS, show_report
    from jevbias.cli.written import Written
    from jevbias.settings import load_settings
    from jevbias.store.engine import open_store_to_read

    written = Written(out, page, title, as_json)
    written.check(SUCH_AS)
    show_report(open_store_to_read(load_settings(db=db).db), run, written)
