"""LLMs that a user wrote."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
from typing import Any

from jevbias.collab.situation import Doubt, MadeCall, Named, Proposal, Proposed, Situation


class Walker:
    """Walks right, and counts how often it is asked."""

    model = "walker"
    asked = 0
    fails_after = 10**9

    async def act(self, situation: Situation, doubt: Doubt | None, key: str) -> Named:
        return Named(Proposal("right", "on"), self._call())

    async def propose(self, situation: Situation, most: int, doubt: Doubt | None, key: str) -> Proposed:
        return Proposed((Proposal("right"), Proposal("left")), self._call())

    def _call(self) -> MadeCall:
        type(self).asked += 1
        if type(self).asked > type(self).fails_after:
            raise RuntimeError("out\nof order")
        return MadeCall("llm", "mine", self.model, 7, 2, 0.25)


class Mute:
    """Returns what is no answer."""

    model = "mute"

    async def act(self, situation: Situation, doubt: Doubt | None, key: str) -> Any:
        return "right"

    async def propose(self, situation: Situation, most: int, doubt: Doubt | None, key: str) -> Any:
        return Proposed((Proposal(7),), MadeCall("llm", "mine", None))  # type: ignore[arg-type]


class Half:
    """Only acts."""

    model = "half"

    async def act(self, *_: object) -> None:
        return None


class Cancelled(Walker):
    """Ends as a task of the loop that is cancelled."""

    model = "cancelled"

    async def act(self, *_: object) -> Any:
        raise asyncio.CancelledError


class Puppet(Walker):
    """Answers what a test puts into it, and is no model."""

    model = "puppet"
    is_real = False
    answer: Any = None
    told: Any = None

    async def act(self, situation: Situation, doubt: Doubt | None, key: str) -> Any:
        type(self).told = situation
        return type(self).answer


class Endless(Walker):
    """Never returns from the first call, and has the user press Ctrl-C twice meanwhile."""

    model = "endless"
    let_go = threading.Event()

    async def act(self, *_: object) -> Any:
        for _press in range(2):
            os.kill(os.getpid(), signal.SIGINT)
            threading.Event().wait(0.2)
        while not self.let_go.is_set():  # without an await: the loop that it runs in stands still
            pass


class Stuck(Walker):
    """Waits without an end."""

    model = "stuck"
    let_go = threading.Event()

    async def act(self, *_: object) -> Any:
        self.let_go.wait()


class Blocking(Walker):
    """Is no `async def`."""

    model = "blocking"

    def act(self, *_: object) -> Any:
        return Named(Proposal("right"), self._call())


class Hidden(Walker):
    """Has a member that cannot be read."""

    @property
    def model(self) -> str:  # type: ignore[override]
        raise LookupError


class Wordless(Walker):
    """Raises what cannot say what it is."""

    model = "wordless"

    async def act(self, *_: object) -> Any:
        class Evil(Exception):
            def __str__(self) -> str:
                raise RuntimeError

        raise Evil


class Leaving(Walker):
    """Ends processes, in a task of its own too."""

    model = "leaving"

    async def act(self, *_: object) -> Any:
        async def leave() -> None:
            raise SystemExit(3)

        await asyncio.gather(asyncio.ensure_future(leave()), return_exceptions=True)
        raise SystemExit(4)


class Printing(Walker):
    """Prints."""

    model = "printing"

    async def act(self, *told: Any) -> Named:
        sys.stdout.write("asked\n")
        return await super().act(*told)


class InThread(Walker):
    """Works in a thread, as one does with a client that knows no `await`."""

    model = "in a thread"

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()

    async def act(self, *told: Any) -> Named:
        assert asyncio.get_running_loop() is self._loop
        assert await asyncio.to_thread(lambda: threading.current_thread().daemon)
        return await super().act(*told)
