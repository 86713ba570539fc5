"""Where an LLM that a user wrote lives: an event loop in a thread of its own."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass
from threading import Event, Thread
from typing import Any, TypeVar, cast

from jevbias.collab.actors import Llm
from jevbias.collab.foreign_errors import described
from jevbias.collab.loading import load_member
from jevbias.drivers.failures import one_line
from jevbias.errors import TaskError

T = TypeVar("T")

SAID_AFTER = 10.0
"""Seconds without any answer after which the user is told which call has not returned."""
_CLOSING = 1.0
"""Seconds that it may take to put itself away."""


@dataclass(frozen=True)
class _Ended:
    """What a call came to."""

    value: Any = None
    error: BaseException | None = None


class LlmHost:
    """Makes an object of a user's class, and all its calls, in one event loop that is theirs alone.

    A call may take as long as it likes: a model may think. Nothing that it does, not even a loop without an
    end, keeps the bench from saying which call has not returned, or Ctrl-C from stopping it. Raises TaskError
    where what `--llm` names is no LLM.
    """

    def __init__(self, name: str, tell: Callable[[str], None], seconds: float = SAID_AFTER) -> None:
        self._tell, self._seconds = tell, seconds
        self._returned()
        self._loop = asyncio.new_event_loop()
        self._closed = Event()
        self._thread = Thread(target=self._work, name="jevbias-llm", daemon=True)
        self._thread.start()
        self._llm, self.model, self.is_real = self._loaded(one_line(name, 80), name)

    async def call(self, method: str, place: str, *args: object) -> object:
        """What a method returns. Raises what it raises; CancelledError too, whoever cancels."""
        work = asyncio.wrap_future(self._begun(lambda: getattr(self._llm, method)(*args)))
        began = time.monotonic()
        try:
            while True:
                await asyncio.wait({work}, timeout=self._seconds)
                if work.done():
                    break
                what = f"--llm {self.model}: {method}(), {place}:"
                self._say_if_quiet(what, began, "Ctrl-C, twice, stops at once")
        finally:
            work.cancel()
        self._returned()
        ended = work.result()
        if ended.error is not None:
            raise ended.error
        return ended.value

    def close(self) -> None:
        """Put it away, and leave what does not end behind."""
        self._closed.set()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_CLOSING)

    def _loaded(self, shown: str, name: str) -> tuple[Llm, str, bool]:
        async def load() -> tuple[Llm, str, bool]:
            return _checked(load_member("--llm", name, "a driver"), shown)

        future, began = self._begun(load), time.monotonic()
        while not wait({future}, timeout=self._seconds).done:
            self._say_if_quiet(f"--llm {shown}: loading it", began, "Ctrl-C stops")
        self._returned()
        ended = future.result()
        if ended.error is not None:
            raise ended.error
        return cast("tuple[Llm, str, bool]", ended.value)

    def _begun(self, start: Callable[[], Awaitable[object]]) -> Future[_Ended]:
        async def outcome() -> _Ended:
            try:
                answer = start()
                if not inspect.isawaitable(answer):
                    raise TypeError("a method of an LLM has to be an `async def`")
                return _Ended(await answer)
            except BaseException as error:  # else one that ends processes would end the loop
                return _Ended(error=error)

        return asyncio.run_coroutine_threadsafe(outcome(), self._loop)

    def _returned(self) -> None:
        self._quiet_since, self._patience = time.monotonic(), self._seconds

    def _say_if_quiet(self, what: str, began: float, how_to_stop: str) -> None:
        """Of many calls that wait together one is named, after twice as long each time."""
        quiet = time.monotonic() - max(began, self._quiet_since)
        if quiet >= self._patience * 0.99:
            self._tell(f"{what} has not returned for {quiet:.2g} s; {how_to_stop}")
            self._patience = 2 * quiet

    def _work(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.get_loop().set_default_executor(_DaemonThreads())
            while not self._closed.is_set():
                with suppress(BaseException):  # a task of the user's that ends processes ends nothing here
                    self._loop.run_forever()


class _DaemonThreads(ThreadPoolExecutor):
    """What `asyncio.to_thread` uses there: a thread for each call, which does not keep the process alive as
    those of a pool do.
    """

    def submit(self, function: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        """Begin a call at once."""
        future: Future[T] = Future()

        def work() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                future.set_result(function(*args, **kwargs))
            except BaseException as error:  # whoever waits for it is to know
                future.set_exception(error)

        Thread(target=work, name="jevbias-llm-call", daemon=True).start()
        return future


def _checked(found: Any, shown: str) -> tuple[Llm, str, bool]:
    try:
        missing = [method for method in ("act", "propose") if not callable(getattr(found, method, None))]
        model, real = getattr(found, "model", None), bool(getattr(found, "is_real", True))
    except BaseException as error:  # a property may raise anything
        raise TaskError(f"--llm {shown}: its members cannot be read: {described(error)}") from error
    if missing:
        raise TaskError(f"--llm {shown}: has no method {missing[0]}(); see docs/collab.md")
    name = str.__str__(model) if isinstance(model, str) else ""
    if not name.strip():
        raise TaskError(f"--llm {shown}: `model` is no name")
    return cast("Llm", found), one_line(name, 120), real
