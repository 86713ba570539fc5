"""A Python function as a scorer: `module:function`, called with a prompt and a reply."""

from __future__ import annotations

import asyncio
import importlib
import inspect
import json
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import cast

from jevbias.battery.questions import QUESTION
from jevbias.battery.raw_scores import failure_body, read_score, score_body
from jevbias.catalogue.canonical import canonical_json
from jevbias.drivers.base import Reading, Reply
from jevbias.drivers.failures import one_line
from jevbias.drivers.sendable import sendable
from jevbias.errors import UsageError
from jevbias.plan.model import Ask

Scoring = Callable[[str, str], object]

PYTHON = "python"
"""The name of this way of asking."""


def load_function(name: str) -> Scoring:
    """The function that `module:function` names; modules of the current folder are found too.

    Raises UsageError where there is none, or where it cannot be called with a prompt and a reply.
    """
    module_name, _, attribute = name.partition(":")
    here = str(Path.cwd())
    added = here not in sys.path
    if added:
        sys.path.insert(0, here)
    try:
        found: object = importlib.import_module(module_name)
        for part in attribute.split("."):
            found = getattr(found, part)
    except Exception as error:
        raise UsageError(f"--scorer {name}: {_said(error)}") from None
    finally:
        if added:
            sys.path.remove(here)
    if not callable(found):
        raise UsageError(f"--scorer {name}: is no function; give one that takes (prompt, reply)")
    try:
        inspect.signature(found).bind("prompt", "reply")
    except TypeError as error:
        raise UsageError(
            f"--scorer {name}: cannot be called as (prompt, reply): {one_line(str(error))}"
        ) from None
    except ValueError:
        pass  # Functions of C say nothing about what they take.
    return found


class PythonScorer:
    """Puts replies to a function: one that is async to several at once, any other to one after the other, in
    a thread, because few models bear more.
    """

    name = PYTHON
    base_url = "this process"

    def __init__(self, model: str, function: Scoring) -> None:
        self.model, self._function = model, function
        of_object = getattr(type(function), "__call__", None)  # noqa: B004
        self._is_async = any(inspect.iscoroutinefunction(each) for each in (function, of_object))
        self._turn = asyncio.Lock()

    def render(self, ask: Ask) -> bytes:
        """The two arguments of the call, as JSON. Raises UnsendableText."""
        with sendable(ask):
            return canonical_json({"prompt": ask.frame.case["message"], "reply": ask.person["text"]})

    async def send(self, body: bytes) -> Reply:
        """Call the function once; what it raises comes back as a reply that failed."""
        arguments = json.loads(body)
        started = time.perf_counter()
        if self._is_async:
            came = await _awaited(partial(self._function, arguments["prompt"], arguments["reply"]))
        else:
            async with self._turn:
                came = await asyncio.to_thread(
                    _called, partial(self._function, arguments["prompt"], arguments["reply"])
                )
            if inspect.isawaitable(came):
                came = await _awaited(lambda: came)
        if isinstance(came, _Raised):
            content = failure_body(f"{self.model} raised {came.said}")
        else:
            try:
                content = score_body(came)
            except Exception as error:
                content = failure_body(f"{self.model} returned what is no number: {_said(error)}")
        return Reply(200, content, 1000 * (time.perf_counter() - started))

    def read(self, ask: Ask, reply: Reply) -> Reading:
        """What a reply means."""
        del ask
        return read_score(QUESTION, reply)

    async def aclose(self) -> None:
        """Nothing is open."""


@dataclass(frozen=True)
class _Raised:
    """What a function raised, in words."""

    said: str


def _called(call: Callable[[], object]) -> object:
    """Call in a thread. Nothing may leave it as an exception: StopIteration and cancellation mean something
    else to whoever waits for the thread, and SystemExit would end the run without a word.
    """
    try:
        return call()
    except BaseException as error:
        return _Raised(_said(error))


async def _awaited(call: Callable[[], object]) -> object:
    """Await what a call returns, in a task of its own, so that a cancellation inside is told from one of the
    run.
    """

    async def inside() -> object:
        try:
            return await cast(Awaitable[object], call())
        except asyncio.CancelledError:
            raise
        except BaseException as error:
            return _Raised(_said(error))

    task = asyncio.ensure_future(inside())
    try:
        await asyncio.wait({task})
    except asyncio.CancelledError:
        task.cancel()
        raise
    return _Raised("CancelledError") if task.cancelled() else task.result()


def _said(error: BaseException) -> str:
    try:
        text = one_line(str(error))
    except Exception:
        text = ""
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
