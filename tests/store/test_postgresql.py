"""PostgreSQL: what cannot be used is refused in one line that shows no password."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterator, Sequence

import psycopg
import pytest
from sqlalchemy import Connection, text

from jevbias.errors import DatabaseError, DatabaseLostError
from jevbias.store.connections import reading, writing
from jevbias.store.engine import open_store
from jevbias.store.look import look_at_store
from jevbias.store.migrations import LATEST
from jevbias.store.outcomes import CompletedProbe, Stored
from jevbias.store.owner import Owner
from jevbias.store.progress import run_progress
from jevbias.store.queue import ProbeQueue
from jevbias.store.runs import create_run
from jevbias.store.writer import StoreWriter
from tests.postgres.databases import Databases
from tests.store.small import RUN_SETTINGS, completed, small_plan


@pytest.fixture
def db(own_postgres: Databases) -> str:
    """An empty database."""
    return own_postgres.empty()


def refused(db: str, open_it: Callable[[str], object] = open_store) -> str:
    with pytest.raises(DatabaseError) as refusal:
        open_it(db)
    assert "\n" not in str(refusal.value)
    return str(refusal.value)


def tables(db: str) -> list[str]:
    with psycopg.connect(db) as connection:
        found = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1")
        return [name for (name,) in found.fetchall()]


def on(db: str, *statements: str) -> None:
    with psycopg.connect(db, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement.encode())


def test_the_right_password_opens_and_no_other_does_nor_is_any_shown(
    db: str, own_postgres: Databases
) -> None:
    right = own_postgres.guarded(db)
    assert own_postgres.password is not None
    engine = open_store(right)
    assert own_postgres.password not in repr(engine)
    wrong = right.replace(own_postgres.password, "hunter2")
    for url in (wrong, wrong.replace(":hunter2@", "@") + "?password=hunter2"):
        message = refused(url)
        assert message.endswith(": the server does not accept this user with this password")
        assert "hunter2" not in message
    assert "asks for a password" in refused(right.replace(f":{own_postgres.password}@", "@"))


def test_a_database_that_is_not_there_is_named_with_the_command_that_makes_it(db: str) -> None:
    missing = db.rpartition("/")[0] + "/missing"
    assert "no database of this name; create it: createdb missing" in refused(missing)


@pytest.mark.parametrize("create", [True, False])
def test_another_programs_tables_are_left_alone(db: str, create: bool) -> None:
    on(db, "CREATE TABLE run (note TEXT)")
    assert "another program's table run" in refused(db, lambda db: open_store(db, create=create))
    assert "another program's table run" in refused(db, look_at_store)
    assert tables(db) == ["run"]


def test_a_schema_from_the_future_is_left_alone(db: str) -> None:
    open_store(db)
    on(db, "INSERT INTO schema_migration VALUES (99, 'later', 0)")
    for open_it in (open_store, look_at_store):
        assert f"newer jevbias (schema 99, this one reads {LATEST})" in refused(db, open_it)


def test_a_command_that_only_reads_creates_nothing(db: str) -> None:
    assert "holds no runs yet" in refused(db, lambda db: open_store(db, create=False))
    assert look_at_store(db).version == 0
    assert tables(db) == []


@pytest.fixture
def weak(db: str) -> Iterator[str]:
    """The database as a user sees it who may connect and nothing else."""
    role = db.rpartition("/")[2] + "_weak"
    on(
        db,
        f"DROP ROLE IF EXISTS {role}",
        f"CREATE ROLE {role} LOGIN",
        f"GRANT USAGE ON SCHEMA public TO {role}",
    )
    yield db.replace("tester@", f"{role}@")
    on(db, f"DROP OWNED BY {role}", f"DROP ROLE {role}")


def test_a_user_without_the_rights_is_told_which_are_missing(db: str, weak: str) -> None:
    assert "lacks a right (permission denied for schema public)" in refused(weak)
    assert tables(db) == []
    open_store(db)
    assert "lacks a right (permission denied for table schema_migration)" in refused(weak)


def test_a_user_who_may_only_read_reads_and_is_told_so_on_writing(db: str, weak: str) -> None:
    open_store(db)
    role = weak.partition("//")[2].partition("@")[0]
    on(db, f"GRANT ALL ON ALL TABLES IN SCHEMA public TO {role}")
    on(db, f"ALTER ROLE {role} SET default_transaction_read_only = on")
    engine = open_store(weak, create=False)
    with reading(engine) as connection:
        assert connection.execute(text("SELECT COUNT(*) FROM run")).scalar_one() == 0
    with pytest.raises(DatabaseError, match="only takes reads"), writing(engine) as connection:
        connection.execute(text("DELETE FROM run"))


def test_a_session_that_the_server_ends_is_a_lost_database_and_the_writer_goes_on_once_it_can(
    db: str,
) -> None:
    engine = open_store(db)
    on(db, "CREATE TABLE note (n INTEGER)")

    def end_it(connection: Connection) -> None:
        connection.execute(text("INSERT INTO note VALUES (1)"))
        on(db, f"SELECT pg_terminate_backend({session_of(connection)}, 10000)")
        connection.execute(text("INSERT INTO note VALUES (2)"))

    def note(connection: Connection, n: int) -> None:
        connection.execute(text("INSERT INTO note VALUES (:n)"), {"n": n})

    async def use() -> None:
        async with StoreWriter(engine) as writer:
            await writer.call(note, 0)
            with pytest.raises(DatabaseLostError, match="server ended the connection") as lost:
                await writer.call(end_it)
            assert "\n" not in str(lost.value)
            await writer.call(note, 3)

    asyncio.run(use())
    with reading(engine) as connection:
        assert connection.execute(text("SELECT n FROM note ORDER BY n")).scalars().all() == [0, 3]


def test_answers_that_came_while_the_server_ended_the_session_are_stored_all_the_same(db: str) -> None:
    engine = open_store(db)
    run_id = create_run(engine, small_plan(10), name="small", **RUN_SETTINGS)
    queue = ProbeQueue(run_id, str(Owner.current()))
    ended: list[int] = []

    def store(connection: Connection, probes: Sequence[CompletedProbe]) -> list[Stored]:
        stored = queue.complete_all(connection, probes)
        if not ended:
            ended.append(session_of(connection))
            on(db, f"SELECT pg_terminate_backend({ended[0]}, 10000)")
        return stored

    async def use() -> list[Stored]:
        async with StoreWriter(engine) as writer:
            claims = await writer.call(queue.claim, 10)
            return list(
                await asyncio.gather(*(writer.call_shared(store, completed(c.lease)) for c in claims))
            )

    assert asyncio.run(use()) == [Stored.KEPT] * 10
    progress = run_progress(engine, run_id)
    assert (progress.by_status["answered"], progress.sends, progress.answers) == (10, 10, 20)


def test_a_server_that_is_gone_is_noticed_while_nothing_is_written(db: str) -> None:
    async def use() -> None:
        async with StoreWriter(open_store(db)) as writer:
            session = await writer.call(session_of)
            await writer.check()
            on(db, f"SELECT pg_terminate_backend({session}, 10000)")
            with pytest.raises(DatabaseLostError, match="server ended the connection"):
                await writer.check()

    asyncio.run(use())


def session_of(connection: Connection) -> int:
    session: int = connection.execute(text("SELECT pg_backend_pid()")).scalar_one()
    return session


def test_a_connection_gives_up_on_a_server_that_says_nothing_and_the_url_may_say_when(db: str) -> None:
    def settings(url: str) -> dict[str, str]:
        with reading(open_store(url)) as connection:
            info = connection.connection.driver_connection.info  # type: ignore[union-attr]
            return dict(info.get_parameters())

    assert settings(db)["connect_timeout"] == "10"
    assert settings(db)["tcp_user_timeout"] == "60000"
    assert settings(f"{db}?connect_timeout=3")["connect_timeout"] == "3"


def test_tables_that_were_dropped_in_use_are_a_line(db: str) -> None:
    engine = open_store(db)
    on(db, "DROP SCHEMA public CASCADE", "CREATE SCHEMA public")
    with (
        pytest.raises(DatabaseError, match="its tables are gone; was it emptied"),
        reading(engine) as connection,
    ):
        connection.execute(text("SELECT * FROM run"))


def test_without_the_driver_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "psycopg"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "psycopg", None)
    message = refused("postgresql://me:hunter2@127.0.0.1:1/x")
    assert message == "database: PostgreSQL needs the extra: pip install 'jevbias[postgres]'"
