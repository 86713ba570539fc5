"""What of a run has not been answered yet, for an estimate of what that will take."""

from __future__ import annotations

from sqlalchemy import Connection, and_, func, or_, select

from jevbias.plan.model import Ask
from jevbias.store.asks import AskReader
from jevbias.store.owner import BATCH
from jevbias.store.tables import PENDING, PROBE, RUNNING

_AT_ONCE = 5_000


def unsent_asks(connection: Connection, run_id: int) -> list[tuple[Ask, int]]:
    """The asks of the probes that are pending, or that a process holds, and how many probes each has.

    What a batch holds is paid for already and left out.
    """
    of_a_process = and_(RUNNING, PROBE.c.lease_owner.not_like(f"{BATCH}%"))
    counts = connection.execute(
        select(PROBE.c.ask_id, func.count())
        .where(PROBE.c.run_id == run_id, or_(PENDING, of_a_process))
        .group_by(PROBE.c.ask_id)
        .order_by(PROBE.c.ask_id)
    ).all()
    reader = AskReader()
    found: list[tuple[Ask, int]] = []
    for start in range(0, len(counts), _AT_ONCE):
        part = {ask_id: count for ask_id, count in counts[start : start + _AT_ONCE]}
        asks = reader.load(connection, part)
        found += [(asks[ask_id], count) for ask_id, count in part.items()]
    return found
