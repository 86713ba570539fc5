"""Returning probes to the queue: abandoned ones, and on demand those that ended without an answer."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, Engine, func, select

from jevbias.errors import UsageError
from jevbias.store.clock import Clock
from jevbias.store.connections import writing
from jevbias.store.leases import owners, reclaim
from jevbias.store.owner import BATCH, Owner
from jevbias.store.queue_statements import KEEP_ALL_REPLIES, REOPEN_ALL
from jevbias.store.run_status import mark_deserted
from jevbias.store.tables import PROBE, RUN

_REASON = "a reset returned probes to the queue"


@dataclass(frozen=True)
class ResetSummary:
    """What a reset returned to the queue, and who still holds what it left alone: processes, or batches."""

    abandoned: int
    failed: int = 0
    malformed: int = 0
    refused: int = 0
    still_held: int = 0
    holders: tuple[Owner, ...] = ()
    in_batches: int = 0

    @property
    def returned(self) -> int:
        """How many probes went back to the queue."""
        return self.abandoned + self.failed + self.malformed + self.refused

    def lines(self) -> list[str]:
        """The summary as a terminal shows it."""
        counts = [f"{_probes(self.abandoned)} abandoned", f"{self.failed} failed"]
        counts += [f"{n} {word}" for word in ("malformed", "refused") if (n := getattr(self, word))]
        lines = [f"{', '.join(counts)}: returned to the queue"]
        if self.still_held:
            names = ", ".join(owner.described for owner in self.holders)
            lines.append(f"{_probes(self.still_held)} still held by {names}: --force takes them too")
        if self.in_batches:
            lines.append(
                f"{_probes(self.in_batches)} in batches stay there, with --force too, because their answers "
                "are paid for: `jevbias batch collect` stores them"
            )
        return lines


def reset_probes(
    engine: Engine, run_id: int, *, failed: bool = False, refused: bool = False, force: bool = False
) -> ResetSummary:
    """Return to the queue what nobody works on any more; with `failed` also probes that ended failed or
    malformed, with `refused` those that the model declined. What was sent stays in the log.

    Abandoned are the probes of owners known to be dead, and of owners on other hosts whose lease has run out.
    Leases of owners that live here, whether they ran out or not, and of others while they last need `force`;
    an answer that such an owner brings later is still stored. What batches hold is never taken back here. A
    run that nobody works on any more is no longer called running. Raises UsageError when there is no run of
    this id.
    """
    statuses = [*(["failed", "malformed"] if failed else []), *(["refused"] if refused else [])]
    with writing(engine) as connection:
        if connection.execute(select(RUN.c.id).where(RUN.c.id == run_id)).first() is None:
            raise UsageError(f"there is no run with the id {run_id}")
        clock = Clock()
        clock.synchronise(connection)
        robbed = force and any(owner.is_here and not owner.is_dead for owner in owners(connection, run_id))
        abandoned = reclaim(connection, run_id, now=clock.now(), gone=lambda owner: force or owner.is_dead)
        if not robbed:  # A living process claims anew.
            mark_deserted(connection, run_id, clock.now())
        reopened = _reopen(connection, run_id, statuses) if statuses else {}
        if abandoned or reopened:
            connection.execute(
                RUN.update()
                .where(RUN.c.id == run_id, RUN.c.status == "finished")
                .values(status="stopped", finished_at=None, stop_reason=_REASON)
            )
        in_a_batch = PROBE.c.lease_owner.startswith(BATCH)
        still = connection.execute(
            select(
                func.count().filter(~in_a_batch).label("held"),
                func.count().filter(in_a_batch).label("in_batches"),
            ).where(PROBE.c.run_id == run_id, PROBE.c.status == "running")
        ).one()
        return ResetSummary(
            abandoned,
            still_held=still.held,
            holders=tuple(owners(connection, run_id)),
            in_batches=still.in_batches,
            **reopened,
        )


def _reopen(connection: Connection, run_id: int, statuses: list[str]) -> dict[str, int]:
    """Reopen every probe that ended so; how many of which status that were."""
    these = {"run": run_id, "statuses": statuses}
    counts = connection.execute(
        select(PROBE.c.status, func.count())
        .where(PROBE.c.run_id == run_id, PROBE.c.status.in_(statuses))
        .group_by(PROBE.c.status)
    )
    found = {status: count for status, count in counts}
    connection.execute(KEEP_ALL_REPLIES, these)
    connection.execute(REOPEN_ALL, these)
    return found


def _probes(count: int) -> str:
    return "1 probe" if count == 1 else f"{count} probes"
