"""What the commands of the test bench have in common: every option but those of the part itself."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Annotated, Any, TypeAlias, get_type_hints

import typer

from jevbias.cli import options

Wanted: TypeAlias = Mapping[str, Mapping[str, object]]
"""Part: its options; None for one that was not given."""

Name = Annotated[
    str | None,
    typer.Option(
        "--name", help="The run's name [default: <model>-testbench-<part>, numbered].", show_default=False
    ),
]


def bench_command(part: Callable[..., Wanted]) -> Callable[..., None]:
    """A command with the options of a part, which returns them, and those below; it puts the part to a
    server.
    """
    own, (_, *shared) = _parameters(part), _parameters(_put)
    own_names = {parameter.name for parameter in own}

    def command(**given: Any) -> None:
        wanted = part(**{name: value for name, value in given.items() if name in own_names})
        _put(wanted, **{name: value for name, value in given.items() if name not in own_names})

    command.__doc__ = part.__doc__
    command.__signature__ = inspect.Signature([*own, *shared])  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in (*own, *shared)}
    return command


def _parameters(function: Callable[..., object]) -> list[inspect.Parameter]:
    hints = get_type_hints(function, include_extras=True)
    found = inspect.signature(function).parameters.values()
    return [parameter.replace(annotation=hints[parameter.name]) for parameter in found]


def _put(
    wanted: Wanted,
    name: Name = None,
    resume: options.Resume = None,
    seed: options.Seed = None,
    driver: options.DriverName = None,
    model: options.ModelName = None,
    reasoning_effort: options.Effort = None,
    timeout: options.Timeout = None,
    max_cost: options.MaxCost = None,
    yes: options.Yes = False,
    out: options.ReportOut = None,
    page: options.ReportPage = None,
    title: options.Title = None,
    catalogue: options.CatalogueFolder = None,
    db: options.Database = None,
    as_json: options.AsJson = False,
) -> None:
    from jevbias.cli.draining import read_sending
    from jevbias.cli.testbench_running import check_options, flag_of, resume_bench, start_bench
    from jevbias.cli.written import Written
    from jevbias.settings import load_settings

    settings = load_settings(
        seed=seed,
        driver=driver,
        model=model,
        reasoning_effort=reasoning_effort,
        timeout=timeout,
        catalogue=catalogue,
        db=db,
    )
    sending = read_sending(None, None, max_cost, yes=yes, flags=options.database_flag(db))
    written = Written(out, page, title, as_json)
    if resume is not None:
        planning: dict[str, object] = {
            "--name": name,
            "--seed": seed,
            "--driver": driver,
            "--model": model,
            "--reasoning-effort": reasoning_effort,
        }
        for part, given in wanted.items():
            planning.update({flag_of(part, key): value for key, value in given.items()})
        options.check_resuming(planning)
        resume_bench(resume, settings, sending, written)
        return
    start_bench(check_options(wanted), name, settings, sending, written)
