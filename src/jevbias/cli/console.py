"""Where output goes: data to stdout, everything said about it to stderr."""

from __future__ import annotations

import json
import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

from jevbias.errors import Interrupted, JevbiasError, OutputError, UsageError

if TYPE_CHECKING:
    from rich.console import Console, RenderableType


def print_data(renderable: RenderableType) -> None:
    """Print a table or text to stdout; plain when piped."""
    stdout_console().print(renderable, markup=False, highlight=False)


def print_json(content: Any) -> None:
    """Print JSON-ready data to stdout, indented, in the order given."""
    sys.stdout.write(json.dumps(content, ensure_ascii=False, indent=2, allow_nan=False) + "\n")
    sys.stdout.flush()


def say(message: str) -> None:
    """Say one line to stderr."""
    sys.stderr.write(message.rstrip("\n") + "\n")


def confirm(question: str, *, flag: str) -> None:
    """Ask the person at the terminal. Raises UsageError that names the flag where there is nobody to ask, and
    Interrupted where the answer is no.
    """
    if not can_ask():
        raise UsageError(f"{question} There is no terminal to answer on: add {flag}")
    if not agreed(question):
        raise Interrupted("nothing was done")


def can_ask() -> bool:
    """Whether somebody sees a question on stderr and can answer it."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr))


def agreed(question: str) -> bool:
    """Ask on stderr; anything but a yes is a no."""
    sys.stderr.write(f"{question} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def need_file_name(path: Path, flag: str, to_stdout: str, *, such_as: str = "page.html") -> None:
    """Raises UsageError where a path to write to names no file: nothing, a folder, or `-`, for which
    `to_stdout` names the way to print the result.
    """
    if str(path) == "-":
        raise UsageError(f"{flag}: '-' is no file; {to_stdout} prints to stdout")
    if not path.name or os.path.isdir(path):
        raise UsageError(f"{flag}: '{path}' is no file; give one, such as {path / such_as}")


def write_file(path: Path, content: bytes) -> None:
    """Write a whole file or nothing; see `file_to_write`."""
    with file_to_write(path) as file:
        file.write(content)


@contextmanager
def file_to_write(path: Path) -> Iterator[IO[bytes]]:
    """A file that takes its place once it is whole: it is written into a neighbour first, then renamed.

    A link stays one: the file that it leads to is written. What is there and no file (a pipe, a device) stays
    what it is and is written to. Raises OutputError where it takes no more, and UsageError where the place
    cannot be written to, each in one line.
    """
    failure: type[JevbiasError] = UsageError
    try:
        if _is_special(path):
            failure = OutputError
            # By its own name: the target of /dev/stdout, where that is a pipe, is none that can be opened.
            with open(os.open(path, os.O_WRONLY | os.O_NOCTTY), "wb") as file:
                yield file
        else:
            with _neighbour_of(path) as file:
                yield file
    except OSError as error:
        raise failure(f"{path}: cannot be written: {error.strerror or error}") from None


@contextmanager
def _neighbour_of(path: Path) -> Iterator[IO[bytes]]:
    target = Path(os.path.realpath(path))
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=target.parent, prefix=f".{target.name}.", delete=False) as file:
        neighbour = Path(file.name)
        try:
            yield cast(IO[bytes], file)
            file.close()
            neighbour.chmod(0o666 & ~_umask())
            neighbour.replace(target)
        except BaseException:
            neighbour.unlink(missing_ok=True)
            raise


def _is_special(path: Path) -> bool:
    """Whether something is there that a file must not take the place of. Raises OSError."""
    try:
        return not stat.S_ISREG(path.stat().st_mode)
    except FileNotFoundError:
        return False


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def stdout_console() -> Console:
    """A console on stdout; what is piped is wrapped at 120 columns, or at COLUMNS where that is set."""
    from rich.console import Console

    piped = not sys.stdout.isatty() and "COLUMNS" not in os.environ
    return Console(file=sys.stdout, width=120 if piped else None)
