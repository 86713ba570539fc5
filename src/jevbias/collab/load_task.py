"""Finding a task by its name."""

from __future__ import annotations

from typing import cast

from jevbias.collab.checked_task import CheckedTask
from jevbias.collab.grid import GridNavigation
from jevbias.collab.loading import load_member
from jevbias.collab.task import Task

GRID = "grid"
"""The name of the task that comes with the bench."""


def load_task(name: str) -> CheckedTask:
    """The task that `--task` names: `grid`, or `module:Class`. Raises TaskError in one line."""
    if name == GRID:
        return CheckedTask(GridNavigation())
    return CheckedTask(cast("Task", load_member("--task", name, f"'{GRID}'")))
