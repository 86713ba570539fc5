"""A thread for a user's code, so that code which never returns ends in a message and not in silence."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from queue import SimpleQueue
from threading import Thread
from typing import Any, ParamSpec, TypeVar

from jevbias.errors import TaskError

P = ParamSpec("P")
T = TypeVar("T")

TASK_SECONDS = 10.0
"""How long one call of a task may take."""


class TaskThread:
    """Runs functions one after the other in a thread of its own, which does not keep the process alive."""

    def __init__(self, seconds: float = TASK_SECONDS) -> None:
        self._seconds = seconds
        self._inbox: SimpleQueue[tuple[Future[Any], Callable[[], Any]]] = SimpleQueue()
        self._hangs: str | None = None
        self._ended = 0
        Thread(target=self._work, name="jevbias-task", daemon=True).start()

    async def run(self, what: str, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What the function returns; `what` says what it does. Raises what it raises, and TaskError where it
        does not return in time.
        """
        if self._hangs is not None:
            raise TaskError(self._hangs)
        answer: Future[T] = Future()
        self._inbox.put((answer, partial(function, *args, **kwargs)))
        waiting = asyncio.wrap_future(answer)
        # What waits in the queue behind another call is not late: only a thread that gets nowhere is.
        while not waiting.done():
            ended = self._ended
            await asyncio.wait({waiting}, timeout=self._seconds)
            if not waiting.done() and self._ended == ended:
                waiting.cancel()
                self._hangs = f"{what}: the task has not returned within {self._seconds:g} s"
                raise TaskError(self._hangs)
        return waiting.result()

    def _work(self) -> None:
        while True:
            answer, function = self._inbox.get()
            if not answer.set_running_or_notify_cancel():
                continue
            try:
                answer.set_result(function())
            except BaseException as error:  # the caller's to judge, whatever it is
                answer.set_exception(error)
            self._ended += 1
