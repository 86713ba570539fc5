"""Hypotheses of a confirmatory run: frozen with a hash before its first call, and read back."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Engine, select

from jevbias.catalogue.canonical import canonical_hash
from jevbias.plan.confirm import Hypothesis
from jevbias.store.connections import reading
from jevbias.store.tables import HYPOTHESIS, Run

SETTING = "confirms"
"""Where the run's own row says, too, what was frozen: hypotheses that were deleted are missed by it."""


@dataclass(frozen=True)
class FrozenHypotheses:
    """What a run claims in advance, in order. `frozen_at` is in seconds since the epoch (UTC)."""

    source_run: str
    frozen_hash: str
    frozen_at: float | None
    rows: tuple[Hypothesis, ...]

    def is_intact(self, plan_hash: str) -> bool:
        """Whether hypotheses and plan still have the hash they were frozen with."""
        return self.frozen_hash == hypotheses_hash(self.rows, plan_hash)

    @property
    def setting(self) -> dict[str, Any]:
        """What the run's own row keeps of it, under `SETTING`."""
        return {"source_run": self.source_run, "frozen_hash": self.frozen_hash}


def freeze(rows: Sequence[Hypothesis], plan_hash: str, source_run: str) -> FrozenHypotheses:
    """Freeze hypotheses together with the plan that will test them, now."""
    return FrozenHypotheses(source_run, hypotheses_hash(rows, plan_hash), time.time(), tuple(rows))


def hypotheses_hash(rows: Sequence[Hypothesis], plan_hash: str) -> str:
    """SHA-256, in hex, over the ordered hypotheses and the plan's hash."""
    listed = [[row.comparison, row.direction, float(row.margin), float(row.alpha)] for row in rows]
    return canonical_hash({"hypotheses": listed, "plan": plan_hash})


def write_hypotheses(connection: Connection, run_id: int, frozen: FrozenHypotheses) -> None:
    """Write the hypotheses of a run, inside the transaction that makes it ready to be drained."""
    connection.execute(
        HYPOTHESIS.insert(),
        [
            {
                "run_id": run_id,
                "comparison": row.comparison,
                "position": position,
                "direction": row.direction,
                "margin": row.margin,
                "alpha": row.alpha,
                "frozen_hash": frozen.frozen_hash,
                "frozen_at": frozen.frozen_at,
                "source_run": frozen.source_run,
            }
            for position, row in enumerate(frozen.rows)
        ],
    )


def load_hypotheses(engine: Engine, run: Run) -> FrozenHypotheses | None:
    """The hypotheses of a run, None where it is not confirmatory.

    Rows and run that no longer carry one and the same hash give all the hashes there are, joined, which is
    the hash of nothing. Raises DatabaseError when the database cannot be read.
    """
    with reading(engine) as connection:
        found = connection.execute(
            select(HYPOTHESIS).where(HYPOTHESIS.c.run_id == run.id).order_by(HYPOTHESIS.c.position)
        ).all()
    declared: dict[str, str] = run.settings.get(SETTING) or {}
    if not found and not declared:
        return None
    hashes = {row.frozen_hash for row in found} | {declared.get("frozen_hash", "")} - {""}
    return FrozenHypotheses(
        source_run=found[0].source_run if found else declared.get("source_run", ""),
        frozen_hash=", ".join(sorted(hashes)),
        frozen_at=found[0].frozen_at if found else None,
        rows=tuple(Hypothesis(row.comparison, row.direction, row.margin, row.alpha) for row in found),
    )
