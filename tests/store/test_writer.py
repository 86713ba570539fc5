"""The store thread: one connection, grouped commits, and nothing said that is not on the disk."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, event, select, text

from jevbias.errors import DatabaseError
from jevbias.store import engine as engine_module
from jevbias.store.connections import reading, writing
from jevbias.store.engine import open_store
from jevbias.store.queue import ProbeQueue
from jevbias.store.runs import create_run
from jevbias.store.tables import ANSWER, PROBE
from jevbias.store.writer import StoreWriter
from tests.store.processes import Child
from tests.store.small import RUN_SETTINGS, completed, small_plan


def commits(engine: Engine) -> list[int]:
    """A list that grows by one with every commit on the engine."""
    seen: list[int] = []
    event.listen(engine, "commit", lambda connection: seen.append(1))
    return seen


def test_everything_that_arrives_during_a_commit_shares_the_next(engine: Engine) -> None:
    with writing(engine) as connection:
        connection.execute(text("CREATE TABLE note (n INTEGER)"))
    began, gate = threading.Event(), threading.Event()

    def hold(connection: Connection) -> None:
        began.set()
        assert gate.wait(10)

    def note(connection: Connection, n: int) -> int:
        connection.execute(text("INSERT INTO note VALUES (:n)"), {"n": n})
        return n

    async def use() -> list[int]:
        async with StoreWriter(engine) as writer:
            first = writer.call(hold)
            assert await asyncio.to_thread(began.wait, 10)
            rest = [writer.call(note, n) for n in range(100)]
            gate.set()
            await first
            return list(await asyncio.gather(*rest))

    seen = commits(engine)
    assert asyncio.run(use()) == list(range(100))
    assert len(seen) == 2
    with reading(engine) as connection:
        assert connection.execute(text("SELECT n FROM note")).scalars().all() == list(range(100))


def test_values_gather_until_another_call_takes_them_along_in_order(engine: Engine) -> None:
    groups: list[list[int]] = []

    def together(connection: Connection, values: Sequence[int]) -> Sequence[int]:
        groups.append(list(values))
        return values

    async def use() -> None:
        async with StoreWriter(engine) as writer:
            gathered = [writer.call_shared(together, n) for n in range(5)]
            await writer.call(lambda connection: groups.append([-1]))
            assert [future.result() for future in gathered] == list(range(5))

    seen = commits(engine)
    asyncio.run(use())
    assert groups == [list(range(5)), [-1]]
    assert len(seen) == 1


def test_a_value_that_stays_alone_is_committed_without_another_call(engine: Engine) -> None:
    async def use() -> list[int]:
        async with StoreWriter(engine) as writer:
            return [
                await asyncio.wait_for(writer.call_shared(lambda _, values: values, n), 20) for n in (1, 2)
            ]

    assert asyncio.run(use()) == [1, 2]


def test_an_operation_that_fails_spoils_no_other_of_its_group(engine: Engine) -> None:
    with writing(engine) as connection:
        connection.execute(text("CREATE TABLE note (n INTEGER PRIMARY KEY)"))

    def note(connection: Connection, n: int) -> int:
        connection.execute(text("INSERT INTO note VALUES (:n)"), {"n": n})
        if n == 13:
            raise ValueError("thirteen")
        return n

    async def use() -> list[int | BaseException]:
        async with StoreWriter(engine) as writer:
            return list(
                await asyncio.gather(*(writer.call(note, n) for n in range(20)), return_exceptions=True)
            )

    results = asyncio.run(use())
    assert [n for n in results if isinstance(n, int)] == [n for n in range(20) if n != 13]
    assert isinstance(results[13], ValueError)
    with reading(engine) as connection:
        kept = connection.execute(text("SELECT n FROM note")).scalars().all()
    assert kept == [n for n in range(20) if n != 13]


def test_a_database_that_stays_locked_is_waited_for_once_or_twice_and_answers_outlast_a_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(engine_module._PRAGMAS, "busy_timeout", 20)
    engine = open_store(str(tmp_path / "jevbias.db"))
    tries: list[int] = []
    another = sqlite3.connect(tmp_path / "jevbias.db", isolation_level=None, check_same_thread=False)

    def execute(connection: Connection, cursor: object, statement: str, *_: object) -> None:
        if statement.startswith("BEGIN"):
            tries.append(1)
            if len(tries) == 3:
                another.rollback()

    event.listen(engine, "before_cursor_execute", execute)

    async def use() -> list[int | BaseException]:
        async with StoreWriter(engine) as writer:
            await writer.check()
            another.execute("BEGIN IMMEDIATE")
            calls = [writer.call_shared(lambda _, values: values, n) for n in range(30)]
            calls += [writer.call(_one) for _ in range(3)]
            return list(await asyncio.gather(*calls, return_exceptions=True))

    results = asyncio.run(use())
    another.close()
    assert results[:30] == list(range(30))
    assert all(isinstance(error, DatabaseError) or error == 1 for error in results[30:])
    assert isinstance(results[30], DatabaseError)
    assert len(tries) <= 5, "none for each of them"


def test_what_was_handed_over_is_committed_before_the_writer_closes(engine: Engine) -> None:
    with writing(engine) as connection:
        connection.execute(text("CREATE TABLE note (n INTEGER)"))

    def note(connection: Connection, n: int) -> None:
        connection.execute(text("INSERT INTO note VALUES (:n)"), {"n": n})

    async def use() -> None:
        async with StoreWriter(engine) as writer:
            for n in range(1_200):
                writer.call(note, n)

    asyncio.run(use())
    with reading(engine) as connection:
        assert connection.execute(text("SELECT COUNT(*) FROM note")).scalar_one() == 1_200


def test_a_database_that_fails_is_a_line_for_the_user(tmp_path: Path) -> None:
    engine = open_store(str(tmp_path / "jevbias.db"))

    def fill(connection: Connection) -> None:
        connection.exec_driver_sql("PRAGMA max_page_count = 1")
        connection.execute(text("CREATE TABLE big AS SELECT zeroblob(1000000) AS b"))

    async def use() -> None:
        async with StoreWriter(engine) as writer:
            await writer.call(fill)

    with pytest.raises(DatabaseError, match="no space is left on its disk; make room and start again"):
        asyncio.run(use())


def answer_and_be_killed(pipe: Any, db: str, run_id: int) -> None:
    queue = ProbeQueue(run_id, "me@1/1/1")

    async def use() -> None:
        async with StoreWriter(open_store(db)) as writer:
            for _ in range(7):
                claims = await writer.call(queue.claim, 8)
                done = [writer.call(queue.complete, completed(claim.lease)) for claim in claims]
                for claim, stored in zip(claims, done, strict=True):
                    await stored
                    pipe.send(claim.lease.probe_id)
            for claim in await writer.call(queue.claim, 8):
                writer.call(queue.complete, completed(claim.lease))
            pipe.recv()  # The kill comes while the store thread may be at the last eight.

    asyncio.run(use())


def test_a_completion_that_was_awaited_survives_a_kill(db: str) -> None:
    engine = open_store(db)
    run_id = create_run(engine, small_plan(100), name="killed", **RUN_SETTINGS)
    child = Child(answer_and_be_killed, db, run_id)
    acknowledged = {child.wait_for_line() for _ in range(56)}
    child.kill()
    with reading(engine) as connection:
        answered = set(connection.execute(select(PROBE.c.id).where(PROBE.c.status == "answered")).scalars())
        with_answers = set(connection.execute(select(ANSWER.c.probe_id)).scalars())
        assert connection.dialect.name != "sqlite" or (
            connection.execute(text("PRAGMA integrity_check")).scalar_one() == "ok"
        )
    assert len(acknowledged) == 56
    assert acknowledged <= answered == with_answers


def claim_everything(pipe: Any, db: str, run_id: int, size: int) -> list[int]:
    queue = ProbeQueue(run_id, f"me@1/{size}/1")

    async def use() -> list[int]:
        mine: list[int] = []
        async with StoreWriter(open_store(db)) as writer:
            claims = await writer.call(queue.claim, size)
            pipe.send("ready")
            pipe.recv()
            while claims:
                mine += [claim.lease.probe_id for claim in claims]
                await asyncio.gather(
                    *(writer.call(queue.complete, completed(claim.lease)) for claim in claims)
                )
                claims = await writer.call(queue.claim, size)
        return mine

    return asyncio.run(use())


def test_four_processes_claim_each_probe_once_and_none_is_locked_out(db: str) -> None:
    engine = open_store(db)
    run_id = create_run(engine, small_plan(400), name="shared", **RUN_SETTINGS)
    children = [Child(claim_everything, db, run_id, size) for size in (1, 2, 3, 5)]
    assert [child.wait_for_line() for child in children] == ["ready"] * 4
    for child in children:
        child.tell("go")
    claimed = [child.result() for child in children]
    assert all(claimed)
    everything = [probe_id for mine in claimed for probe_id in mine]
    assert len(everything) == len(set(everything)) == 400
    with reading(engine) as connection:
        assert connection.execute(text("SELECT COUNT(*) FROM attempt")).scalar_one() == 400


def test_a_writer_may_be_closed_without_having_been_used(engine: Engine) -> None:
    async def use() -> None:
        async with StoreWriter(engine):
            pass

    asyncio.run(use())


def test_a_future_nobody_waits_for_any_more_does_no_harm(engine: Engine) -> None:
    async def use() -> int:
        async with StoreWriter(engine) as writer:
            unwanted: asyncio.Future[int] = writer.call(_one)
            unwanted.cancel()
            return await writer.call(_one)

    assert asyncio.run(use()) == 1


def _one(connection: Connection) -> int:
    one: int = connection.execute(text("SELECT 1")).scalar_one()
    return one
