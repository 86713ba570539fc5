"""Returning probes to the queue: abandoned ones, and failed ones on demand."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Engine, select

from jevbias.errors import UsageError
from jevbias.store.clock import Clock
from jevbias.store.connections import writing
from jevbias.store.leases import owners, reclaim
from jevbias.store.owner import Owner
from jevbias.store.queue_statements import REOPEN_ALL
from jevbias.store.tables import PROBE, RUN


@dataclass(frozen=True)
class ResetSummary:
    """What a reset returned to the queue, and who still holds what it left alone."""

    abandoned: int
    failed: int
    still_held: int
    holders: tuple[Owner, ...]

    def lines(self) -> list[str]:
        """The summary as a terminal shows it."""
        lines = [f"{_probes(self.abandoned)} abandoned, {self.failed} failed: returned to the queue"]
        if self.still_held:
            names = ", ".join(owner.described for owner in self.holders)
            lines.append(f"{_probes(self.still_held)} still held by {names}: --force takes them too")
        return lines


def reset_probes(engine: Engine, run_id: int, *, failed: bool = False, force: bool = False) -> ResetSummary:
    """Return to the queue what nobody works on any more, and failed probes too when `failed`.

    Abandoned are the probes of owners known to be dead, and those whose lease has run out. Leases of owners
    that live, or that another host would have to tell of, need `force`; an answer that such an owner brings
    later is still stored. Raises UsageError when there is no run of this id.
    """
    with writing(engine) as connection:
        if connection.execute(select(RUN.c.id).where(RUN.c.id == run_id)).first() is None:
            raise UsageError(f"there is no run with the id {run_id}")
        clock = Clock()
        clock.synchronise(connection)
        abandoned = reclaim(connection, run_id, now=clock.now(), gone=lambda owner: force or owner.is_dead)
        reopened = connection.execute(REOPEN_ALL, {"run": run_id}).rowcount if failed else 0
        if abandoned or reopened:
            connection.execute(
                RUN.update()
                .where(RUN.c.id == run_id, RUN.c.status == "finished")
                .values(status="stopped", finished_at=None)
            )
        still_held = connection.execute(
            select(PROBE.c.id).where(PROBE.c.run_id == run_id, PROBE.c.status == "running")
        ).all()
        return ResetSummary(abandoned, reopened, len(still_held), tuple(owners(connection, run_id)))


def _probes(count: int) -> str:
    return "1 probe" if count == 1 else f"{count} probes"
