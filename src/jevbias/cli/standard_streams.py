"""Stdout and stderr that may be full, closed, or without a reader, and a command that ends decently then."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO, cast

from jevbias.errors import OutputClosed, OutputError


@contextmanager
def checked_stdout() -> Iterator[None]:
    """While inside, what cannot be written to stdout raises OutputError in one line, the last of it when the
    block ends. Where the reader has gone that is OutputClosed.
    """
    _occupy_closed_descriptors()
    before = sys.stdout
    stdout = _Stdout(_unwritable() if before is None else before)
    sys.stdout = cast(TextIO, stdout)
    try:
        yield
        stdout.flush()
    except OutputError:
        _discard(stdout.stream)
        raise
    finally:
        sys.stdout = before


@contextmanager
def forgiving_stderr() -> Iterator[None]:
    """While inside, what cannot be said on stderr is not said: it is no reason to stop a run."""
    _occupy_closed_descriptors()
    before = sys.stderr
    stderr = _Stderr(_nowhere() if before is None else before)
    sys.stderr = cast(TextIO, stderr)
    try:
        yield
    finally:
        try:
            stderr.stream.flush()
        except (OSError, ValueError):
            _discard(stderr.stream)
        sys.stderr = before


class _Wrapper:
    """A stream with everything it has but for what a subclass does otherwise."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


class _Stdout(_Wrapper):
    @property
    def buffer(self) -> _Stdout:
        """The same for bytes."""
        return _Stdout(self.stream.buffer)

    def write(self, content: str | bytes) -> int:
        """Write. Raises OutputError."""
        with _explained(self.stream):
            return int(self.stream.write(content))

    def flush(self) -> None:
        """Write what is waiting. Raises OutputError."""
        with _explained(self.stream):
            self.stream.flush()


class _Stderr(_Wrapper):
    def write(self, text: str) -> int:
        """Write if that is possible: nobody could be told that it is not."""
        with suppress(OSError, ValueError):
            self.stream.write(text)
        return len(text)

    def flush(self) -> None:
        """Write what is waiting, if that is possible."""
        with suppress(OSError, ValueError):
            self.stream.flush()


@contextmanager
def _explained(stream: Any) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise OutputClosed("stdout: its reader has gone") from None
    except OSError as error:
        why = "it is closed" if error.errno == errno.EBADF else error.strerror or error
        raise OutputError(f"stdout cannot be written to: {why}") from None
    except UnicodeEncodeError as error:
        letter = error.object[error.start]
        raise OutputError(
            f"stdout's encoding {stream.encoding} has no {letter!a}; set PYTHONIOENCODING=utf-8"
        ) from None


def _occupy_closed_descriptors() -> None:
    """Else a database or a socket would get the number of a closed stdout, and the output with it."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDONLY)  # The lowest free number, which is this one.


def _unwritable() -> TextIO:
    """A stream that takes nothing, as a closed one does."""
    return open(os.open(os.devnull, os.O_RDONLY), "w", encoding="utf-8")


def _nowhere() -> TextIO:
    return open(os.devnull, "w", encoding="utf-8")


def _discard(stream: TextIO) -> None:
    """Let what is still waiting go nowhere; the interpreter would try to write it once more at its end."""
    try:
        number = stream.fileno()
    except (OSError, ValueError):
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, number)
    os.close(nowhere)
    with suppress(OSError, ValueError):
        stream.flush()
