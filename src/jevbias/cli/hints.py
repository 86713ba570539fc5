"""Commands that an error advises reach the database that the user named.

The rooms below say which command helps, and know no flags: here every such command gets the `--db` that was
given, where it takes one.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextvars import ContextVar

_COMMAND = re.compile(r"`jevbias ([^`]+)`")
_flag: ContextVar[str] = ContextVar("database_flag", default="")


def remember_flag(flag: str) -> None:
    """Keep what a command needs to reach the database, such as ` --db x.db`, or nothing."""
    _flag.set(flag)


def with_flag(message: str, takes_database: Callable[[list[str]], bool]) -> str:
    """The message, each command of it (`jevbias …`, in back-quotes) with the flag. `takes_database` says of
    the words of a command whether it has that flag.
    """
    flag = _flag.get()

    def completed(found: re.Match[str]) -> str:
        words = found[1].split()
        if not flag or "--db" in words or not takes_database(words):
            return found[0]
        return f"`jevbias {found[1]}{flag}`"

    return _COMMAND.sub(completed, message)
