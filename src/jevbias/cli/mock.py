"""`mock` and `export-variants`: a model whose biases are known, and what others need to write one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from jevbias.cli import options


def register(app: typer.Typer) -> None:
    """Add this family's commands."""
    app.command("mock")(mock)
    app.command("export-variants")(export_variants)


def mock(
    port: Annotated[int, typer.Option("--port", help="0 picks a free one.", min=0, max=65535)] = 8799,
    seed: Annotated[int, typer.Option("--seed", help="Decides the noise.")] = 1,
    noise: Annotated[
        float, typer.Option("--noise", help="SD of an answer on [0, 1].", min=0, max=1)
    ] = 0.0085,
    latency_ms: Annotated[float, typer.Option("--latency-ms", help="How long each answer takes.", min=0)] = 0,
    effects: Annotated[
        Path | None,
        typer.Option(
            "--effects",
            metavar="FILE",
            help="Injected effects, YAML [default: the catalogue's own, else the shipped two].",
        ),
    ] = None,
    decimals: Annotated[
        int | None, typer.Option("--decimals", help="Round probabilities to so many decimals.", min=1, max=12)
    ] = None,
    drift: Annotated[
        float, typer.Option("--drift", help="How far answers move over 1,000 requests.", min=-1, max=1)
    ] = 0.0,
    faults: Annotated[
        Path | None,
        typer.Option("--faults", metavar="FILE", help="What goes wrong, YAML [default: nothing]."),
    ] = None,
    properties: Annotated[
        Path | None,
        typer.Option(
            "--properties",
            metavar="FILE",
            help="A context window, facts and quirks for the test bench, YAML [default: none].",
        ),
    ] = None,
    catalogue: options.CatalogueFolder = None,
) -> None:
    """Serve the mock model on loopback: it answers on the merits, with noise and known effects.

    One port has every face: TYPESAFE_BASE_URL is its address, OPENAI_BASE_URL that with /v1 behind, and
    OPENROUTER_BASE_URL with /api/v1.
    """
    import shlex
    from functools import partial
    from importlib.util import find_spec

    from jevbias.catalogue.load import catalogue_root, load_catalogue
    from jevbias.errors import UsageError
    from jevbias.settings import load_settings

    if not (find_spec("starlette") and find_spec("uvicorn")):
        raise UsageError("the mock needs the extra 'mock': pip install 'jevbias[mock]'")
    from jevbias.mock.app import create_app
    from jevbias.mock.effects import load_effects
    from jevbias.mock.fault_plan import load_fault_plan
    from jevbias.mock.known_model import KnownModel
    from jevbias.mock.model import MockModel
    from jevbias.mock.properties import load_properties
    from jevbias.mock.serve import serve

    plan = None if faults is None else load_fault_plan(faults)
    known = None if properties is None else load_properties(properties)
    folder = catalogue_root(load_settings(catalogue=catalogue).catalogue)
    loaded = load_catalogue(folder)
    own = folder / "mock" / "default-effects.yaml"
    answering = MockModel if known is None else partial(KnownModel, properties=known)
    model = answering(
        loaded,
        seed=seed,
        noise=noise,
        effects=load_effects(effects or (own if own.is_file() else None), loaded),
        decimals=decimals,
        drift=drift,
    )
    flags = "" if catalogue is None else f" --catalogue {shlex.quote(str(catalogue))}"
    profile = "pilot" if "pilot" in loaded.profiles else next(iter(loaded.profiles), "pilot")
    app = create_app(model, latency_ms=latency_ms, faults=plan)
    serve(app, port, profile=profile, flags=flags)


def export_variants(catalogue: options.CatalogueFolder = None) -> None:
    """Print the cases' variants and the answers' directions as JSON, for a mock that others write."""
    from jevbias.catalogue.load import load_catalogue
    from jevbias.cli.console import print_json
    from jevbias.mock.variants import export_variants as variants
    from jevbias.settings import load_settings

    print_json(variants(load_catalogue(load_settings(catalogue=catalogue).catalogue)))
