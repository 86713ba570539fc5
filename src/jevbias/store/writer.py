"""The store thread: the one writer of a process, which commits what it is told in groups."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from threading import Thread
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, TypeVar

from sqlalchemy import Connection, Engine, text

from jevbias.errors import DatabaseError, DatabaseLostError
from jevbias.store.connections import connect_for_writing, explained
from jevbias.store.same_file import SameFile

P = ParamSpec("P")
T = TypeVar("T")
V = TypeVar("V")

_LARGEST_GROUP = 512
_AGAIN, _PAUSE = 5.0, 0.25
"""Seconds for which answers are put to a database again that was lost, and between two tries."""
GATHERED = 0.02
"""Seconds for which a value may wait for others of its kind; nothing else waits, or is waited for."""


@dataclass(frozen=True, slots=True)
class _Message:
    operation: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    answer: asyncio.Future[Any]
    shared: bool = False


@dataclass(frozen=True, slots=True)
class _Result:
    message: _Message
    value: Any = None
    error: BaseException | None = None


class StoreWriter:
    """Owns one synchronous connection in a thread of its own; use it as an asynchronous context manager.

    Operations that arrive while a transaction is being committed share the next one, and a commit starts as
    soon as the previous one has ended: the busier the process, the larger the groups. Values that are handed
    over for a shared operation are gathered for a moment first, or until the next call of another kind, as a
    commit for every one of them would cost more than all else that is done about it. When
    `await writer.call(…)` returns, what the operation wrote is on the disk.
    """

    def __init__(self, engine: Engine):
        self._engine = engine
        self._inbox: SimpleQueue[list[_Message] | None] = SimpleQueue()
        self._gathered: list[_Message] = []
        self._timer: asyncio.TimerHandle | None = None
        self._thread = Thread(target=self._work, name="jevbias-store", daemon=True)
        self._file: SameFile | None = None
        self._lost = False
        self.rescued: str | None = None
        """Once it has ended: where a copy of a database is whose file was taken away meanwhile."""

    async def __aenter__(self) -> StoreWriter:
        self._loop = asyncio.get_running_loop()
        self._ended = self._loop.create_future()
        self._thread.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Commit what was handed over and end the thread."""
        self._hand_over()
        self._inbox.put(None)
        await asyncio.shield(self._ended)
        self._thread.join()

    def call(
        self, operation: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> asyncio.Future[T]:
        """Hand over `operation(connection, *args, **kwargs)`; operations run in the order of the calls.

        The future has the operation's value once the transaction is committed, or its exception: a
        DatabaseError where the database failed, or its file is no longer the one that was opened. An
        operation that fails spoils no other of its group.
        """
        answer: asyncio.Future[T] = self._loop.create_future()
        self._gathered.append(_Message(operation, args, kwargs, answer))
        self._hand_over()
        return answer

    async def check(self) -> None:
        """Raises DatabaseError where nothing could be stored any more."""
        await self.call(_nothing)

    def call_shared(
        self, operation: Callable[[Connection, Sequence[V]], Sequence[T]], value: V
    ) -> asyncio.Future[T]:
        """Hand over one value for `operation(connection, values)`, which takes all of a group at once and
        returns a result for each, and may be repeated where a transaction broke. That begins within GATHERED
        seconds, unless another still lasts.
        """
        answer: asyncio.Future[T] = self._loop.create_future()
        self._gathered.append(_Message(operation, (value,), {}, answer, shared=True))
        if self._timer is None:
            self._timer = self._loop.call_later(GATHERED, self._hand_over)
        return answer

    def _hand_over(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._gathered:
            self._inbox.put(self._gathered)
            self._gathered = []

    def _work(self) -> None:
        connection: Connection | None = None
        running = True
        while running:
            group, running = self._next_group()
            if not group:
                break
            try:
                if connection is None:
                    with explained(self._engine):
                        connection = connect_for_writing(self._engine)
                    self._file = SameFile.of(self._engine)
                results = self._stored(connection, group)
            except Exception as error:
                results = [_Result(message, error=error) for message in group]
            self._tell(_resolve, results)
        if connection is not None:
            if self._lost and self._file is not None:
                self.rescued = self._file.rescue(connection)
            connection.close()
        self._tell(self._set_ended)

    def _next_group(self) -> tuple[list[_Message], bool]:
        """Everything that waits, and whether there is more to come; blocks until there is something."""
        first = self._inbox.get()
        if first is None:
            return [], False
        group = list(first)
        while len(group) < _LARGEST_GROUP:
            try:
                more = self._inbox.get_nowait()
            except Empty:
                break
            if more is None:
                return group, False
            group += more
        return group, True

    def _stored(self, connection: Connection, group: list[_Message]) -> list[_Result]:
        """Commit a group. Where the file was taken away, what has come all the same goes into what is left of
        it, which is rescued at the end; whoever calls for something else first is told.
        """
        try:
            if self._file is not None:
                self._file.check()
        except DatabaseLostError as error:
            if self._file is None or self._file.is_replaced:
                told = group
            else:
                told = [message for message in group if not (self._lost or message.shared)]
            self._lost = self._lost or bool(told)
            rest = [message for message in group if message not in told]
            return [*(_Result(message, error=error) for message in told), *self._commit(connection, rest)]
        return self._commit(connection, group)

    def _commit(self, connection: Connection, group: list[_Message]) -> list[_Result]:
        if not group:
            return []
        begun = False
        try:
            with explained(self._engine), connection.begin():
                begun = True
                return _performed(connection, group)
        except Exception as error:
            if not begun or isinstance(error, DatabaseLostError):
                return self._commit_again(connection, group, error)
            if len(group) == 1:
                return [_Result(message, error=error) for message in group]
        # Nothing of the group was committed. Without savepoints the way to find out which operation is at
        # fault, and to keep the others, is to run each on its own.
        return [result for message in group for result in self._commit(connection, [message])]

    def _commit_again(self, connection: Connection, group: list[_Message], error: Exception) -> list[_Result]:
        """Try for a while what may be done twice, the answers that came, where the database took nothing of a
        group, or broke off so that nobody knows what it took. The rest has failed, and in the end all
        has, for the reason it failed for first.
        """
        results = [_Result(message, error=error) for message in group if not message.shared]
        shared = [message for message in group if message.shared]
        until = time.monotonic() + _AGAIN
        while shared:
            try:
                with explained(self._engine), connection.begin():
                    return results + _performed(connection, shared)
            except DatabaseError:
                if time.monotonic() > until:
                    break
            time.sleep(_PAUSE)
        return results + [_Result(message, error=error) for message in shared]

    def _tell(self, callback: Callable[..., None], *args: object) -> None:
        # A closed loop has nobody left who waits for the answer.
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(callback, *args)

    def _set_ended(self) -> None:
        if not self._ended.done():
            self._ended.set_result(None)


def _nothing(connection: Connection) -> None:
    # A transaction without a statement never reaches a server.
    connection.execute(text("SELECT 1"))


def _performed(connection: Connection, group: list[_Message]) -> list[_Result]:
    """Run a group's operations; those that are shared run once, in place of the first."""
    results: list[_Result] = []
    shared: dict[Callable[..., Any], list[_Message]] = {}
    for message in group:
        if message.shared:
            shared.setdefault(message.operation, []).append(message)
    for message in group:
        if not message.shared:
            value = message.operation(connection, *message.args, **message.kwargs)
            results.append(_Result(message, value))
        elif together := shared.pop(message.operation, None):
            values = message.operation(connection, [one.args[0] for one in together])
            results += [_Result(one, value) for one, value in zip(together, values, strict=True)]
    return results


def _resolve(results: list[_Result]) -> None:
    for result in results:
        if result.message.answer.done():
            continue
        if result.error is not None:
            result.message.answer.set_exception(result.error)
        else:
            result.message.answer.set_result(result.value)
