"""`init`: a folder with a decision of one's own that can be put to a model at once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    """Add this family's commands."""
    app.command("init")(init)


def init(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="[FOLDER]", help="A new or empty folder [default: this one].", show_default=False
        ),
    ] = Path(),
) -> None:
    """Start a catalogue of your own: one decision, two attributes and a profile, commented, ready to run."""
    import shlex

    from jevbias.catalogue.starter import write_starter
    from jevbias.cli.console import say

    write_starter(folder)
    here = folder.resolve() == Path.cwd()
    enter = "" if here else f"cd {shlex.quote(str(folder))} && "
    say(f"{folder}: a decision of your own; README.md there says what is what")
    say(f"next: {enter}jevbias run --profile first --driver local")
