"""`design` and `preview`: what a run would ask, before a call is made."""

from __future__ import annotations

from typing import Annotated

import typer

from jevbias.cli import options


def register(app: typer.Typer) -> None:
    """Add this family's commands."""
    app.command("design")(design)
    app.command("preview")(preview)


def design(
    compare: Annotated[
        int | None,
        typer.Option(
            "--compare", metavar="PEOPLE", help="Measure the near-orthogonal layout against shuffles.", min=2
        ),
    ] = None,
    noise_from: Annotated[
        str | None,
        typer.Option(
            "--noise-from",
            metavar="RUN|FILE.json",
            help="Take the spreads behind the smallest effects from this run, or from its report.",
            show_default=False,
        ),
    ] = None,
    seed: options.Seed = None,
    catalogue: options.CatalogueFolder = None,
    db: options.Database = None,
    as_json: options.AsJson = False,
) -> None:
    """What each profile costs, and the smallest effects it can find."""
    from jevbias.catalogue.load import load_catalogue
    from jevbias.cli import design_view
    from jevbias.cli.console import print_data, print_json
    from jevbias.errors import UsageError
    from jevbias.settings import load_settings

    settings = load_settings(seed=seed, catalogue=catalogue, db=db)
    loaded = load_catalogue(settings.catalogue)
    if compare is not None:
        if noise_from is not None:
            raise UsageError("--compare and --noise-from: give one of them")
        from jevbias.people.layouts import compare_layouts

        layouts = compare_layouts(loaded, compare, settings.seed)
        if as_json:
            print_json(design_view.layouts_json(layouts))
        else:
            print_data(design_view.layouts_table(layouts, compare))
        return
    from jevbias.cli.power_view import judge_designs
    from jevbias.plan.design import profile_designs

    measured = None
    if noise_from is not None:
        from jevbias.cli.noise_from import measured_basis

        measured = measured_basis(noise_from, settings.db)
    designs = profile_designs(loaded, settings.seed)
    power = judge_designs(designs, loaded, settings.alpha, measured)
    if as_json:
        print_json(design_view.designs_json(designs, loaded, power))
    else:
        print_data(design_view.designs_table(designs, loaded, power))


def preview(
    profile: Annotated[
        str | None,
        typer.Option(
            "--profile",
            metavar="NAME",
            help="Show what a run of this profile sends [default: a full sweep].",
            show_default=False,
        ),
    ] = None,
    scenario: Annotated[
        str | None,
        typer.Option(
            "--scenario", help="Which decision [default: hiring_screen, or the first].", show_default=False
        ),
    ] = None,
    condition: Annotated[
        str | None,
        typer.Option(
            "--condition",
            help="How much of the person is shown: blind, name_only or full [default: the most].",
            show_default=False,
        ),
    ] = None,
    variant: Annotated[
        str | None,
        typer.Option(
            "--variant",
            help="The case: weak, mid or strong [default: mid, or the one that the profile's run sends].",
            show_default=False,
        ),
    ] = None,
    swap: Annotated[
        str | None,
        typer.Option(
            "--swap", metavar="ATTRIBUTE=LEVEL", help="Show this swap as a diff against its anchor."
        ),
    ] = None,
    base: Annotated[
        int,
        typer.Option("--base", help="Which anchor, or person of a factorial profile, from 0.", min=0),
    ] = 0,
    raw: Annotated[bool, typer.Option("--raw", help="The very bytes that are sent, on one line.")] = False,
    driver: options.DriverName = None,
    model: options.ModelName = None,
    reasoning_effort: options.Effort = None,
    seed: options.Seed = None,
    catalogue: options.CatalogueFolder = None,
) -> None:
    """The exact payload that a probe would send."""
    from jevbias.catalogue.load import load_catalogue
    from jevbias.cli.console import say, stdout_console
    from jevbias.cli.preview_view import diff_text, pretty_body
    from jevbias.drivers.select import render_body, request_model
    from jevbias.plan.preview import Preview, preview_asks
    from jevbias.settings import load_settings

    settings = load_settings(
        seed=seed, catalogue=catalogue, driver=driver, model=model, reasoning_effort=reasoning_effort
    )
    loaded = load_catalogue(settings.catalogue)
    wanted = Preview(profile, scenario, condition, variant, swap, base)
    asks = preview_asks(loaded, wanted, settings.seed)
    how = request_model(settings)
    anchor = render_body(how.name, how.model, asks.anchor, how.reasoning_effort)
    shown = asks.anchor if asks.swap is None else asks.swap
    body = render_body(how.name, how.model, shown, how.reasoning_effort)
    if raw:
        typer.echo(body, nl=True)
    elif asks.swap is None:
        typer.echo(pretty_body(body))
    else:
        stdout_console().print(diff_text(anchor, body, asks.anchor_label, asks.swap_label), soft_wrap=True)
    effort = f" --reasoning-effort {how.reasoning_effort}" if how.reasoning_effort else ""
    flags = f"--driver {how.name} --model {how.model}{effort}"
    say(f"{len(body)} bytes, SHA-256 {_sha256(body)}, as {flags} sends it")


def _sha256(body: bytes) -> str:
    import hashlib

    return hashlib.sha256(body).hexdigest()
