"""A thread for a user's code, so that code which never returns ends in a message and not in silence."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from queue import SimpleQueue
from threading import Thread
from typing import Any, ParamSpec, TypeVar

from jevbias.collab.watch import CALL_SECONDS, Watch
from jevbias.errors import TaskError

P = ParamSpec("P")
T = TypeVar("T")


class TaskThread:
    """Runs functions one after the other in a thread of its own, which does not keep the process alive. A
    function may make many calls of a user's code: `watch` is told of each, and each has its time.
    """

    def __init__(self, seconds: float = CALL_SECONDS) -> None:
        self.watch = Watch(seconds)
        self._inbox: SimpleQueue[tuple[Future[Any], str, Callable[[], Any]]] = SimpleQueue()
        self._hangs: str | None = None
        Thread(target=self._work, name="jevbias-task", daemon=True).start()

    async def run(self, what: str, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What the function returns; `what` says what it does. Raises what it raises, and TaskError, which
        names the call, where one does not return in time.
        """
        if self._hangs is not None:
            raise TaskError(self._hangs)
        answer: Future[T] = Future()
        self._inbox.put((answer, what, partial(function, *args, **kwargs)))
        waiting = asyncio.wrap_future(answer)
        # What waits in the queue behind another call is not late: only what is under way can be.
        while not waiting.done():
            await asyncio.wait({waiting}, timeout=self.watch.left)
            late = self.watch.late
            if late is not None and not waiting.done():
                waiting.cancel()
                self._hangs = late
                raise TaskError(late)
        return waiting.result()

    def _work(self) -> None:
        while True:
            answer, what, function = self._inbox.get()
            if not answer.set_running_or_notify_cancel():
                continue
            try:
                with self.watch.during(what):
                    result = function()
            except BaseException as error:  # the caller's to judge, whatever it is
                answer.set_exception(error)
            else:
                answer.set_result(result)
