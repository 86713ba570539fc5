"""A terminal that a command talks to, in the test's own process."""

from __future__ import annotations

import io
import os
import pty
import sys
import threading
import tty
from collections.abc import Iterator
from contextlib import contextmanager

import pytest


class Terminal:
    """What somebody typed before the command began, and what they were shown on stderr."""

    def __init__(self, master: int) -> None:
        self._master, self._shown = master, bytearray()
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        while True:
            try:
                shown = os.read(self._master, 4096)
            except OSError:
                return
            if not shown:
                return
            self._shown += shown

    def type(self, line: str) -> None:
        """Type a line ahead."""
        os.write(self._master, line.encode() + b"\n")

    def shown(self) -> str:
        """All that was shown; the terminal is closed by then."""
        self._reader.join()
        return self._shown.decode()


@contextmanager
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[Terminal]:
    """While inside, stdin and stderr of the command line are a terminal."""
    master, slave = pty.openpty()
    tty.setraw(slave)  # Nothing is echoed, and no line end is translated.
    opened = Terminal(master)
    stdin = os.fdopen(os.dup(slave), "r", encoding="utf-8")
    stderr = io.TextIOWrapper(os.fdopen(os.dup(slave), "wb", buffering=0), "utf-8", write_through=True)
    os.close(slave)
    try:
        with monkeypatch.context() as context:
            context.setattr(sys, "stdin", stdin)
            context.setattr(sys, "stderr", stderr)
            yield opened
    finally:
        stdin.close()
        stderr.close()
        opened.shown()
        os.close(master)
