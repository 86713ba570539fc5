"""Every failure that jevbias expects, in one tree.

::

    JevbiasError                 exit 1   the command could not do what was asked
    ├── UsageError               exit 2   an option, a name or a value that is not allowed
    ├── CatalogueError           exit 2   a scenario, attribute, name, profile or price file (file, line, key)
    ├── ArchiveError             exit 2   a run archive that is refused (file, line)
    ├── TaskError                exit 2   a task of the user's that breaks the protocol (task, call, place)
    ├── DatabaseError            exit 2   the database cannot be used: not one, from the future, read-only
    │   └── DatabaseLostError    exit 1   its file or its server was gone while a command used it
    ├── ModelError               exit 1   the model could not be reached or will not answer
    ├── BudgetSpent              exit 1   what is left of a limit on cost is too little for the next call
    ├── OutputError              exit 1   stdout, a pipe or a device takes no more; where the reader of stdout
    │                                     has gone, exit 141 in silence
    └── Interrupted              exit 130 the user asked the command to stop

The command line shows the message of such an error in one line and no traceback. A message says what
happened, where, and what is allowed or what to do. Nothing outside this tree is expected: it is a bug.
"""

from __future__ import annotations

from pathlib import Path


class JevbiasError(Exception):
    """The root of all expected failures; `exit_code` is what the process ends with."""

    exit_code = 1


class UsageError(JevbiasError):
    """An option, a name or a value that is not allowed."""

    exit_code = 2


class CatalogueError(JevbiasError):
    """A catalogue file that cannot be used.

    `path` is the file, `line` the 1-based line (None when the whole file is meant) and `key` the dotted
    path of the value in question, such as `questions.advance.criteria`.
    """

    exit_code = 2

    def __init__(self, message: str, *, path: Path | str, line: int | None = None, key: str | None = None):
        self.message, self.path, self.line, self.key = message, path, line, key
        where = str(path) if line is None else f"{path}:{line}"
        super().__init__(f"{where}: {key}: {message}" if key else f"{where}: {message}")


class ArchiveError(JevbiasError):
    """A run archive that is refused. `path` is the file, `line` the 1-based line of its unpacked text (None
    when the whole file is meant).
    """

    exit_code = 2

    def __init__(self, message: str, *, path: Path | str, line: int | None = None):
        self.message, self.path, self.line = message, path, line
        where = str(path) if line is None else f"{path}:{line}"
        super().__init__(f"{where}: {message}")


class TaskError(JevbiasError):
    """A task for the collaboration bench, which a user wrote, does not do what its protocol says."""

    exit_code = 2


class DatabaseError(JevbiasError):
    """The database cannot be used as it is."""

    exit_code = 2


class DatabaseLostError(DatabaseError):
    """While a command used the database its file was deleted, moved or replaced, or its server went away."""

    exit_code = 1


class ModelError(JevbiasError):
    """The model could not be reached, or does not answer as its wire format says."""


class BudgetSpent(JevbiasError):
    """The next call could pass a limit that the user set on what calls may cost; it was not sent."""


class OutputError(JevbiasError):
    """Stdout, or a pipe or device in its place, cannot be written to."""


class OutputClosed(OutputError):
    """Whoever read stdout has gone, as `head` does: nothing is said, as is the custom."""

    exit_code = 141


class Interrupted(JevbiasError):
    """The user asked the command to stop; what was answered is stored."""

    exit_code = 130
