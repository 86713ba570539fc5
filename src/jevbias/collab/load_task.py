"""Finding a task by its name."""

from __future__ import annotations

from typing import cast

from jevbias.collab.checked_task import CheckedTask
from jevbias.collab.grid import GridNavigation
from jevbias.collab.loading import load_member
from jevbias.collab.task import Task
from jevbias.collab.watch import Watch
from jevbias.drivers.failures import one_line

GRID = "grid"
"""The name of the task that comes with the bench."""
LOADING_SECONDS = 60.0
"""How long it may take to import a module and make an object: longer than a call, as it happens once."""


def load_task(name: str, watch: Watch) -> CheckedTask:
    """The task that `--task` names: `grid`, or `module:Class`; `watch` is told of every call of it. Raises
    TaskError in one line.
    """
    if name == GRID:
        return CheckedTask(GridNavigation(), watch)
    with watch.during(f"--task {one_line(name, 80)}: loading it", LOADING_SECONDS):
        found = load_member("--task", name, f"'{GRID}'")
    return CheckedTask(cast("Task", found), watch)
