"""A run's probes in the order in which they were planned, some hundred at a time."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import Column, Connection, Row, select

from jevbias.analysis.export.table import Value
from jevbias.catalogue.catalogue import Catalogue
from jevbias.store.tables import PERSON, PROBE, Run

_CHUNK = 500
_STREAMED = {"yield_per": 10_000}
SUBJECT = (
    *("person", "base", "is_anchor", "swapped_attribute", "swapped_level", "visible"),
    *("scenario", "variant", "condition", "replicate"),
)
"""Whom a probe asks about and what, the columns that probes and answers share. `visible`: whether the model
could see the swap, nothing for people who are none.
"""
_PEOPLE = tuple(PERSON.c[name] for name in ("idx", "base", "is_anchor", "swapped_attribute", "swapped_level"))


def probe_chunks(
    connection: Connection, run: Run, columns: Sequence[Column[Any]]
) -> Iterator[Sequence[Row[Any]]]:
    """Rows of these columns of the probe table and of `subject`, by `position`.

    The order is the plan's, the same in every database that holds the run, and it takes 8 bytes a probe.
    """
    ordered = select(PROBE.c.id).where(PROBE.c.run_id == run.id).order_by(PROBE.c.position)
    ids = array("q")
    for row in connection.execute(ordered, execution_options=_STREAMED):
        ids.append(row.id)
    query = select(*columns, *_PEOPLE).select_from(PROBE.join(PERSON, PERSON.c.id == PROBE.c.person_id))
    for start in range(0, len(ids), _CHUNK):
        some = list(ids[start : start + _CHUNK])
        yield connection.execute(query.where(PROBE.c.id.in_(some)).order_by(PROBE.c.position)).all()


def subject(row: Row[Any], catalogue: Catalogue) -> tuple[Value, ...]:
    """The values of `SUBJECT`."""
    swapped = row.swapped_attribute
    visible = None if swapped is None else catalogue.attributes[swapped].visible_in(row.condition)
    return (
        *(row.idx, row.base, row.is_anchor, swapped, row.swapped_level, visible),
        *(row.scenario, row.variant, row.condition, row.replicate),
    )


def by_probe(rows: Sequence[Row[Any]]) -> Mapping[int, list[Row[Any]]]:
    """Rows of another table by their probe."""
    found: dict[int, list[Row[Any]]] = {}
    for row in rows:
        found.setdefault(row.probe_id, []).append(row)
    return found
