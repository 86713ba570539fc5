"""What the database says after something was done with batches."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Engine, select

from jevbias.store.batches import StoredBatch, batches_of
from jevbias.store.connections import reading
from jevbias.store.tables import BATCH, RUN, TABLES


def stored(engine: Engine) -> list[StoredBatch]:
    """Every batch, oldest first."""
    with reading(engine) as connection:
        run_ids = connection.execute(select(RUN.c.id).order_by(RUN.c.id)).scalars().all()
        return [batch for run_id in run_ids for batch in batches_of(connection, run_id)]


def everything(engine: Engine) -> dict[str, list[Any]]:
    """Every row of every table."""
    with reading(engine) as connection:
        return {
            table.name: sorted((tuple(row) for row in connection.execute(select(table))), key=repr)
            for table in TABLES
        }


def set_back(engine: Engine, seconds: float) -> None:
    """As if the batches had been made so much earlier."""
    with engine.begin() as connection:
        connection.execute(
            BATCH.update().values(
                created_at=BATCH.c.created_at - seconds, submitted_at=BATCH.c.submitted_at - seconds
            )
        )
