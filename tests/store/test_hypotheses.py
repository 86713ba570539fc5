"""Hypotheses are frozen before a run can be drained, and whoever changes one is found out."""

from __future__ import annotations

import dataclasses
import hashlib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine, func, select
from sqlalchemy.exc import IntegrityError

from jevbias.plan.confirm import Hypothesis
from jevbias.store.connections import reading, writing
from jevbias.store.engine import open_store
from jevbias.store.hypotheses import FrozenHypotheses, freeze, hypotheses_hash, load_hypotheses
from jevbias.store.runs import create_run, delete_run, find_run, list_runs
from jevbias.store.tables import HYPOTHESIS, RUN
from tests.store.small import RUN_SETTINGS, small_plan

ROWS = (
    Hypothesis("full/religion=muslim", "down", 0.02, 0.05),
    Hypothesis("full/religion=hindu", "up", 0.1 + 0.2, 1 / 3),
)


def confirm(engine: Engine, name: str = "confirm") -> FrozenHypotheses:
    plan = small_plan(6)
    frozen = freeze(ROWS, plan.plan_hash, "explore")
    create_run(engine, plan, name=name, **RUN_SETTINGS, hypotheses=frozen)
    return frozen


def load(engine: Engine, name: str = "confirm") -> FrozenHypotheses:
    loaded = load_hypotheses(engine, find_run(engine, name))
    assert loaded is not None
    return loaded


def test_the_hash_is_sha_256_over_the_ordered_hypotheses_and_the_plan() -> None:
    content = (
        '{"hypotheses":[["full/religion=muslim","down",0.02,0.05],'
        '["full/religion=hindu","up",0.30000000000000004,0.3333333333333333]],"plan":"abc"}'
    )
    assert hypotheses_hash(ROWS, "abc") == hashlib.sha256(content.encode()).hexdigest()


def test_what_was_frozen_is_read_back_in_order_and_intact(db: str) -> None:
    engine = open_store(db)
    frozen = confirm(engine)
    engine.dispose()
    engine = open_store(db)
    assert load(engine) == frozen
    assert load(engine).is_intact(find_run(engine, "confirm").plan_hash)


def test_a_run_without_hypotheses_has_none(engine: Engine, run_id: int) -> None:
    assert load_hypotheses(engine, find_run(engine, "small")) is None


@pytest.mark.parametrize(
    "change",
    [
        {"direction": "up"},
        {"margin": 0.03},
        {"alpha": 0.051},
        {"comparison": "full/religion=sikh"},
        {"position": 7},
        {"frozen_hash": "0" * 64},
    ],
    ids=lambda change: next(iter(change)),
)
def test_one_changed_hypothesis_is_found_out(engine: Engine, change: dict[str, Any]) -> None:
    confirm(engine)
    with writing(engine) as connection:
        this = HYPOTHESIS.c.comparison == "full/religion=muslim"
        assert connection.execute(HYPOTHESIS.update().where(this).values(**change)).rowcount == 1
    assert not load(engine).is_intact(find_run(engine, "confirm").plan_hash)


def test_another_plan_is_found_out(engine: Engine) -> None:
    confirm(engine)
    assert not load(engine).is_intact(small_plan(7).plan_hash)


def test_hypotheses_that_were_added_left_out_or_frozen_anew_are_found_out(engine: Engine) -> None:
    frozen = confirm(engine)
    plan_hash = find_run(engine, "confirm").plan_hash
    with writing(engine) as connection:
        row = dict(connection.execute(select(HYPOTHESIS)).mappings().first() or {})
        connection.execute(HYPOTHESIS.insert(), row | {"comparison": "full/religion=sikh", "position": 2})
    assert not load(engine).is_intact(plan_hash)

    fewer = freeze(ROWS[:1], plan_hash, "explore")
    with writing(engine) as connection:
        connection.execute(HYPOTHESIS.delete().where(HYPOTHESIS.c.comparison != ROWS[0].comparison))
        connection.execute(HYPOTHESIS.update().values(frozen_hash=fewer.frozen_hash))
    assert load(engine).rows == fewer.rows
    assert not load(engine).is_intact(plan_hash)

    with writing(engine) as connection:
        connection.execute(HYPOTHESIS.delete())
    emptied = load(engine)
    assert (emptied.rows, emptied.source_run, emptied.frozen_hash) == ((), "explore", frozen.frozen_hash)
    assert not emptied.is_intact(plan_hash)


@settings(derandomize=True, deadline=None, max_examples=25)
@given(st.permutations(ROWS), st.floats(0.001, 0.999), st.floats(0.001, 0.999))
def test_every_part_of_a_hypothesis_is_in_the_hash(
    rows: list[Hypothesis], margin: float, alpha: float
) -> None:
    changed = [dataclasses.replace(rows[0], margin=margin, alpha=alpha), rows[1]]
    assert (hypotheses_hash(changed, "plan") == hypotheses_hash(ROWS, "plan")) == (tuple(changed) == ROWS)


def test_a_run_is_planned_together_with_its_hypotheses_or_not_at_all(engine: Engine) -> None:
    plan = small_plan(6)
    twice = freeze((ROWS[0], ROWS[0]), plan.plan_hash, "explore")
    with pytest.raises(IntegrityError):
        create_run(engine, plan, name="confirm", **RUN_SETTINGS, hypotheses=twice)
    assert list_runs(engine) == []
    with reading(engine) as connection:
        assert connection.execute(select(func.count()).select_from(HYPOTHESIS)).scalar_one() == 0


def test_a_direction_is_down_or_up(engine: Engine) -> None:
    confirm(engine)
    with pytest.raises(IntegrityError), writing(engine) as connection:
        connection.execute(HYPOTHESIS.update().values(direction="sideways"))


def test_a_deleted_run_takes_its_hypotheses_with_it_and_no_others(engine: Engine) -> None:
    confirm(engine, "one")
    confirm(engine, "two")
    delete_run(engine, "one")
    with reading(engine) as connection:
        left = connection.execute(select(RUN.c.name).join(HYPOTHESIS, HYPOTHESIS.c.run_id == RUN.c.id))
        assert list(left.scalars()) == ["two", "two"]
