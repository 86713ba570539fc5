"""A database whose file is taken away while a process writes to it."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import Connection, text

from jevbias.errors import DatabaseError, DatabaseLostError
from jevbias.store.connections import reading, writing
from jevbias.store.engine import open_store
from jevbias.store.writer import StoreWriter


def replaced(path: Path) -> None:
    path.rename(path.with_name("before.db"))
    open_store(str(path))


AWAY: list[tuple[str, Callable[[Path], object], str]] = [
    ("deleted", lambda path: path.unlink(), "deleted or moved away"),
    ("moved", lambda path: path.rename(path.with_name("elsewhere.db")), "deleted or moved away"),
    ("its folder moved", lambda path: path.parent.rename(path.parent.with_name("b")), "deleted or moved"),
    ("replaced", replaced, "replaced by another file"),
]


@pytest.mark.parametrize(("take_away", "said"), [case[1:] for case in AWAY], ids=[case[0] for case in AWAY])
def test_the_writer_says_so_at_the_next_call(
    tmp_path: Path, take_away: Callable[[Path], object], said: str
) -> None:
    path = tmp_path / "a" / "jevbias.db"
    path.parent.mkdir()
    engine = open_store(str(path))

    def note(connection: Connection) -> None:
        connection.execute(text("INSERT INTO schema_migration VALUES (0, 'note', 0)"))

    async def write() -> None:
        async with StoreWriter(engine) as writer:
            await writer.check()
            take_away(path)
            with pytest.raises(DatabaseLostError, match=said) as lost:
                await writer.call(note)
            assert str(path) in str(lost.value)
            assert "\n" not in str(lost.value)
            assert lost.value.exit_code == 1

    asyncio.run(write())


@pytest.mark.parametrize("take_away", [case[1] for case in AWAY], ids=[case[0] for case in AWAY])
def test_a_copy_of_what_it_held_and_of_what_came_since_is_saved(
    tmp_path: Path, take_away: Callable[[Path], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a" / "jevbias.db"
    path.parent.mkdir()
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    engine = open_store(str(path))

    def note(connection: Connection, number: int) -> None:
        connection.execute(
            text("INSERT INTO schema_migration VALUES (:number, 'note', 0)"), {"number": number}
        )

    async def write() -> str | None:
        async with StoreWriter(engine) as writer:
            await writer.call(note, -1)
            take_away(path)
            with pytest.raises(DatabaseLostError):
                await writer.call(note, -2)
            if take_away is replaced:  # Its log is another's now.
                with pytest.raises(DatabaseLostError):
                    await writer.call(note, -3)
            else:
                await writer.call(note, -3)
        return writer.rescued

    copy = asyncio.run(write())
    if take_away is replaced:
        assert copy is None
        return
    assert copy is not None
    beside = path.parent.exists()
    assert copy == str((path.parent if beside else tmp_path / "temporary") / "jevbias.db.rescued")
    with closing(sqlite3.connect(copy)) as connection:
        notes = connection.execute("SELECT number FROM schema_migration WHERE number < 0 ORDER BY 1")
        assert [number for (number,) in notes] == [-3, -1]


@pytest.mark.parametrize("name", ["jevbias.db", "50% #1?.db", "a b\udcff.db"])
def test_a_look_at_a_file_that_is_gone_makes_none_and_the_copy_holds_everything(
    tmp_path: Path, name: str
) -> None:
    path = tmp_path / name
    engine = open_store(str(path))

    def note(connection: Connection, number: int) -> None:
        connection.execute(
            text("INSERT INTO schema_migration VALUES (:number, 'note', 0)"), {"number": number}
        )

    async def write() -> str | None:
        async with StoreWriter(engine) as writer:
            await writer.call(note, -1)
            path.rename(tmp_path / "elsewhere.db")
            for use in (reading, writing):
                with pytest.raises(DatabaseError, match="is it still there"), use(engine):
                    pass
            assert not path.exists()
            with pytest.raises(DatabaseLostError):
                await writer.check()
        return writer.rescued

    copy = asyncio.run(write())
    assert copy is not None
    with closing(sqlite3.connect(copy)) as connection:
        assert connection.execute("SELECT COUNT(*) FROM schema_migration WHERE number < 0").fetchone() == (1,)


def test_a_database_that_stays_is_not_copied(tmp_path: Path) -> None:
    async def write() -> str | None:
        async with StoreWriter(open_store(str(tmp_path / "jevbias.db"))) as writer:
            await writer.check()
        return writer.rescued

    assert asyncio.run(write()) is None
    assert [path.name for path in tmp_path.iterdir()] == ["jevbias.db"]


def test_a_database_in_its_place_is_written_to(tmp_path: Path) -> None:
    async def write() -> None:
        async with StoreWriter(open_store(str(tmp_path / "jevbias.db"))) as writer:
            for _ in range(3):
                await writer.check()

    asyncio.run(write())
