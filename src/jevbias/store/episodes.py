"""The episodes of a collaboration run that have ended, each with its log."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, func, select
from sqlalchemy.dialects.postgresql import insert as insert_postgresql
from sqlalchemy.dialects.sqlite import insert as insert_sqlite

from jevbias.catalogue.canonical import canonical_json
from jevbias.store.call_tables import EPISODE


def add_episode(connection: Connection, run_id: int, log: Mapping[str, Any]) -> None:
    """Store the log of an episode, which names its `arm`, `level` and `number`. One that is stored already
    stays as it is.
    """
    row = {
        "run_id": run_id,
        "arm": log["arm"],
        "level": log["level"],
        "number": log["number"],
        "content": zlib.compress(canonical_json(dict(log))),
    }
    insert = insert_sqlite if connection.dialect.name == "sqlite" else insert_postgresql
    connection.execute(insert(EPISODE).values(row).on_conflict_do_nothing())


def count_episodes(connection: Connection, run_id: int) -> int:
    """How many episodes of a run have ended."""
    query = select(func.count()).select_from(EPISODE).where(EPISODE.c.run_id == run_id)
    return int(connection.execute(query).scalar_one())


def list_episodes(connection: Connection, run_id: int) -> list[dict[str, Any]]:
    """The logs of a run's episodes, by arm, level and number."""
    query = select(EPISODE.c.content).where(EPISODE.c.run_id == run_id)
    query = query.order_by(EPISODE.c.arm, EPISODE.c.level, EPISODE.c.number)
    return [json.loads(zlib.decompress(content)) for content in connection.execute(query).scalars()]
