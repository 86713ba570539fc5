"""Commands that a text tells its readers to give."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

from typer.testing import CliRunner

from jevbias.cli.main import app


def commands_in(text: str) -> list[list[str]]:
    """The command lines of its code blocks, in words, without `jevbias`."""
    blocks = re.findall(r"```\n(.*?)```", text, re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines() if line.startswith("jevbias ")]
    return [line.split()[1:] for line in lines]


def options_that_do_not_exist(commands: Iterable[list[str]]) -> list[str]:
    """The options that the help of their command does not know."""
    missing = []
    for command in commands:
        names = command[: 2 if command[0] == "batch" else 1]
        options = [word for word in command if word.startswith("--")]
        missing += [f"{' '.join(names)} {option}" for option in options if f"{option} " not in _help(*names)]
    return missing


@cache
def _help(*names: str) -> str:
    shown = CliRunner().invoke(app, [*names, "--help"], env={"COLUMNS": "200"})
    assert shown.exit_code == 0, shown.output
    return shown.output
