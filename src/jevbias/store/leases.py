"""Taking back what an owner no longer works on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from sqlalchemy import BindParameter, Connection, bindparam, case, or_, select

from jevbias.store.owner import Owner, is_batch
from jevbias.store.tables import ATTEMPT, PROBE, RUNNING

_IDS: BindParameter[int] = bindparam("ids", expanding=True)
_IN_FLIGHT = PROBE.c.id.in_(bindparam("in_flight", expanding=True))
_CHUNK = 500

_OWNERS = select(PROBE.c.lease_owner).where(PROBE.c.run_id == bindparam("run_id"), RUNNING).distinct()

_AT_WORK: BindParameter[str] = bindparam("at_work", expanding=True)
_RAN_OUT = _OWNERS.where(PROBE.c.lease_until < bindparam("now"), PROBE.c.lease_owner != bindparam("me"))

_LEFT = (
    select(PROBE.c.id)
    .where(
        PROBE.c.run_id == bindparam("run_id"),
        RUNNING,
        or_(
            PROBE.c.lease_owner.in_(bindparam("gone", expanding=True)),
            (PROBE.c.lease_until < bindparam("now")) & PROBE.c.lease_owner.not_in(_AT_WORK),
        ),
    )
    .with_for_update(skip_locked=True)
)

_UNKNOWN = (
    ATTEMPT.update()
    .where(ATTEMPT.c.probe_id.in_(_IDS), ATTEMPT.c.outcome.is_(None))
    .values(outcome="unknown", possibly_billed=True)
    .returning(ATTEMPT.c.probe_id)
)

_BACK = (
    PROBE.update()
    .where(PROBE.c.id.in_(_IDS), RUNNING)
    .values(
        status="pending",
        lease_owner=None,
        lease_until=None,
        attempts=PROBE.c.attempts - case((_IN_FLIGHT, 1), else_=0),
    )
)


def reclaim(
    connection: Connection,
    run_id: int,
    *,
    now: float,
    me: str = "",
    gone: Callable[[Owner], bool] = lambda owner: owner.is_dead,
) -> int:
    """Put back into the queue what owners that are `gone` hold, and what an owner of whom nothing is known
    here holds under a lease that has run out: neither `me` nor one that is seen to live, for it may be at
    work on another clock, or wake and go on. What batches hold is never taken back. Returns how many probes
    that were.
    """
    others = [owner for owner in owners(connection, run_id) if str(owner) != me]
    missing = [str(owner) for owner in others if gone(owner)]
    at_work = [me, *(str(owner) for owner in others if owner.is_alive)]
    these = {"run_id": run_id, "gone": missing, "now": now, "at_work": at_work}
    found = connection.execute(_LEFT, these).scalars().all()
    for start in range(0, len(found), _CHUNK):
        lose(connection, found[start : start + _CHUNK])
    return len(found)


def lose(connection: Connection, probe_ids: Sequence[int]) -> None:
    """End the leases of running probes (at most some hundred) whose sends nobody will report.

    An attempt in flight becomes `unknown` and possibly billed: it counts as a send, but not towards the
    attempts a probe may have.
    """
    in_flight = connection.execute(_UNKNOWN, {"ids": probe_ids}).scalars().all()
    connection.execute(_BACK, {"ids": probe_ids, "in_flight": in_flight})


def stalled(connection: Connection, run_id: int, *, now: float, me: str) -> list[Owner]:
    """Which processes but `me` hold probes of a run under leases that have run out: after a `reclaim` those
    of this host that live and do not renew them, as a stopped one.
    """
    return _processes(connection.execute(_RAN_OUT, {"run_id": run_id, "now": now, "me": me}).scalars())


def owners(connection: Connection, run_id: int) -> list[Owner]:
    """Which processes hold probes of a run."""
    return _processes(connection.execute(_OWNERS, {"run_id": run_id}).scalars())


def _processes(held_by: Iterable[str]) -> list[Owner]:
    return [Owner.parse(owner) for owner in held_by if not is_batch(owner)]
