"""The `jevbias trace` command that opens the evidence behind a figure, as a reader would type it."""

from __future__ import annotations

import shlex

from jevbias.publish.plain_text import ISOLATES, printable


def trace_command(identifier: str, run: str) -> str:
    """The command for the figure with this id in the run of this name, quoted for a shell.

    `static/script/trace.js` writes the same for the rows that the page builds in the browser.
    """
    return f"jevbias trace {_word(identifier)} --run {_word(run)}"


def _word(text: str) -> str:
    """One word of a command: what can be read of it, less directional isolates, which would be typed too."""
    return shlex.quote(printable(text).translate(ISOLATES))
