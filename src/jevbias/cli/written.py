"""Where the report of a run goes: to stdout, and into the files that are named."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from pydantic import BaseModel
from rich.console import RenderableType

from jevbias.cli.console import need_file_name, print_data, say, write_file

_Report = TypeVar("_Report", bound=BaseModel)
_Read_contra = TypeVar("_Read_contra", bound=BaseModel, contravariant=True)


class _Page(Protocol[_Read_contra]):
    def __call__(self, report: _Read_contra, /, *, title: str | None) -> str: ...


@dataclass(frozen=True)
class Written:
    """Where a report goes: stdout, as text or JSON, and the files `out` (JSON) and `page` (a page called
    `title`).
    """

    out: Path | None = None
    page: Path | None = None
    title: str | None = None
    as_json: bool = False

    def check(self, such_as: str) -> None:
        """Raises UsageError where a path names no file; `such_as` is a name that JSON might have."""
        if self.out is not None:
            need_file_name(self.out, "--out", "--json", such_as=such_as)
        if self.page is not None:
            need_file_name(self.page, "--page", "--page /dev/stdout")

    def write(self, report: _Report, text: Callable[[_Report], RenderableType], page: _Page[_Report]) -> None:
        """Print the report, then write its files; what nobody wants is not rendered. Raises UsageError and
        OutputError for a file that cannot be written.
        """
        content = report.model_dump_json() + "\n"
        if self.as_json:
            sys.stdout.write(content)
            sys.stdout.flush()
        else:
            print_data(text(report))
        if self.out is not None:
            write_file(self.out, content.encode("utf-8"))
            say(f"wrote {self.out}")
        if self.page is not None:
            drawn = page(report, title=self.title).encode("utf-8")
            write_file(self.page, drawn)
            say(f"wrote {self.page} ({len(drawn) / 1e6:.2f} MB)")
