"""Opening a database, and refusing what is none."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, text

from jevbias.errors import DatabaseError
from jevbias.store.connections import reading, writing
from jevbias.store.engine import open_store
from jevbias.store.migrations import LATEST
from tests.store.processes import Child


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def foreign(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE note (text)")


def from_the_future(path: Path) -> None:
    engine = open_store(str(path))
    with writing(engine) as connection:
        connection.execute(text("INSERT INTO schema_migration VALUES (99, 'later', 0)"))


def truncated(path: Path) -> None:
    open_store(str(path))
    path.write_bytes(path.read_bytes()[:2000])


BAD: list[tuple[str, Callable[[Path], object], str]] = [
    ("a folder", lambda path: path.mkdir(), "is a folder"),
    ("text", lambda path: path.write_text("no database, but long enough to be one"), "is not a SQLite"),
    ("a database of another program", foreign, "another program"),
    ("a schema from the future", from_the_future, "newer jevbias (schema 99"),
    ("a truncated file", truncated, "damaged"),
    ("a pipe", os.mkfifo, "not a regular file"),
]


@pytest.mark.parametrize(("make", "message"), [case[1:] for case in BAD], ids=[case[0] for case in BAD])
@pytest.mark.parametrize("create", [True, False])
def test_what_is_no_database_of_ours_is_refused_in_one_line_and_left_alone(
    make: Callable[[Path], object], message: str, create: bool, tmp_path: Path
) -> None:
    path = tmp_path / "some.db"
    make(path)
    before = contents(tmp_path)
    with pytest.raises(DatabaseError) as refusal:
        open_store(str(path), create=create)
    assert message in str(refusal.value)
    assert str(path) in str(refusal.value)
    assert "\n" not in str(refusal.value)
    assert contents(tmp_path) == before


@pytest.mark.parametrize(
    ("db", "message"),
    [
        ("", "path is empty"),
        (":memory:", "path of a file"),
        ("missing/folder/jevbias.db", "no folder"),
        ("file.txt/jevbias.db", "no folder"),
        ("mysql://root:secret@localhost/x", "mysql URLs are not supported"),
        ("postgresql://me:secret@127.0.0.1:1/x", "postgresql://me:***@127.0.0.1:1/x: no server answers"),
        ("postgres://me@127.0.0.1:1/x?password=secret", "postgresql://me@127.0.0.1:1/x: no server answers"),
        ("postgresql+psycopg://me:secret@127.0.0.1:1/x", "postgresql://me:***@127.0.0.1:1/x: no server"),
        ("postgresql://me:secret@nowhere.invalid/x", "name of its host is not known"),
        ("postgresql://me:secret@127.0.0.1:port/x", "not a URL"),
        ("postgresql://me:a@secret@127.0.0.1/x", "'@' has to be written as %40"),
        ("sqlite:///x.db?mode=memory", "not supported"),
        ("://", "not a URL"),
    ],
)
def test_a_database_that_cannot_be_is_refused_in_one_line(
    db: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file.txt").write_text("x")
    with pytest.raises(DatabaseError) as refusal:
        open_store(db)
    assert message in str(refusal.value)
    assert "\n" not in str(refusal.value)
    assert "secret" not in str(refusal.value)
    assert os.listdir(tmp_path) == ["file.txt"]


def test_a_command_that_only_reads_creates_no_database(tmp_path: Path) -> None:
    with pytest.raises(DatabaseError, match="does not exist yet; `jevbias run` creates it"):
        open_store(str(tmp_path / "none.db"), create=False)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    ("locked", "mode", "message"),
    [
        ("file", 0o000, "permission denied"),
        ("file", 0o444, "is read-only"),
        ("folder", 0o555, "is read-only"),
        ("folder before the file", 0o555, "is read-only"),
    ],
)
def test_a_database_that_may_not_be_read_or_written_is_refused_in_one_line(
    locked: str, mode: int, message: str
) -> None:
    folder = Path(tempfile.mkdtemp())
    path = folder / "jevbias.db"
    try:
        if locked != "folder before the file":
            open_store(str(path))
        folder.chmod(0o755)
        (path if locked == "file" else folder).chmod(mode)
        before = os.listdir(folder)
        shown = Child(open_as_nobody, str(path)).result()
        assert message in shown
        assert "\n" not in shown
        assert os.listdir(folder) == before
    finally:
        folder.chmod(0o755)
        shutil.rmtree(folder)


def open_as_nobody(_pipe: object, path: str) -> str:
    if os.geteuid() == 0:  # The superuser may read and write everything.
        os.setuid(65534)
    try:
        open_store(path)
    except DatabaseError as error:
        return str(error)
    return "opened"


def test_every_connection_to_sqlite_is_durable_patient_and_checks_foreign_keys(tmp_path: Path) -> None:
    engine = open_store(str(tmp_path / "jevbias.db"))
    for open_transaction in (reading, writing, reading):
        with open_transaction(engine) as connection:
            values = {
                name: connection.execute(text(f"PRAGMA {name}")).scalar()
                for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
            }
        assert values == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "busy_timeout": 60_000}


def test_a_file_system_that_refuses_wal_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jevbias.store.engine._PRAGMAS", {"journal_mode": "impossible"})
    with pytest.raises(DatabaseError, match="refused PRAGMA journal_mode=impossible and answered"):
        open_store(str(tmp_path / "jevbias.db"))


def test_a_writer_to_sqlite_waits_for_another_instead_of_failing(tmp_path: Path) -> None:
    # A transaction that read first and then wrote would fail here at once, whatever the timeout.
    engine = open_store(str(tmp_path / "jevbias.db"))
    with writing(engine) as connection:
        connection.execute(text("CREATE TABLE tally (n INTEGER)"))
        connection.execute(text("INSERT INTO tally VALUES (0)"))

    def add() -> None:
        for _ in range(25):
            with writing(engine) as connection:
                n = connection.execute(text("SELECT n FROM tally")).scalar_one()
                connection.execute(text("UPDATE tally SET n = :n"), {"n": n + 1})

    threads = [threading.Thread(target=add) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with reading(engine) as connection:
        assert connection.execute(text("SELECT n FROM tally")).scalar_one() == 100


def test_a_reader_sees_one_state_while_others_write(engine: Engine) -> None:
    count = text("SELECT COUNT(*) FROM schema_migration")
    with reading(engine) as before:
        assert before.execute(count).scalar_one() == LATEST
        with writing(engine) as connection:
            connection.execute(text("INSERT INTO schema_migration VALUES (0, 'more', 0)"))
        assert before.execute(count).scalar_one() == LATEST
    with reading(engine) as after:
        assert after.execute(count).scalar_one() == LATEST + 1


def test_processes_may_open_a_new_database_at_once(db: str) -> None:
    children = [Child(open_when_told, db) for _ in range(6)]
    for child in children:
        assert child.wait_for_line() == "ready"
    for child in children:
        child.tell("go")
    for child in children:
        child.result()
    with reading(open_store(db, create=False)) as connection:
        assert connection.execute(text("SELECT COUNT(*) FROM schema_migration")).scalar_one() == LATEST


def open_when_told(pipe: Any, path: str) -> None:
    pipe.send("ready")
    pipe.recv()
    open_store(path)


def test_a_path_may_hold_anything_a_file_name_may(tmp_path: Path) -> None:
    for name in ("with space.db", "100%25.db", "a#b?c.db", "Ọlá.db"):
        open_store(str(tmp_path / name))
        assert (tmp_path / name).is_file()
        open_store(str(tmp_path / name), create=False)


def test_a_sqlite_url_is_a_path(tmp_path: Path) -> None:
    open_store(f"sqlite:///{tmp_path}/jevbias.db")
    assert (tmp_path / "jevbias.db").is_file()


def test_an_empty_file_becomes_a_database(tmp_path: Path) -> None:
    path = tmp_path / "jevbias.db"
    path.touch()
    with pytest.raises(DatabaseError):
        open_store(str(path), create=False)
    assert path.stat().st_size == 0
    open_store(str(path))
    open_store(str(path), create=False)
