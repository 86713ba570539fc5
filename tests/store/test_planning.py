"""A plan becomes a run, whole or not at all."""

from __future__ import annotations

import dataclasses
import json
import re
import zlib
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine, func, select

from jevbias.catalogue.canonical import canonical_json
from jevbias.catalogue.models import Attributes, Names
from jevbias.errors import UsageError
from jevbias.plan.model import Plan
from jevbias.store.asks import AskReader
from jevbias.store.connections import reading, writing
from jevbias.store.engine import open_store
from jevbias.store.owner import Owner
from jevbias.store.planning import free_name
from jevbias.store.runs import check_run_name, create_run, delete_run, find_run, list_runs, run_catalogue
from jevbias.store.tables import ASK, FRAME, PERSON, PROBE, RUN, TABLES
from tests.store.processes import Child
from tests.store.small import RUN_SETTINGS, small_plan


def rows(engine: Engine) -> dict[str, int]:
    with reading(engine) as connection:
        return {
            table.name: connection.execute(select(func.count()).select_from(table)).scalar_one()
            for table in TABLES
        }


def test_a_run_holds_its_plan_row_for_row(engine: Engine) -> None:
    plan = small_plan(14, replicates=3)
    run_id = create_run(engine, plan, name="whole", **RUN_SETTINGS)
    with reading(engine) as connection:
        people = connection.execute(select(PERSON).order_by(PERSON.c.idx)).all()
        probes = connection.execute(
            select(PROBE, PERSON.c.idx, ASK.c.hash)
            .join(PERSON, PERSON.c.id == PROBE.c.person_id)
            .join(ASK, ASK.c.id == PROBE.c.ask_id)
            .order_by(PROBE.c.position)
        ).all()
        asks = {
            digest: AskReader().load(connection, [ask_id])[ask_id]
            for ask_id, digest in connection.execute(select(ASK.c.id, ASK.c.hash)).all()
        }
    assert [
        (p.idx, p.base, p.is_anchor, p.swapped_attribute, p.swapped_level, p.full_name, p.attributes,
         p.age, p.height_cm, p.weight_kg) for p in people
    ] == [
        (p.idx, p.base, p.is_anchor, p.swapped_attribute, p.swapped_level, p.full_name, dict(p.levels),
         p.age, p.height_cm, p.weight_kg) for p in plan.people
    ]  # fmt: skip
    assert [(p.position, p.idx, p.scenario, p.variant, p.condition, p.replicate, p.hash) for p in probes] == [
        tuple(probe) for probe in plan.probes
    ]
    assert {probe.status for probe in probes} == {"pending"}
    assert {probe.run_id for probe in probes} == {run_id}
    assert asks == dict(plan.asks)
    assert all(ask.hash == digest for digest, ask in asks.items())
    assert [list(ask.person) for ask in asks.values()] == [["reference", "religion"]] * 5


def test_a_run_keeps_what_it_was_planned_with(engine: Engine) -> None:
    create_run(engine, small_plan(3, seed=2**40), name="kept", **RUN_SETTINGS)
    run = find_run(engine, "kept")
    assert (run.status, run.profile, run.design, run.seed) == ("planned", "small", "counterfactual", 2**40)
    assert (run.driver, run.model, run.margin, run.alpha) == ("jev", "jev-latest", 0.02, 0.05)
    assert run.settings["timeout"] == 30.0
    assert run.settings["profile"]["bases"] == 1
    assert (run.started_at, run.finished_at, run.planned_by) == (None, None, None)
    assert json.loads(zlib.decompress(run.catalogue)) == small_plan(3).snapshot


def test_the_catalogue_of_a_run_is_read_from_its_snapshot(engine: Engine) -> None:
    attributes = Attributes.model_validate(
        {"attributes": {"religion": {"label": "R", "reference": "none",
         "levels": {"none": {"phrase": None}, "muslim": {"phrase": "Muslim"}}}}}
    )  # fmt: skip
    names = Names.model_validate(
        {"cultures": {"anglo": {"surnames": ["Łuczak"], "first_names": {"man": ["Ọlá"]}}}}
    )
    snapshot = {
        "scenarios": {},
        "attributes": attributes.model_dump(mode="json")["attributes"],
        "incompatible": [],
        "names": names.model_dump(mode="json"),
    }
    plan = dataclasses.replace(small_plan(3), snapshot=snapshot)
    create_run(engine, plan, name="snapshot", **RUN_SETTINGS)
    catalogue = run_catalogue(find_run(engine, "snapshot"))
    assert catalogue.attributes == attributes.attributes
    assert catalogue.names == names


def test_two_runs_of_one_plan_share_nothing(engine: Engine) -> None:
    plan = small_plan(9)
    create_run(engine, plan, name="one", **RUN_SETTINGS)
    once = rows(engine)
    create_run(engine, plan, name="two", **RUN_SETTINGS)
    assert rows(engine) == {name: 2 * count for name, count in once.items()}
    delete_run(engine, "one")
    assert rows(engine) == once
    assert [run.name for run in list_runs(engine)] == ["two"]


def test_a_name_that_exists_is_refused_before_anything_is_written(engine: Engine, run_id: int) -> None:
    before = rows(engine)
    with pytest.raises(UsageError, match="run small exists; choose another --name"):
        create_run(engine, small_plan(3), name="small", **RUN_SETTINGS)
    assert rows(engine) == before


@given(st.text(max_size=90))
@settings(derandomize=True, deadline=None, max_examples=150)
def test_a_run_name_is_what_the_pattern_allows(name: str) -> None:
    if re.fullmatch("[A-Za-z0-9][A-Za-z0-9._-]{0,79}", name):
        assert check_run_name(name) == name
    else:
        with pytest.raises(UsageError, match="is not allowed") as refusal:
            check_run_name(name)
        assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("wanted", "made"),
    [
        ("grid-collab", "grid-collab"),
        ("qwen/qwen3:8b x", "qwen-qwen3-8b-x"),
        ("._-Łódź", "d-"),
        ("/./", "collab"),
        ("", "collab"),
        ("x" * 90, "x" * 70),
    ],
)
def test_a_name_that_is_made_is_allowed_and_free(engine: Engine, wanted: str, made: str) -> None:
    for name in (made, f"{made}-2", f"{made}-3"):
        assert free_name(engine, wanted, "collab") == name
        create_run(engine, small_plan(1), name=name, **RUN_SETTINGS)


@pytest.mark.parametrize("name", ["a", "jev-1.13.0-pilot", "x" * 80, "0_."])
def test_these_run_names_are_allowed(name: str) -> None:
    assert check_run_name(name) == name


@pytest.mark.parametrize("name", ["", "x" * 81, "-a", ".a", "a/b", "../a", "a b", "a\n", "á", "a\x00"])
def test_these_run_names_are_not(name: str) -> None:
    with pytest.raises(UsageError):
        check_run_name(name)


class _BrokenOff(tuple[Any, ...]):
    """Probes of which only some can be read."""

    def __iter__(self) -> Iterator[Any]:
        yield from list(super().__iter__())[:3]
        raise KeyboardInterrupt


def test_a_planning_that_is_interrupted_leaves_nothing_behind(engine: Engine) -> None:
    plan = small_plan(10)
    broken: Plan = dataclasses.replace(plan, probes=_BrokenOff(plan.probes))
    with pytest.raises(KeyboardInterrupt):
        create_run(engine, broken, name="small", **RUN_SETTINGS)
    assert set(rows(engine).values()) == {0}


@pytest.mark.parametrize("before", [0, 10])
def test_a_run_that_is_deleted_while_it_is_planned_leaves_nothing_behind(engine: Engine, before: int) -> None:
    class Deleting(tuple[Any, ...]):
        def __iter__(self) -> Iterator[Any]:
            for place, probe in enumerate((*super().__iter__(), None)):
                if place == before:
                    delete_run(engine, "small")
                if probe is not None:
                    yield probe

    plan = small_plan(10)
    with pytest.raises(UsageError, match="was deleted while it was planned"):
        create_run(
            engine, dataclasses.replace(plan, probes=Deleting(plan.probes)), name="small", **RUN_SETTINGS
        )
    assert set(rows(engine).values()) == {0}


def kill_me_while_planning(pipe: Any, db: str) -> None:
    class Endless(tuple[Any, ...]):
        def __iter__(self) -> Iterator[Any]:
            pipe.send("planning")
            pipe.recv()
            yield from ()

    plan = small_plan(10)
    create_run(open_store(db), dataclasses.replace(plan, probes=Endless()), name="small", **RUN_SETTINGS)


def test_a_planning_that_was_killed_is_seen_and_replaced(db: str) -> None:
    child = Child(kill_me_while_planning, db)
    assert child.wait_for_line() == "planning"
    engine = open_store(db)
    with pytest.raises(UsageError, match=f"being planned by process {child.pid}"):
        create_run(engine, small_plan(10), name="small", **RUN_SETTINGS)
    child.kill()
    assert [run.status for run in list_runs(engine)] == ["planning"]
    with pytest.raises(UsageError, match="never fully planned; start it again under the same name"):
        find_run(engine, "small")
    with pytest.raises(UsageError, match="holds no planned run"):
        find_run(engine, None)
    create_run(engine, small_plan(12), name="small", **RUN_SETTINGS)
    assert find_run(engine, None).status == "planned"
    assert rows(engine)["probe"] == 12
    assert rows(engine)["frame"] == 3


def test_a_planning_cut_short_elsewhere_is_freed_by_deleting_it(engine: Engine) -> None:
    create_run(engine, small_plan(3), name="far", **RUN_SETTINGS)
    with writing(engine) as connection:
        planner = str(Owner("elsewhere@1", 7, "123"))
        connection.execute(RUN.update().values(status="planning", planned_by=planner))
    with pytest.raises(UsageError, match="process 7 on elsewhere; if that is gone, `jevbias runs --delete"):
        create_run(engine, small_plan(3), name="far", **RUN_SETTINGS)
    delete_run(engine, "far")
    assert set(rows(engine).values()) == {0}


def test_frames_and_asks_are_stored_once(engine: Engine) -> None:
    create_run(engine, small_plan(12, replicates=4), name="shared", **RUN_SETTINGS)
    with reading(engine) as connection:
        assert connection.execute(select(func.count()).select_from(FRAME)).scalar_one() == 3
        assert connection.execute(select(func.count()).select_from(ASK)).scalar_one() == 3
        packed = connection.execute(select(ASK.c.person)).scalars().all()
    person = canonical_json({"reference": "Ọlá Łuczak 0", "religion": "phrase 0"})
    assert person in map(zlib.decompress, packed)
