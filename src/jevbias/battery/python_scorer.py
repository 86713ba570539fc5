"""A Python function as a scorer: `module:function`, called with a prompt and a reply."""

from __future__ import annotations

import asyncio
import importlib
import inspect
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

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
        self._turn = asyncio.Lock()

    def render(self, ask: Ask) -> bytes:
        """The two arguments of the call, as JSON. Raises UnsendableText."""
        with sendable(ask):
            return canonical_json({"prompt": ask.frame.case["message"], "reply": ask.person["text"]})

    async def send(self, body: bytes) -> Reply:
        """Call the function once; what it raises comes back as a reply that failed."""
        arguments = json.loads(body)
        started = time.perf_counter()
        try:
            if inspect.iscoroutinefunction(self._function):
                score = await self._function(arguments["prompt"], arguments["reply"])
            else:
                async with self._turn:
                    score = await asyncio.to_thread(self._function, arguments["prompt"], arguments["reply"])
            content = score_body(score)
        except Exception as error:
            content = failure_body(f"{self.model} raised {_said(error)}")
        return Reply(200, content, 1000 * (time.perf_counter() - started))

    def read(self, ask: Ask, reply: Reply) -> Reading:
        """What a reply means."""
        del ask
        return read_score(QUESTION, reply)

    async def aclose(self) -> None:
        """Nothing is open."""


def _said(error: Exception) -> str:
    text = one_line(str(error))
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
