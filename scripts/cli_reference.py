"""Write docs/cli.md from the help texts of the commands.

`.venv/bin/python scripts/cli_reference.py` writes it; with `--check` it ends with 1 where the file is not
what the commands say now.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from jevbias.cli.main import app

REFERENCE = Path(__file__).resolve().parent.parent / "docs" / "cli.md"
REGENERATE = ".venv/bin/python scripts/cli_reference.py"
WIDTH = 100
_HEAD = f"""# Every command

Written from the help texts by `{REGENERATE}`; a test fails when it is out of date.
`jevbias COMMAND --help` prints the same. Data goes to stdout, everything said about it to stderr. Exit codes:
0 fine, 1 the command failed, 2 bad usage or bad input files, 3 a gate failed, 130 interrupted.
`jevbias --install-completion` teaches the shell the commands and their options.
"""


def reference() -> str:
    """The whole text of docs/cli.md."""
    sections = list(_sections(typer.main.get_command(app), "jevbias", None))
    contents = "\n".join(f"- [`{name}`](#{name.replace(' ', '-')})" for name, _ in sections)
    texts = [f"## {name}\n\n```\n{text}\n```" for name, text in sections]
    return "\n\n".join([_HEAD.rstrip(), contents, *texts]) + "\n"


def _sections(command: Any, name: str, parent: typer.Context | None) -> Iterator[tuple[str, str]]:
    """Name and help of a command and of all below it, in the order in which they are listed."""
    context = typer.Context(
        command,
        parent=parent,
        info_name=name if parent is None else command.name,
        terminal_width=WIDTH,
        max_content_width=WIDTH,
        help_option_names=["-h", "--help"],
    )
    yield name, "\n".join(line.rstrip() for line in command.get_help(context).strip().splitlines())
    for key, below in getattr(command, "commands", {}).items():
        yield from _sections(below, f"{name} {key}", context)


def main(arguments: list[str]) -> int:
    """Write the file, or with `--check` hold it against the commands."""
    if "--check" not in arguments:
        REFERENCE.write_text(reference(), encoding="utf-8")
        return 0
    present = REFERENCE.read_text(encoding="utf-8") if REFERENCE.exists() else ""
    if present == reference():
        return 0
    sys.stderr.write(f"docs/cli.md is not what the commands say: run {REGENERATE}\n")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
