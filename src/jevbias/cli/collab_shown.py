"""The report of a bench, printed and written where it is wanted."""

from __future__ import annotations

from sqlalchemy import Engine

from jevbias.cli.written import Written
from jevbias.collab.analyse import analyse_collab
from jevbias.publish.collab_page import render_collab
from jevbias.publish.collab_terminal import collab_headlines

SUCH_AS = "collab.json"
"""What its file might be called."""


def show_report(engine: Engine, name: str | None, written: Written) -> None:
    """Print the report of a bench (None: of the newest) and write it where it is wanted."""
    written.write(analyse_collab(engine, name), collab_headlines, render_collab)
