"""A database whose file is taken away while a process writes to it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import Connection, text

from jevbias.errors import DatabaseLostError
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
def test_the_writer_stores_nothing_in_a_file_that_nobody_can_open(
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
            for step in (writer.check(), writer.call(note)):
                with pytest.raises(DatabaseLostError, match=said) as lost:
                    await step
                assert str(path) in str(lost.value)
                assert "\n" not in str(lost.value)
                assert lost.value.exit_code == 1

    asyncio.run(write())


def test_a_database_in_its_place_is_written_to(tmp_path: Path) -> None:
    async def write() -> None:
        async with StoreWriter(open_store(str(tmp_path / "jevbias.db"))) as writer:
            for _ in range(3):
                await writer.check()

    asyncio.run(write())
