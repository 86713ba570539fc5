"""The report of a bench, printed and written where it is wanted."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Engine

from jevbias.cli.console import need_file_name, print_data, say, write_file
from jevbias.collab.analyse import analyse_collab
from jevbias.publish.collab_page import render_collab
from jevbias.publish.collab_terminal import collab_headlines


@dataclass(frozen=True)
class Written:
    """Where the report goes besides the terminal."""

    out: Path | None = None
    page: Path | None = None
    title: str | None = None
    as_json: bool = False

    def check(self) -> None:
        """Raises UsageError where a path names no file."""
        if self.out is not None:
            need_file_name(self.out, "--out", "--json", such_as="collab.json")
        if self.page is not None:
            need_file_name(self.page, "--page", "--page /dev/stdout")


def show_report(engine: Engine, name: str | None, written: Written) -> None:
    """Print the report of a bench and write it where it is wanted."""
    report = analyse_collab(engine, name)
    content = report.model_dump_json() + "\n"
    if written.as_json:
        sys.stdout.write(content)
        sys.stdout.flush()
    else:
        print_data(collab_headlines(report))
    if written.out is not None:
        write_file(written.out, content.encode("utf-8"))
        say(f"wrote {written.out}")
    if written.page is not None:
        page = render_collab(report, title=written.title).encode("utf-8")
        write_file(written.page, page)
        say(f"wrote {written.page} ({len(page) / 1e6:.2f} MB)")
