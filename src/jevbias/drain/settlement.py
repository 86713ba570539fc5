"""What becomes of a probe after its last send, and of the run."""

from __future__ import annotations

import asyncio
import time
from functools import partial
from typing import Any

from jevbias.drain.context import DrainContext
from jevbias.drain.progress import duration
from jevbias.drain.retries import asked_wait
from jevbias.drain.sending import Outcome, completed, parked
from jevbias.drain.streak import LONGEST, Streak, cause_of
from jevbias.store.outcomes import CompletedProbe, Lease, Stored

_NOTES = {
    Stored.LATE: "an answer came after its lease was lost; nobody had another, so it counts",
    Stored.SUPERSEDED: "an answer came after its lease was lost; another's counts, this one is kept",
    Stored.GONE: "an answer came for a run that was deleted meanwhile",
}


class Settlement:
    """Stores outcomes, and stops the drain where they show that going on makes no sense."""

    def __init__(self, context: DrainContext):
        self._queue, self._writer, self._keeper = context.queue, context.writer, context.keeper
        self._halt, self._tally, self._view = context.halt, context.tally, context.view
        self._base_url = context.driver.base_url
        self._failures, self._long_waits = Streak(), Streak()

    def settle(self, lease: Lease, outcome: Outcome, *, exhausted: bool) -> asyncio.Future[Any]:
        """Store how a probe's sending ended; the future is done when it is on the disk.

        `exhausted` says that the probe has had all its attempts.
        """
        verdict = outcome.reading.verdict
        if verdict in ("answered", "refused", "malformed"):
            self._failures.end()
            self._long_waits.end()
            return self._complete(lease, completed(lease, outcome))
        if verdict == "stop":
            self._halt.stop(outcome.error)
            return self._park(lease, outcome, forgiven=True)
        if verdict == "retry":
            wait = asked_wait(outcome)
            if wait is not None and not exhausted:
                return self._park_for_long(lease, outcome, wait)
            if outcome.never_arrived and not self._tally.reached:
                self._halt.stop(f"{self._base_url} cannot be reached: {outcome.error}")
                return self._park(lease, outcome, forgiven=True)
        return self._fail(lease, outcome)

    def _fail(self, lease: Lease, outcome: Outcome) -> asyncio.Future[Any]:
        stored = self._complete(lease, completed(lease, outcome))
        if self._failures.add(cause_of(outcome), lease.probe_id):
            self._halt.stop(f"{LONGEST} probes in a row failed for the same reason: {outcome.error}")
            stored = self._writer.call(self._queue.reopen, list(self._failures.probes))
            stored.add_done_callback(partial(self._ended, None))
        return stored

    def _park_for_long(self, lease: Lease, outcome: Outcome, wait: float) -> asyncio.Future[Any]:
        until = self._queue.clock.now() + wait
        asked = f"the server asks to wait {duration(wait)} ({outcome.error})"
        self._view.note(f"{asked}: one probe is parked until {clock_time(until)}")
        if self._long_waits.add(("wait",), lease.probe_id):
            self._halt.stop(f"{asked}; nothing need be sent before {clock_time(until)}")
        return self._park(lease, outcome, not_before=until)

    def _park(
        self, lease: Lease, outcome: Outcome, *, not_before: float | None = None, forgiven: bool = False
    ) -> asyncio.Future[Any]:
        probe = parked(lease, outcome, not_before=not_before, forgiven=forgiven)
        stored = self._writer.call(self._queue.park, probe)
        stored.add_done_callback(partial(self._ended, lease))
        return stored

    def _complete(self, lease: Lease, probe: CompletedProbe) -> asyncio.Future[Any]:
        stored = self._writer.call_shared(self._queue.complete_all, probe)
        stored.add_done_callback(partial(self._ended, lease))
        stored.add_done_callback(partial(self._count, probe))
        return stored

    def _ended(self, lease: Lease | None, stored: asyncio.Future[Any]) -> None:
        if lease is not None:
            self._keeper.drop(lease)
        if not stored.cancelled() and (error := stored.exception()) is not None:
            self._halt.fail(error)

    def _count(self, probe: CompletedProbe, stored: asyncio.Future[Stored]) -> None:
        if stored.cancelled() or stored.exception() is not None:
            return
        if stored.result() in (Stored.KEPT, Stored.LATE):
            self._tally.completed(probe)
        if stored.result() in _NOTES:
            self._view.note(_NOTES[stored.result()])


def clock_time(seconds: float) -> str:
    """A time as a user's clock shows it, with the date unless it is today's."""
    then, today = time.localtime(seconds), time.localtime()
    return time.strftime("%H:%M" if then[:3] == today[:3] else "%d %b %H:%M", then)
