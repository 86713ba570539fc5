"""A command in a process of its own whose standard streams are what a test makes them."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jevbias.cli.main import run_app
from tests.cli import shipped
from tests.cli.conftest import SETTINGS
from tests.store.processes import Child

NOBODY = 65_534


@dataclass(frozen=True)
class Ended:
    """How a command ended: its exit code, and what it wrote where somebody could read it."""

    code: int
    out: str
    err: str


@dataclass(frozen=True)
class Streams:
    """What the three standard streams lead to: a file, `closed`, or for stdout a `broken pipe`."""

    stdin: str = os.devnull
    stdout: str | None = None
    stderr: str | None = None
    settings: Mapping[str, str] = field(default_factory=dict)
    as_nobody: bool = False
    """Whether the commands lose what the superuser may do. They are run in the folder `rehearsal` first: what
    Python imports on the way may be out of reach for others."""


def forked(folder: Path, *arguments: object, streams: Streams | None = None) -> Ended:
    """Run `jevbias` with these arguments in a folder, in a process that ends as an interpreter does."""
    (ended,) = forked_one_by_one(folder, [arguments], streams=streams)
    return ended


def forked_one_by_one(
    folder: Path, commands: Sequence[Sequence[object]], streams: Streams | None = None
) -> list[Ended]:
    """The same for several commands, one after the other in one process with new streams for each."""
    out, err = folder / "stdout.txt", folder / "stderr.txt"
    for path in (out, err):
        path.write_text("")
        path.chmod(0o666)
    wanted = streams or Streams()
    child = Child(_run_each, str(folder), [[str(word) for word in command] for command in commands], wanted)
    ended = []
    for _ in commands:
        code = child.wait_for_line()
        ended.append(Ended(code, out.read_text(), err.read_text()))
        for path in (out, err):
            path.write_text("")
        child.tell("go on")
    child.result()
    for path in (out, err):
        path.unlink()
    return ended


def _run_each(pipe: Any, folder: str, commands: list[list[str]], streams: Streams) -> None:
    os.chdir(folder)
    for variable in list(os.environ):
        if variable.startswith(SETTINGS):
            del os.environ[variable]
    os.environ.update(streams.settings)
    shipped.read_once()
    if streams.as_nobody and os.geteuid() == 0:
        os.chdir("rehearsal")
        for command in commands:
            _run(command, Streams(stdout=os.devnull, stderr=os.devnull))
        os.chdir("..")
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
    for command in commands:
        pipe.send(_run(command, streams))
        pipe.recv()


def _run(arguments: list[str], streams: Streams) -> int:
    sys.stdin = _redirected(0, streams.stdin)
    sys.stdout = _redirected(1, streams.stdout or "stdout.txt")
    sys.stderr = _redirected(2, streams.stderr or "stderr.txt")
    try:
        run_app(arguments)
    except SystemExit as ended:
        code = ended.code
    assert isinstance(code, int)
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except OSError:
            return 120  # What the interpreter ends with, after a complaint.
    return code


def _redirected(number: int, target: str) -> io.TextIOWrapper | None:
    """Make a descriptor lead there; returns Python's stream on it, None where it is closed."""
    if target == "closed":
        os.close(number)
        return None
    if target == "broken pipe":
        reader, opened = os.pipe()
        os.close(reader)
    else:
        opened = os.open(target, os.O_RDONLY if number == 0 else os.O_WRONLY)
    os.dup2(opened, number)
    os.close(opened)
    return io.TextIOWrapper(
        os.fdopen(number, "rb" if number == 0 else "wb", closefd=False),
        encoding="utf-8",
        line_buffering=number == 2,
    )
