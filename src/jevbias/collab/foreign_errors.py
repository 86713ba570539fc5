"""What code that a user wrote raises, which may be anything."""

from __future__ import annotations

import threading

from jevbias.drivers.failures import one_line


def described(error: BaseException) -> str:
    """An exception in a line, also one that cannot say what it is."""
    try:
        said = str(error)
    except BaseException:  # its own __str__ may raise anything
        said = ""
    return one_line(f"{type(error).__name__}: {said}".removesuffix(": "), 200)


def is_users_interrupt(error: BaseException) -> bool:
    """Whether this is the user's Ctrl-C, which reaches the main thread alone, and not what code raised."""
    return isinstance(error, KeyboardInterrupt) and threading.current_thread() is threading.main_thread()
