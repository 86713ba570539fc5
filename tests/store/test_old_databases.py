"""A database that an older version made is brought up to date: what it holds stays, and its runs go on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import Engine, event, inspect

from jevbias.analysis.analyse import analyse_run
from jevbias.store import migrations
from jevbias.store.connections import reading, writing
from jevbias.store.engine import open_store
from jevbias.store.hypotheses import load_hypotheses
from jevbias.store.migrations import LATEST, MIGRATIONS, schema_version
from jevbias.store.progress import run_progress
from jevbias.store.queue import ProbeQueue
from jevbias.store.reset import reset_probes
from jevbias.store.runs import find_run, list_runs
from jevbias.store.tables import TABLES
from tests.store.old import OLD_VERSION, Contents, contents, restore_old
from tests.store.processes import Child


@pytest.fixture
def old(db: str) -> str:
    """A database of schema 3."""
    restore_old(db)
    return db


@pytest.fixture
def migrated(old: str) -> Iterator[Engine]:
    engine = open_store(old, create=False)
    yield engine
    engine.dispose()


def columns_of(before: Contents, after: Contents) -> Contents:
    """What there was before, as it is now."""
    return {
        table: [{name: row[name] for name in rows[0]} for row in after[table]]
        for table, rows in before.items()
    }


def test_every_row_is_kept_as_it_was(old: str) -> None:
    before = contents(old)
    assert len(before["schema_migration"]) == OLD_VERSION
    assert len(before["answer"]) == 80
    open_store(old, create=False).dispose()
    after = contents(old)
    assert len(after["schema_migration"]) == LATEST
    assert [row["name"] for row in after["schema_migration"]] == [step.__name__ for step in MIGRATIONS]
    after["schema_migration"] = after["schema_migration"][:OLD_VERSION]
    assert columns_of(before, after) == before


def test_the_schema_is_that_of_a_new_database(migrated: Engine) -> None:
    found = inspect(migrated)
    for table in TABLES:
        assert [column["name"] for column in found.get_columns(table.name)] == [
            column.name for column in table.columns
        ]
        named = {
            index["name"] for index in found.get_indexes(table.name) if not index.get("duplicates_constraint")
        }
        assert named == {index.name for index in table.indexes}


def test_its_finished_run_is_analysed_with_the_hypotheses_it_froze(migrated: Engine) -> None:
    run = find_run(migrated, "tested")
    frozen = load_hypotheses(migrated, run)
    assert frozen is not None
    assert frozen.is_intact(run.plan_hash)
    report = analyse_run(migrated, "tested")
    assert (report.run.calls, report.run.answers) == (15, 75)
    assert report.hypotheses is not None
    assert [row.comparison for row in report.hypotheses.rows] == [row.comparison for row in frozen.rows]


def test_its_stopped_run_is_seen_as_it_was_and_goes_on(migrated: Engine) -> None:
    assert [(run.name, run.status) for run in list_runs(migrated)] == [
        ("stopped", "running"),
        ("tested", "finished"),
    ]
    run_id = find_run(migrated, "stopped").id
    assert run_id is not None
    progress = run_progress(migrated, run_id)
    assert progress.by_status == {
        "pending": 9, "running": 2, "answered": 1, "refused": 1, "malformed": 1, "failed": 1
    }  # fmt: skip
    assert (progress.sends, progress.possible_sends, progress.cost) == (4, 2, 1.0)
    reset = reset_probes(migrated, run_id, failed=True, refused=True, force=True)
    assert (reset.abandoned, reset.failed, reset.malformed, reset.refused) == (2, 1, 1, 1)
    queue = ProbeQueue(run_id, "me@1/1/1")
    with writing(migrated) as connection:
        claims = queue.claim(connection, 20)
    assert len(claims) == 14
    numbers = [claim.lease.attempt for claim in claims]
    assert (numbers.count(1), numbers.count(2)) == (9, 5)


def open_and_stop_halfway(pipe: Any, db: str) -> None:
    @event.listens_for(Engine, "before_cursor_execute")
    def stop(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        if "CREATE INDEX batch_run" in statement:
            pipe.send("halfway")
            pipe.recv()

    open_store(db)


def test_a_migration_that_is_killed_halfway_leaves_the_old_version_whole(old: str) -> None:
    before = contents(old)
    child = Child(open_and_stop_halfway, old)
    assert child.wait_for_line() == "halfway"
    child.kill()
    assert contents(old) == before
    engine = open_store(old)
    with reading(engine) as connection:
        assert schema_version(connection) == LATEST
    after = contents(old)
    after["schema_migration"] = after["schema_migration"][:OLD_VERSION]
    assert columns_of(before, after) == before


def test_a_database_in_between_is_brought_up_to_date_by_one_of_several_processes(old: str) -> None:
    children = [Child(open_when_told, old) for _ in range(3)]
    assert [child.wait_for_line() for child in children] == ["ready"] * 3
    for child in children:
        child.tell("go")
    for child in children:
        child.result()
    assert [row["number"] for row in contents(old)["schema_migration"]] == list(
        range(1, migrations.LATEST + 1)
    )


def open_when_told(pipe: Any, db: str) -> None:
    pipe.send("ready")
    pipe.recv()
    open_store(db)
