"""A limit on what the calls of a run may cost, where each follows from the ones before."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from jevbias.drain.budget import HEADROOM
from jevbias.drain.money import money
from jevbias.drivers.base import Reply
from jevbias.drivers.paid import Paid
from jevbias.errors import BudgetSpent
from jevbias.store.spent import Spent


class CallBudget:
    """Refuses sends that could take what a run has cost past `limit`, in US dollars; None refuses nothing.

    `spent` is what it has cost so far. `expected` says what a body may cost as far as its price tells, None
    where nobody knows: then room is kept for twice the dearest reply so far, and before one with a cost there
    is nothing to go by. What may have been billed at an unknown price counts as the dearest so far, or what
    was expected; where no reply of a success names a cost and no price is known, nothing more is sent under a
    limit.
    """

    def __init__(
        self,
        limit: float | None,
        spent: Spent | None = None,
        expected: Callable[[bytes], float | None] = lambda _body: None,
    ) -> None:
        self._limit, self._expected = limit, expected
        start = spent or Spent()
        self._cost, self._dearest, self._unknown = start.cost, start.dearest or 0.0, start.unknown
        self._reserved = 0.0
        self._untold = False

    @property
    def total(self) -> float:
        """What the run has cost, or is taken to have cost where nobody said."""
        return self._cost + self._unknown * self._dearest

    @contextmanager
    def room(self, bodies: Sequence[bytes]) -> Iterator[None]:
        """Keep room for these sends while inside. Raises BudgetSpent where there is none."""
        needed = 0.0
        if self._limit is not None and bodies:
            if self._untold:
                raise BudgetSpent(
                    f"--max-cost {money(self._limit)} cannot be kept: a reply names no cost, and the price "
                    "table has none for the model that answered"
                )
            needed = sum(self._room_for(body) for body in bodies)
            if self.total + self._reserved + needed > self._limit:
                raise BudgetSpent(
                    f"--max-cost {money(self._limit)}: {money(self.total)} is spent and the next "
                    f"{'call' if len(bodies) == 1 else f'{len(bodies)} calls'} may cost {money(needed)}; "
                    "a higher limit goes on"
                )
        self._reserved += needed
        try:
            yield
        finally:
            self._reserved -= needed

    def count(self, body: bytes, reply: Reply, paid: Paid) -> None:
        """Note what a send took."""
        if paid.cost is not None:
            self._cost += paid.cost
            self._dearest = max(self._dearest, paid.cost)
        elif reply.possibly_billed or (reply.status is not None and 200 <= reply.status < 300):
            self._unknown += 1
            self._dearest = max(self._dearest, self._expected(body) or 0.0)
            self._untold = reply.status is not None and not self._dearest

    def _room_for(self, body: bytes) -> float:
        expected = self._expected(body)
        return HEADROOM * self._dearest if expected is None else expected
