"""Writing many rows in one step: what is stored is what was given, on both databases, however many."""

from __future__ import annotations

import math

import pytest
from sqlalchemy import Engine, select
from sqlalchemy.exc import IntegrityError

from jevbias.store.connections import reading, writing
from jevbias.store.many_rows import InsertRows, UpdateRows
from jevbias.store.runs import create_run
from jevbias.store.tables import ANSWER, ATTEMPT, PROBE
from tests.store.small import RUN_SETTINGS, small_plan

BEGIN = InsertRows(ATTEMPT, ("probe_id", "number", "started_at", "possibly_billed"))
END = UpdateRows(ATTEMPT, ("probe_id", "number"), ("cost", "outcome", "response", "possibly_billed"))
VALUES = [0.1, 1 / 3, math.pi / 4, 5e-324, 1 - 2**-53]


@pytest.fixture
def probe_ids(engine: Engine) -> list[int]:
    create_run(engine, small_plan(40), name="small", **RUN_SETTINGS)
    with reading(engine) as connection:
        return list(connection.execute(select(PROBE.c.id).order_by(PROBE.c.id)).scalars())


@pytest.mark.parametrize("count", [0, 1, 15, 16, 17, 40])
def test_every_row_is_written_with_its_own_values(engine: Engine, probe_ids: list[int], count: int) -> None:
    with writing(engine) as connection:
        BEGIN.execute(connection, [(probe, 1, 7.5, False) for probe in probe_ids[:count]])
        rows = [
            (
                probe,
                1,
                VALUES[place % 5],
                f"ọ'%s?:{place}" if place % 3 else None,
                bytes([0, place]),
                place < 9,
            )
            for place, probe in enumerate(probe_ids[:count])
        ]
        END.execute(connection, rows)
    with reading(engine) as connection:
        columns = ("probe_id", "number", "cost", "outcome", "response", "possibly_billed", "started_at")
        query = select(*(ATTEMPT.c[name] for name in columns)).order_by(ATTEMPT.c.probe_id)
        assert [tuple(row) for row in connection.execute(query)] == [(*row, 7.5) for row in rows]


def test_only_the_row_that_all_keys_name_is_changed_and_what_is_to_be_emptied_is(
    engine: Engine, probe_ids: list[int]
) -> None:
    park = UpdateRows(PROBE, ("id", "position"), ("error",), emptied=("response", "cost"))
    with writing(engine) as connection:
        connection.execute(PROBE.update().values(response=b"old", cost=1.0, error="old"))
        park.execute(connection, [(probe_ids[0], 0, "new"), (probe_ids[1], 99, "new")])
    with reading(engine) as connection:
        query = select(PROBE.c.error, PROBE.c.response, PROBE.c.cost).order_by(PROBE.c.id)
        changed, *others = (tuple(row) for row in connection.execute(query))
    assert changed == ("new", None, None)
    assert set(others) == {("old", b"old", 1.0)}


def test_a_row_that_breaks_a_rule_fails_them_all(engine: Engine, probe_ids: list[int]) -> None:
    answers = InsertRows(ANSWER, ("probe_id", "question", "kind", "value", "favourability", "flags"))
    rows = [
        (probe, "trust", "noul", value, 0.5, "")
        for probe, value in zip(probe_ids[:2], (0.5, 1.5), strict=True)
    ]
    with pytest.raises(IntegrityError), writing(engine) as connection:
        answers.execute(connection, rows)
    with reading(engine) as connection:
        assert connection.execute(select(ANSWER)).all() == []
