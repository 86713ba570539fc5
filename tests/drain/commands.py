"""The shipped command in processes of its own, so that several run at once and each can be killed."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from jevbias.cli.main import run_app
from tests.cli import shipped
from tests.cli.conftest import SETTINGS
from tests.store.processes import Child


class Command:
    """`jevbias` with these arguments, running. What it says on both streams goes to a new file of `folder`,
    which is where it runs.
    """

    def __init__(self, folder: Path, *arguments: object, settings: Mapping[str, str] | None = None):
        self._said = folder / f"said-{len(list(folder.glob('said-*')))}.txt"
        self._said.touch()
        words = [str(word) for word in arguments]
        self._child = Child(_run, str(folder), words, str(self._said), dict(settings or {}))

    @property
    def pid(self) -> int:
        return self._child.pid

    @property
    def said(self) -> list[str]:
        """The lines so far, of both streams."""
        return self._said.read_text().splitlines()

    @property
    def is_running(self) -> bool:
        return self._child.is_running

    def kill(self) -> None:
        """SIGKILL, and wait until it is gone."""
        self._child.kill()

    def ended(self, patience: float = 120.0) -> int:
        """Wait for its end; the exit code."""
        code = self._child.result(patience)
        assert isinstance(code, int)
        return code


def wait_for(condition: Callable[[], bool]) -> None:
    """Wait for something that another process brings about."""
    deadline = time.monotonic() + 120
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError
        time.sleep(0.002)


def _run(_: Any, folder: str, arguments: list[str], said: str, settings: dict[str, str]) -> int:
    os.chdir(folder)
    for variable in list(os.environ):
        if variable.startswith(SETTINGS):
            del os.environ[variable]
    os.environ.update(settings)
    shipped.read_once()
    opened = os.open(said, os.O_WRONLY | os.O_APPEND)
    for number in (1, 2):
        os.dup2(opened, number)
    sys.stdin = open(os.devnull)  # noqa: SIM115
    sys.stdout = sys.stderr = os.fdopen(opened, "w", encoding="utf-8", buffering=1)
    code: object = None
    try:
        run_app(arguments)
    except SystemExit as ended:
        code = ended.code
    sys.stdout.flush()
    assert isinstance(code, int)
    return code
