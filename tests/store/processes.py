"""Real processes for tests, forked from a server that has imported the project once, so each is cheap."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable
from multiprocessing.context import ForkServerProcess
from typing import Any, TypeVar

T = TypeVar("T")

_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(
    [
        "jevbias.analysis.analyse",
        "jevbias.catalogue.load",
        "jevbias.cli.main",
        "jevbias.cli.new_run",
        "jevbias.cli.spending",
        "jevbias.drain.drain",
        "jevbias.drivers.model_check",
        "jevbias.publish.page",
        "jevbias.settings",
        "jevbias.store.engine",
        "jevbias.store.runs",
        "tests.drain.models",
        "tests.store.ready",
    ]
)


class Child:
    """A process that runs a function of a module and sends back lines and, at its end, the result."""

    def __init__(self, target: Callable[..., Any], *args: object):
        self._ours, theirs = _CONTEXT.Pipe()
        self._process: ForkServerProcess = _CONTEXT.Process(target=_run, args=(theirs, target, args))
        self._process.start()
        theirs.close()

    @property
    def pid(self) -> int:
        assert self._process.pid is not None
        return self._process.pid

    def wait_for_line(self, patience: float = 60.0) -> Any:
        """The next thing that the child sends within so many seconds; EOFError when it has ended."""
        if not self._ours.poll(patience):
            raise TimeoutError(f"the child said nothing for {patience:.0f} seconds")
        return self._ours.recv()

    def tell(self, line: object) -> None:
        self._ours.send(line)

    def interrupt(self) -> None:
        os.kill(self.pid, signal.SIGINT)

    def kill(self) -> None:
        """SIGKILL, and wait until it is gone."""
        self._process.kill()
        self._process.join()

    def result(self, patience: float = 60.0) -> Any:
        """What the function returned; raises what it raised."""
        try:
            while True:
                kind, value = self.wait_for_line(patience)
                if kind == "result":
                    return value
                if kind == "error":
                    raise value
        finally:
            self._process.join()

    @property
    def is_running(self) -> bool:
        return self._process.is_alive()

    @property
    def exit_code(self) -> int | None:
        self._process.join()
        return self._process.exitcode


def _run(pipe: Any, target: Callable[..., Any], args: tuple[object, ...]) -> None:
    try:
        value = target(pipe, *args)
    except BaseException as error:
        pipe.send(("error", error))
        raise
    pipe.send(("result", value))
