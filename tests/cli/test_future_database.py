"""A database that a newer jevbias has made is refused in one line by every command that opens one."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest
import typer.main

from jevbias.cli.main import app
from jevbias.store.engine import open_store
from jevbias.store.migrations import LATEST
from tests.cli.conftest import Jevbias
from tests.postgres.databases import Databases

COMMANDS: dict[str, list[tuple[str, ...]]] = {
    "design": [("--noise-from", "mine")],
    "run": [("--driver", "local"), ("--driver", "local", "--plan-only"), ("--resume", "mine")],
    "work": [()],
    "confirm": [("--from", "mine")],
    "status": [(), ("--json",)],
    "reset": [(), ("--failed", "--force")],
    "runs": [(), ("--delete", "mine", "--yes")],
    "analyse": [()],
    "publish": [(), ("--compare", "mine", "mine")],
    "compare": [("mine", "mine")],
    "gate": [()],
    "trace": [("full/religion=muslim",)],
    "export": [(), ("--archive", "mine.jsonl.gz")],
    "batch submit": [()],
    "batch status": [()],
    "batch collect": [()],
    "batch adopt": [("batch_1",)],
    **{
        f"testbench {part}": [("--driver", "local", "--yes")]
        for part in ("determinism", "latency", "context", "semantics", "concurrency", "all")
    },
    "testbench report": [()],
    "collab plan": [("--run", "mine")],
    "collab report": [()],
    "battery run": [("--driver", "local", "--yes"), ("--driver", "local", "--plan-only")],
    "battery report": [()],
    "battery compare": [("mine", "other")],
}
OTHERWISE = {
    "doctor": "reports it among other things",
    "collab demo": "says first what it will play",
    "collab run": "says first what it will play",
    "import": "looks at the archive first",
    "seed-canonical": "looks at the archives first",
}
ASKED = [(*name.split(), *arguments) for name, calls in COMMANDS.items() for arguments in calls]


def commands_with_a_database(command: Any, *path: str) -> Iterator[str]:
    if hasattr(command, "commands"):
        for name, below in command.commands.items():
            yield from commands_with_a_database(below, *path, name)
    elif any("--db" in option.opts for option in command.params):
        yield " ".join(path)


def test_every_command_that_opens_a_database_is_tried_here() -> None:
    assert set(commands_with_a_database(typer.main.get_command(app))) == COMMANDS.keys() | OTHERWISE.keys()


@pytest.mark.parametrize("command", ASKED, ids=" ".join)
def test_it_is_refused_in_one_line_and_stays_as_it_is(
    jevbias: Jevbias, tmp_path: Path, command: tuple[str, ...]
) -> None:
    db = tmp_path / "jevbias.db"
    open_store(str(db)).dispose()
    with closing(sqlite3.connect(db)) as connection, connection:
        connection.execute("INSERT INTO schema_migration VALUES (99, 'later', 0)")
    before = db.read_bytes()
    ended = jevbias(*command)
    assert ended.code == 2
    assert ended.out == ""
    assert ended.err == (
        f"jevbias: database jevbias.db: was written by a newer jevbias (schema 99, this one reads {LATEST}); "
        "upgrade jevbias\n"
    )
    assert db.read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["jevbias.db"]


def test_so_it_is_on_postgresql(jevbias: Jevbias, own_postgres: Databases) -> None:
    db = own_postgres.empty()
    open_store(db).dispose()
    with psycopg.connect(db) as connection:
        connection.execute("INSERT INTO schema_migration VALUES (99, 'later', 0)")
    for command in (("status",), ("work",), ("run", "--driver", "local")):
        ended = jevbias(*command, "--db", db)
        assert ended.code == 2
        assert ended.err.startswith(f"jevbias: database {db}: was written by a newer jevbias (schema 99")
        assert len(ended.err.splitlines()) == 1
