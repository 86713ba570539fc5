"""`levels` and `validate`: what can be put to a model, and whether the files that say so are sound."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from jevbias.cli import options


def register(app: typer.Typer) -> None:
    """Add this family's commands."""
    app.command("levels")(levels)
    app.command("validate")(validate)


def levels(
    name: Annotated[
        str | None,
        typer.Argument(metavar="[ATTRIBUTE|SCENARIO]", help="Show this one alone.", show_default=False),
    ] = None,
    catalogue: options.CatalogueFolder = None,
    as_json: options.AsJson = False,
) -> None:
    """Attributes with their levels and phrases, scenarios with their questions."""
    from jevbias.catalogue.load import load_catalogue
    from jevbias.cli.console import print_data, print_json
    from jevbias.cli.levels_view import levels_json, levels_tables, only
    from jevbias.settings import load_settings

    loaded = load_catalogue(load_settings(catalogue=catalogue).catalogue)
    shown = loaded if name is None else only(loaded, name)
    if as_json:
        print_json(levels_json(shown))
    else:
        print_data(levels_tables(shown))


def validate(
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[FILE]...", help="Check these files alone [default: the whole catalogue]."),
    ] = None,
    catalogue: options.CatalogueFolder = None,
) -> None:
    """Check scenario, attribute, name, profile and price files; every fault is one line with its place."""
    from jevbias.catalogue.load import catalogue_root, validate_catalogue, validate_file
    from jevbias.cli.console import say
    from jevbias.settings import load_settings

    if files:
        faults = [fault for file in files for fault in validate_file(file)]
        what = ", ".join(str(file) for file in files)
    else:
        root = catalogue_root(load_settings(catalogue=catalogue).catalogue)
        faults = validate_catalogue(root)
        what = str(root)
    for fault in faults:
        say(str(fault))
    if faults:
        raise typer.Exit(2)
    say(f"{what}: sound")
