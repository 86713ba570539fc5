"""Everybody of a run, one row each, with their attributes as columns."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import Connection, select

from jevbias.analysis.export.table import Row, Table
from jevbias.store.runs import run_catalogue
from jevbias.store.tables import PERSON, Run

FACTS = (
    "base",
    "is_anchor",
    "swapped_attribute",
    "swapped_level",
    "full_name",
    "age",
    "height_cm",
    "weight_kg",
)
_STREAMED = {"yield_per": 2_000}


def people_table(connection: Connection, run: Run) -> Table:
    """`person` is a person's number within the run, from 0; `attribute_religion` and so on hold levels."""
    attributes = list(run_catalogue(run).attributes)
    columns = ("person", *FACTS, *(f"attribute_{key}" for key in attributes))
    return Table(columns, _rows(connection, run, attributes))


def _rows(connection: Connection, run: Run, attributes: list[str]) -> Iterator[Row]:
    query = select(PERSON).where(PERSON.c.run_id == run.id).order_by(PERSON.c.idx)
    for row in connection.execute(query, execution_options=_STREAMED):
        facts = (getattr(row, name) for name in FACTS)
        yield (row.idx, *facts, *(row.attributes.get(key) for key in attributes))
