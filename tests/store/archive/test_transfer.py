"""An import is seen whole or not at all, and the second of the same archive changes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine, func, select

from jevbias.catalogue.catalogue import Catalogue
from jevbias.errors import ArchiveError, DatabaseError, UsageError
from jevbias.store.archive import transfer
from jevbias.store.archive.records import Line
from jevbias.store.archive.verify import verified_lines, verify_archive
from jevbias.store.connections import reading, writing
from jevbias.store.runs import create_run, find_run, list_runs
from jevbias.store.tables import ANSWER, ASK, ATTEMPT, FRAME, PERSON, PROBE, RUN, TABLES
from tests.store.archive.files import export, take_in
from tests.store.archive.worn import worn_plan, worn_run
from tests.store.processes import Child
from tests.store.small import RUN_SETTINGS, small_plan


@pytest.fixture
def path(worn_archive: bytes, tmp_path: Path) -> Path:
    """The worn run's archive as a file."""
    path = tmp_path / "worn.jsonl.gz"
    path.write_bytes(worn_archive)
    return path


def row_counts(engine: Engine) -> dict[str, int]:
    with reading(engine) as connection:
        return {
            table.name: connection.execute(select(func.count()).select_from(table)).scalar_one()
            for table in TABLES
        }


def test_the_same_archive_again_changes_nothing(engine: Engine, path: Path) -> None:
    assert take_in(engine, path).is_new
    before = row_counts(engine)
    again = take_in(engine, path)
    assert (again.name, again.is_new) == ("worn", False)
    assert row_counts(engine) == before


def test_a_run_of_that_name_with_other_answers_stays(engine: Engine, path: Path) -> None:
    take_in(engine, path)
    with writing(engine) as connection:
        connection.execute(ANSWER.update().where(ANSWER.c.value == 0.5).values(confidence=0.875))
    before = row_counts(engine)
    with pytest.raises(UsageError, match=r"run worn exists and is not the one in .* --name OTHER"):
        take_in(engine, path)
    assert row_counts(engine) == before


def test_a_run_of_that_name_that_is_worked_on_is_another(engine: Engine, path: Path) -> None:
    take_in(engine, path)
    with writing(engine) as connection:
        connection.execute(RUN.update().values(status="running"))
    with pytest.raises(UsageError, match="--name OTHER"):
        take_in(engine, path)


def test_nobody_sees_a_run_before_all_of_it_is_there(
    engine: Engine, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("jevbias.store.archive.line_store._CHUNK", 25)
    seen: list[int] = []

    def watched(archive: Path) -> Iterator[Line]:
        for line in verified_lines(archive):
            if line.record != "run":
                with pytest.raises(UsageError):
                    find_run(engine, "worn")
                with pytest.raises(UsageError, match="no planned run"):
                    find_run(engine, None)
                seen.append(row_counts(engine)["probe"])
            yield line

    monkeypatch.setattr(transfer, "verified_lines", watched)
    take_in(engine, path)
    assert 0 < max(seen) < row_counts(engine)["probe"]
    assert find_run(engine, None).name == "worn"


def test_an_import_that_is_interrupted_leaves_nothing_behind(
    engine: Engine, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("jevbias.store.archive.line_store._CHUNK", 25)

    def interrupted(archive: Path) -> Iterator[Line]:
        for number, line in enumerate(verified_lines(archive)):
            if number == 100:
                assert row_counts(engine)["probe"] > 0
                raise KeyboardInterrupt
            yield line

    monkeypatch.setattr(transfer, "verified_lines", interrupted)
    with pytest.raises(KeyboardInterrupt):
        take_in(engine, path)
    assert not any(row_counts(engine).values())


def test_a_file_that_changes_between_verifying_and_storing_is_refused(
    engine: Engine, path: Path, tmp_path: Path, catalogue: Catalogue
) -> None:
    verified = verify_archive(path)
    create_run(engine, worn_plan(catalogue), name="worn", **RUN_SETTINGS)
    other = export(engine, tmp_path / "other.jsonl.gz")
    with writing(engine) as connection:
        for table in (PROBE, ASK, FRAME, PERSON, RUN):
            connection.execute(table.delete())
    path.write_bytes(other)
    with pytest.raises(ArchiveError, match="was changed while it was imported"):
        transfer.import_archive(engine, path, verified)
    assert not any(row_counts(engine).values())


def import_and_wait(pipe: object, db: str, path: str) -> None:
    """Import an archive and stop in the middle of it."""
    from jevbias.store.archive import line_store
    from jevbias.store.engine import open_store

    line_store._CHUNK = 25

    def slow(archive: Path) -> Iterator[Line]:
        for number, line in enumerate(verified_lines(archive)):
            if number == 100:
                pipe.send("half way")  # type: ignore[attr-defined]
                pipe.recv()  # type: ignore[attr-defined]
            yield line

    vars(transfer)["verified_lines"] = slow
    take_in(open_store(db), Path(path))


def test_what_an_import_that_was_killed_left_gives_way_to_the_next(
    engine: Engine, db: str, path: Path, worn_archive: bytes, tmp_path: Path
) -> None:
    child = Child(import_and_wait, db, str(path))
    assert child.wait_for_line() == "half way"
    with pytest.raises(UsageError, match="run worn is being planned by process"):
        take_in(engine, path)
    child.kill()
    assert row_counts(engine)["probe"] > 0
    assert [run.status for run in list_runs(engine)] == ["planning"]
    assert take_in(engine, path).is_new
    assert export(engine, tmp_path / "again.jsonl.gz") == worn_archive


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"status": "planning"}, "never fully planned"),
        ({"status": "running"}, "run worn is running: stop it first"),
    ],
)
def test_a_run_that_is_not_at_rest_has_no_archive(
    engine: Engine, catalogue: Catalogue, tmp_path: Path, values: dict[str, str], said: str
) -> None:
    run = worn_run(engine, catalogue)
    with writing(engine) as connection:
        connection.execute(RUN.update().values(values))
    with (tmp_path / "run.jsonl.gz").open("wb") as file, pytest.raises(UsageError, match=said):
        transfer.export_run(engine, run, file)


def test_nor_has_one_with_probes_in_a_batch(engine: Engine, catalogue: Catalogue, tmp_path: Path) -> None:
    run = worn_run(engine, catalogue)
    with writing(engine) as connection:
        held = {"status": "running", "lease_owner": "batch:1"}
        connection.execute(PROBE.update().where(PROBE.c.position < 3).values(held))
    with pytest.raises(UsageError, match="run worn: 3 of its probes are held by a batch"):
        transfer.check_exportable(engine, run)


def test_a_run_whose_plan_was_altered_in_the_database_has_none(
    sqlite: Engine, catalogue: Catalogue, tmp_path: Path
) -> None:
    worn_run(sqlite, catalogue)
    with writing(sqlite) as connection:
        connection.execute(PROBE.update().where(PROBE.c.replicate == 1).values(replicate=5))
    with pytest.raises(DatabaseError, match="altered in the database: the probes are not those"):
        export(sqlite, tmp_path / "run.jsonl.gz")


def test_nor_has_one_whose_hashes_were_never_those_of_its_content(sqlite: Engine, tmp_path: Path) -> None:
    create_run(sqlite, small_plan(3), name="small", **RUN_SETTINGS)
    with pytest.raises(DatabaseError, match="run small cannot be archived"):
        export(sqlite, tmp_path / "run.jsonl.gz")


def test_every_send_and_answer_is_stored_once(engine: Engine, path: Path) -> None:
    counts = take_in(engine, path).counts
    found = row_counts(engine)
    assert (found[PROBE.name], found[ATTEMPT.name], found[ANSWER.name]) == (
        counts.probes,
        counts.sends,
        counts.answers,
    )
