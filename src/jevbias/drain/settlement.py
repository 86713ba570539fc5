"""What becomes of a probe after its last send, and of the run."""

from __future__ import annotations

import asyncio
import time
from functools import partial
from typing import Any

from jevbias.drain.context import DrainContext
from jevbias.drain.options import LONGEST_PARK
from jevbias.drain.progress import duration
from jevbias.drain.retries import asked_wait
from jevbias.drain.sending import Outcome, completed, parked
from jevbias.drain.streak import LONGEST, LONGEST_AMONG_ANSWERS, Streak, cause_of
from jevbias.drivers.failures import one_line
from jevbias.store.outcomes import CompletedProbe, Lease, Stored

_SHOWN = 120
"""Characters of a reply that a message shows."""

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
        self._base_url, self._model = context.driver.base_url, context.driver.model
        self._failures, self._malformed, self._long_waits = Streak(), Streak(), Streak()

    def settle(self, lease: Lease, outcome: Outcome, *, exhausted: bool) -> asyncio.Future[Any]:
        """Store how a probe's sending ended; the future is done when it is on the disk.

        `exhausted` says that the probe has had all its attempts.
        """
        verdict = outcome.reading.verdict
        if verdict in ("answered", "refused"):
            for streak in (self._failures, self._malformed, self._long_waits):
                streak.end()
            return self._complete(lease, completed(lease, outcome))
        if verdict == "malformed":
            self._long_waits.end()
            return self._settle_malformed(lease, outcome)
        if verdict == "stop":
            self._halt.stop(self._with_address(outcome.error))
            return self._park(lease, outcome, forgiven=True)
        if verdict == "retry":
            wait = asked_wait(outcome)
            if wait is not None and (outcome.refused_for_pace or not exhausted):
                return self._park_for_long(lease, outcome, wait)
            if outcome.unreached or (outcome.never_arrived and not self._tally.reached):
                cannot = "cannot be reached any more" if self._tally.reached else "cannot be reached"
                self._halt.stop(f"{self._base_url} {cannot}: {outcome.error}")
                return self._park(lease, outcome, forgiven=True)
        return self._fail(lease, outcome)

    def _fail(self, lease: Lease, outcome: Outcome) -> asyncio.Future[Any]:
        stored = self._complete(lease, completed(lease, outcome))
        if self._failures.add(cause_of(outcome), lease.probe_id) >= LONGEST:
            self._halt.stop(
                f"{self._base_url}: {LONGEST} probes in a row failed for the same reason: {outcome.error}"
            )
            return self._reopen(self._failures)
        return stored

    def _settle_malformed(self, lease: Lease, outcome: Outcome) -> asyncio.Future[Any]:
        """Store a reply without a usable answer. Where the run has no answer at all, a short streak stops it
        and goes back to the queue: it is the server that is wrong. Among answers it takes a long one, and
        which of the two is wrong is left to the user.
        """
        stored = self._complete(lease, completed(lease, outcome))
        length = self._malformed.add(cause_of(outcome), lease.probe_id)
        if self._tally.answered:
            if length >= LONGEST_AMONG_ANSWERS:
                self._halt.stop(self._not_usable(length, outcome))
            return stored
        if length >= LONGEST:
            self._halt.stop(self._not_usable(length, outcome))
            return self._reopen(self._malformed)
        return stored

    def _not_usable(self, length: int, outcome: Outcome) -> str:
        shown = one_line(outcome.reply.body.decode("utf-8", errors="replace"), _SHOWN)
        return (
            f"{self._base_url}: {length} replies in a row held no usable answer ({outcome.error}); the last "
            f"was {shown}: check {self._answering}"
        )

    @property
    def _answering(self) -> str:
        """What a user can look at: an address, or the function or file that answers without one."""
        addressed = "://" in self._base_url
        return f"that this address serves model {self._model}" if addressed else f"what {self._model} answers"

    def _with_address(self, line: str) -> str:
        return line if self._base_url in line else f"{self._base_url}: {line}"

    def _reopen(self, streak: Streak) -> asyncio.Future[Any]:
        stored = self._writer.call(self._queue.reopen, list(streak.probes))
        stored.add_done_callback(partial(self._ended, None))
        return stored

    def _park_for_long(self, lease: Lease, outcome: Outcome, wait: float) -> asyncio.Future[Any]:
        until = self._queue.clock.now() + wait
        at_least = "at least " if wait >= LONGEST_PARK else ""
        asked = f"the server asks to wait {at_least}{duration(wait)} ({outcome.error})"
        self._view.note(f"{asked}: one probe is parked until {clock_time(until)}")
        if self._long_waits.add(("wait",), lease.probe_id) >= LONGEST:
            self._halt.stop(f"{asked}; nothing need be sent before {clock_time(until)}")
        return self._park(lease, outcome, not_before=until, forgiven=outcome.refused_for_pace)

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
