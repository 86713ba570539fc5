"""Why and how a drain ends before its time."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from jevbias.errors import JevbiasError

T = TypeVar("T")


class Halted(Exception):
    """A wait was ended because the drain stops. Never leaves the drain."""


class Halt:
    """A drain's brake. The first cause counts.

    Once `requested`, nothing new is sent and answers on their way are awaited; once `at_once`, nothing is.
    """

    def __init__(self) -> None:
        self.requested = asyncio.Event()
        self.at_once = asyncio.Event()
        self.interrupted = False
        self.reason: str | None = None
        self.error: BaseException | None = None
        self._callbacks: list[Callable[[], None]] = []

    @property
    def described(self) -> str | None:
        """Why the drain stopped, in one line; None where it did not."""
        if self.error is not None:
            expected = isinstance(self.error, JevbiasError)
            return str(self.error) if expected else f"an error in jevbias ({type(self.error).__name__})"
        if self.interrupted and self.reason is None:
            return "interrupted"
        return self.reason

    def call_when_requested(self, callback: Callable[[], None]) -> None:
        """Have something called when the drain is to stop."""
        self._callbacks.append(callback)

    def stop(self, reason: str) -> None:
        """Stop because no further send makes sense; `reason` is one line for the user."""
        if not self.requested.is_set():
            self.reason = reason
            self._request()

    def interrupt(self) -> None:
        """Stop because the user says so; said a second time, at once."""
        if self.interrupted:
            self.at_once.set()
        self.interrupted = True
        self._request()

    def fail(self, error: BaseException) -> None:
        """Stop because of an error that is not the model's; it is raised when everything is put away."""
        if self.error is None:
            self.error = error
        self._request()

    def _request(self) -> None:
        if not self.requested.is_set():
            self.requested.set()
            for callback in self._callbacks:
                callback()

    async def sleep(self, seconds: float) -> None:
        """Wait so long. Raises Halted as soon as the drain is to stop."""
        try:
            await asyncio.wait_for(self.requested.wait(), seconds)
        except TimeoutError:
            return
        raise Halted

    async def unless_requested(self, step: Coroutine[Any, Any, T]) -> T:
        """Wait for a step that may be given up. Raises Halted as soon as the drain is to stop."""
        work = asyncio.ensure_future(step)
        stop = asyncio.ensure_future(self.requested.wait())
        try:
            await asyncio.wait({work, stop}, return_when=asyncio.FIRST_COMPLETED)
            if stop.done():
                raise Halted
            return work.result()
        finally:
            work.cancel()
            stop.cancel()


@contextmanager
def interrupts(halt: Halt, tell: Callable[[str], None]) -> Iterator[None]:
    """While inside, SIGINT and SIGTERM stop the drain: the first gently, the second at once."""

    def interrupt() -> None:
        halt.interrupt()
        if halt.at_once.is_set():
            tell("stopping at once; what is on its way counts as possibly sent")
        else:
            tell("stopping: waiting for the answers on their way (once more: stop at once)")

    loop = asyncio.get_running_loop()
    signals = (signal.SIGINT, signal.SIGTERM)
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    try:
        for number in signals:
            loop.add_signal_handler(number, interrupt)
    except NotImplementedError:  # Windows: Ctrl-C cancels the drain, whose leases then run out.
        yield
        return
    try:
        yield
    finally:
        for number in signals:
            loop.remove_signal_handler(number)
