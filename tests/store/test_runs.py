"""Finding, listing and deleting runs."""

from __future__ import annotations

import pytest
from sqlalchemy import Engine, func, select

from jevbias.errors import UsageError
from jevbias.store.connections import reading, writing
from jevbias.store.queue import ProbeQueue
from jevbias.store.runs import create_run, delete_run, find_run, list_runs
from jevbias.store.tables import RUN, TABLES
from tests.store.small import RUN_SETTINGS, completed, small_plan


def test_without_a_name_the_newest_run_is_meant(engine: Engine) -> None:
    for name in ("first", "second", "third"):
        create_run(engine, small_plan(3), name=name, **RUN_SETTINGS)
    assert find_run(engine, None).name == "third"
    assert find_run(engine, "first").name == "first"
    delete_run(engine, "third")
    assert find_run(engine, None).name == "second"


def test_a_run_that_was_made_elsewhere_before_is_not_the_newest(engine: Engine) -> None:
    for name in ("own", "imported"):
        create_run(engine, small_plan(3), name=name, **RUN_SETTINGS)
    with writing(engine) as connection:
        connection.execute(RUN.update().where(RUN.c.name == "imported").values(created_at=1.0))
    assert find_run(engine, None).name == "own"
    assert [run.name for run in list_runs(engine)] == ["own", "imported"]


def test_a_run_that_is_not_there_is_refused_with_the_names_that_come_close(engine: Engine) -> None:
    with pytest.raises(UsageError, match="holds no planned run yet"):
        find_run(engine, None)
    for name in ("jev-pilot", "jev-standard", "sparrow-smoke"):
        create_run(engine, small_plan(3), name=name, **RUN_SETTINGS)
    with pytest.raises(UsageError, match=r"no run 'jev-pilto'; the database holds jev-pilot"):
        find_run(engine, "jev-pilto")
    with pytest.raises(UsageError, match="sparrow-smoke, jev-standard, jev-pilot"):
        delete_run(engine, "zzz")


def test_the_list_counts_what_came_of_the_probes(engine: Engine, run_id: int, queue: ProbeQueue) -> None:
    create_run(engine, small_plan(4), name="untouched", **RUN_SETTINGS)
    with writing(engine) as connection:
        claims = queue.claim(connection, 5)
        queue.complete(connection, completed(claims[0].lease))
        queue.complete(connection, completed(claims[1].lease))
        queue.complete(connection, completed(claims[2].lease, status="failed"))
        queue.complete(connection, completed(claims[3].lease, status="refused"))
    newest, oldest = list_runs(engine)
    assert (newest.name, newest.probes, newest.finished) == ("untouched", 4, 0)
    assert (oldest.name, oldest.probes, oldest.finished) == ("small", 10, 4)
    assert (oldest.answered, oldest.failed) == (2, 1)


def test_deleting_a_run_leaves_nothing_of_it(engine: Engine, run_id: int, queue: ProbeQueue) -> None:
    with writing(engine) as connection:
        for claim in queue.claim(connection, 3):
            queue.complete(connection, completed(claim.lease))
    delete_run(engine, "small")
    with reading(engine) as connection:
        for table in TABLES:
            assert connection.execute(select(func.count()).select_from(table)).scalar_one() == 0


def test_a_run_that_a_living_process_drains_is_not_deleted(
    engine: Engine, run_id: int, other: ProbeQueue, dead: ProbeQueue
) -> None:
    with writing(engine) as connection:
        (claim,) = other.claim(connection, 1)
        dead.claim(connection, 1)
    with pytest.raises(UsageError, match="run small is being drained by process"):
        delete_run(engine, "small")
    with writing(engine) as connection:
        other.release(connection, [claim.lease])
    delete_run(engine, "small")


def test_an_answer_to_a_deleted_run_touches_no_other(engine: Engine, run_id: int, queue: ProbeQueue) -> None:
    with writing(engine) as connection:
        claims = queue.claim(connection, 3)
        queue.release(connection, [claim.lease for claim in claims[1:]])
        queue.abandon(connection, claims[0].lease)
    delete_run(engine, "small")
    again = create_run(engine, small_plan(10), name="small", **RUN_SETTINGS)
    assert again != run_id
    with writing(engine) as connection:
        assert queue.complete(connection, completed(claims[0].lease)).name == "GONE"
    assert list_runs(engine)[0].finished == 0
