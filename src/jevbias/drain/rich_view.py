"""The moving display of a drain on a terminal."""

from __future__ import annotations

from dataclasses import replace
from typing import TextIO

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from jevbias.drain.progress import DrainState, described


class RichView:
    """A bar with the figures beside it, and under it what holds it up. Text is never read as markup."""

    def __init__(self, stream: TextIO):
        self._console = Console(file=stream)
        self._live = Live(console=self._console, refresh_per_second=8, transient=True)

    def start(self, state: DrainState) -> None:
        """Show the bar."""
        self._live.start()
        self.update(state)

    def update(self, state: DrainState) -> None:
        """Move the bar; the display repaints itself at its own pace."""
        self._live.update(_rendered(state))

    def note(self, line: str) -> None:
        """A line above the bar, which stays."""
        self._console.print(Text(line))

    def stop(self, state: DrainState) -> None:
        """Take the bar away; the summary that follows says where it ended."""
        self.update(state)
        self._live.stop()


def _rendered(state: DrainState) -> RenderableType:
    row = Table.grid(padding=(0, 1))
    row.add_row(
        Text(state.run, style="bold", overflow="ellipsis", no_wrap=True),
        ProgressBar(total=max(state.total, 1), completed=state.done, width=28),
        Text(f"{_share(state)} {described(_without_reason(state))}", no_wrap=True, overflow="ellipsis"),
    )
    reasons = [reason for reason in (state.held, state.waiting) if reason]
    if not reasons:
        return row
    return Group(row, Text(f"  {' · '.join(reasons)}", style="yellow"))


def _share(state: DrainState) -> str:
    return f"{state.done / state.total:.0%}" if state.total else "100%"


def _without_reason(state: DrainState) -> DrainState:
    return replace(state, waiting=None, held=None)
