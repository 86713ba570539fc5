"""A database that may only be read is read, and left as it is."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from jevbias.catalogue.catalogue import Catalogue
from jevbias.mock.model import MockModel
from jevbias.mock.serve import running_mock
from tests.cli.forked import Ended, Streams, forked, forked_one_by_one

READ = [("status",), ("runs",), ("analyse", "--out", "report.json"), ("publish", "--out", "page.html")]
READ += [("trace", "probe/1"), ("export",), ("compare", "mine", "mine"), ("gate", "--allow-undecided")]
WRITE = [("reset",), ("run", "--resume", "mine"), ("work",), ("runs", "--delete", "mine", "--yes")]


@pytest.fixture(scope="module")
def finished(catalogue: Catalogue) -> Iterator[bytes]:
    """A database with a finished run."""
    folder = Path(tempfile.mkdtemp())
    with running_mock(MockModel(catalogue, seed=2)) as mock:
        asking = Streams(settings={"TYPESAFE_BASE_URL": mock.base_url})
        ran = forked(folder, "run", "--driver", "jev", "--name", "mine", streams=asking)
    assert ran.code == 0, ran.err
    assert os.listdir(folder) == ["jevbias.db"]
    yield (folder / "jevbias.db").read_bytes()
    shutil.rmtree(folder)


@pytest.fixture
def place(finished: bytes) -> Iterator[Path]:
    """A folder where anybody may write, with a folder `kept` in it that holds the database."""
    place = Path(tempfile.mkdtemp())  # Not pytest's, which others may not enter.
    place.chmod(0o777)
    (place / "kept").mkdir()
    (place / "kept" / "runs.db").write_bytes(finished)
    shutil.copytree(place / "kept", place / "rehearsal" / "kept")
    yield place
    (place / "kept").chmod(0o755)
    shutil.rmtree(place)


def protect(place: Path, how: str) -> Path:
    file = place / "kept" / "runs.db"
    file.chmod(0o444 if how == "file" else 0o666)
    file.parent.chmod(0o777 if how == "file" else 0o555)
    return file


def as_nobody(place: Path, *commands: tuple[str, ...]) -> list[Ended]:
    db = ("--db", "kept/runs.db")
    asked = [(*command, *db) for command in commands]
    return forked_one_by_one(place, asked, Streams(as_nobody=True))


@pytest.mark.parametrize("how", ["file", "folder"])
def test_commands_that_read_do_and_those_that_write_say_why_not(place: Path, how: str) -> None:
    file = protect(place, how)
    before = file.read_bytes()
    for ended in as_nobody(place, *READ):
        assert ended.code == 0, ended.err
    assert (place / "page.html").stat().st_size > 0
    for ended in as_nobody(place, *WRITE):
        assert ended.code == 2
        (line,) = ended.err.splitlines()
        assert "read-only" in line
        assert "runs.db" in line
    assert file.read_bytes() == before
    assert os.listdir(file.parent) == ["runs.db"]


def test_an_older_schema_that_cannot_be_brought_up_to_date_is_one_line(place: Path) -> None:
    file = place / "kept" / "runs.db"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("DELETE FROM schema_migration WHERE number > 1")
        connection.commit()
    for leftover in file.parent.glob("runs.db-*"):
        leftover.unlink()
    protect(place, "folder")
    for ended in as_nobody(place, *READ):
        assert ended.code == 2
        (line,) = ended.err.splitlines()
        assert "older jevbias (schema 1, this one reads" in line
        assert "copy it to where it can be written" in line


def test_what_a_running_writer_has_not_merged_yet_is_read_too(place: Path) -> None:
    file = place / "kept" / "runs.db"
    with closing(sqlite3.connect(file)) as writer:
        writer.execute("PRAGMA journal_mode=wal")
        writer.execute("UPDATE run SET name = 'renamed'")
        writer.commit()
        assert (file.parent / "runs.db-wal").stat().st_size > 0
        for log in file.parent.glob("runs.db-*"):
            log.chmod(0o644)
        protect(place, "folder")
        (ended,) = as_nobody(place, ("status",))
        assert ended.code == 0, ended.err
        assert ended.out.startswith("run       renamed (finished)")
