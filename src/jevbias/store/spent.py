"""What a run has cost so far, whichever processes sent it."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, and_, func, or_, select

from jevbias.store.tables import ATTEMPT, PROBE

WORKED = ("answered", "refused", "malformed", "truncated")
"""Outcomes of replies for which the model has worked."""


@dataclass(frozen=True)
class Spent:
    """US dollars: the sum of the costs that are known, and the largest of them (None where none is).

    `unknown` counts the sends that may have been paid for although nobody said what they cost: replies that
    named none, and sends of which nothing came back.
    """

    cost: float = 0.0
    dearest: float | None = None
    unknown: int = 0


def spent_on(connection: Connection, run_id: int) -> Spent:
    """What the sends of a run have cost that have ended; those on their way are left out."""
    worked = and_(ATTEMPT.c.http_status.is_not(None), ATTEMPT.c.outcome.in_(WORKED))
    may_have_arrived = and_(
        ATTEMPT.c.http_status.is_(None), or_(ATTEMPT.c.possibly_billed, ATTEMPT.c.outcome == "unknown")
    )
    unpriced = and_(ATTEMPT.c.cost.is_(None), ATTEMPT.c.outcome.is_not(None), or_(worked, may_have_arrived))
    row = connection.execute(
        select(
            func.coalesce(func.sum(ATTEMPT.c.cost), 0.0),
            func.max(ATTEMPT.c.cost),
            func.count().filter(unpriced),
        )
        .select_from(PROBE.join(ATTEMPT, ATTEMPT.c.probe_id == PROBE.c.id))
        .where(PROBE.c.run_id == run_id)
    ).one()
    return Spent(float(row[0]), row[1], row[2])
