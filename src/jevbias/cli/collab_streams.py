"""Stdout kept for what a command prints, while code of others runs that may print too."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout, suppress


@contextmanager
def stdout_to_stderr() -> Iterator[None]:
    """While inside, whatever is written to stdout goes to stderr: also what a program writes that is started
    inside, or a library that knows nothing of Python.
    """
    sys.stdout.flush()
    kept = os.dup(1)
    try:
        os.dup2(2, 1)
        with redirect_stdout(sys.stderr):
            yield
    finally:
        with suppress(OSError):
            os.dup2(kept, 1)
        os.close(kept)
