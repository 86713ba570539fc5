"""The schema's history."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import Connection, Engine, UniqueConstraint, inspect, text
from sqlalchemy.engine.interfaces import ReflectedColumn

from jevbias.plan.confirm import Hypothesis
from jevbias.store import migrations
from jevbias.store.connections import reading, writing
from jevbias.store.engine import open_store
from jevbias.store.first_schema import first_schema
from jevbias.store.hypotheses import freeze, load_hypotheses, write_hypotheses
from jevbias.store.runs import find_run
from jevbias.store.tables import PERSON, RUN, TABLES


def _column(column: ReflectedColumn) -> tuple[str, str, bool]:
    shown = str(column["type"]).replace("DOUBLE PRECISION", "FLOAT").replace("BYTEA", "BLOB")
    return column["name"], shown, bool(column["nullable"])


def test_migrating_an_empty_database_gives_the_tables_that_the_code_describes(engine: Engine) -> None:
    found = inspect(engine)
    assert set(found.get_table_names()) == {table.name for table in TABLES} | {migrations.LEDGER}
    for table in TABLES:
        described = [
            (column.name, str(column.type).replace("DOUBLE PRECISION", "FLOAT"), bool(column.nullable))
            for column in table.columns
        ]
        assert [_column(column) for column in found.get_columns(table.name)] == described
        keys = {
            (tuple(key["constrained_columns"]), key["referred_table"], key["options"].get("ondelete"))
            for key in found.get_foreign_keys(table.name)
        }
        assert keys == {
            ((key.parent.name,), key.column.table.name, key.ondelete) for key in table.foreign_keys
        }
        assert found.get_pk_constraint(table.name)["constrained_columns"] == [
            column.name for column in table.primary_key
        ]
        assert {check["name"] for check in found.get_check_constraints(table.name)} == {
            constraint.name for constraint in table.constraints if constraint.name is not None
        } - {found.get_pk_constraint(table.name)["name"]}
        indexes = {
            (index["name"], tuple(index["column_names"]))
            for index in found.get_indexes(table.name)
            if not index.get("duplicates_constraint")
        }
        assert indexes == {(index.name, tuple(index.columns.keys())) for index in table.indexes}
        unique = {tuple(key["column_names"]) for key in found.get_unique_constraints(table.name)}
        assert unique == {
            tuple(constraint.columns.keys())
            for constraint in table.constraints
            if isinstance(constraint, UniqueConstraint)
        }


def test_sqlite_keeps_keyed_rows_in_the_key_and_never_uses_a_run_id_again(tmp_path: Path) -> None:
    with reading(open_store(str(tmp_path / "jevbias.db"))) as connection:
        made = {
            name: sql for name, sql in connection.execute(text("SELECT name, sql FROM sqlite_master")).all()
        }
    assert "AUTOINCREMENT" in made["run"]
    assert all(("WITHOUT ROWID" in made[name]) == (name in ("attempt", "answer", "hypothesis")) for name in
               (table.name for table in TABLES))  # fmt: skip


def test_each_migration_is_recorded_by_its_name(engine: Engine) -> None:
    with reading(engine) as connection:
        recorded = connection.execute(text("SELECT number, name FROM schema_migration")).all()
    names = [step.__name__ for step in migrations.MIGRATIONS]
    assert names[:2] == ["first_schema", "add_hypotheses"]
    assert [tuple(row) for row in recorded] == list(enumerate(names, start=1))


def test_a_database_of_version_1_keeps_its_runs_and_can_hold_hypotheses(
    db: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    _pretend(monkeypatch, first_schema)
    engine = open_store(db)
    monkeypatch.undo()
    with writing(engine) as connection:
        connection.execute(RUN.insert(), _RUN_OF_VERSION_1)
        connection.execute(PERSON.insert(), _PERSON_OF_VERSION_1)
    engine.dispose()

    engine = open_store(db)
    with reading(engine) as connection:
        assert migrations.schema_version(connection) == migrations.LATEST
        run = connection.execute(RUN.select()).mappings().one()
        person = connection.execute(PERSON.select()).mappings().one()
    assert _RUN_OF_VERSION_1.items() <= dict(run).items()
    assert _PERSON_OF_VERSION_1.items() <= dict(person).items()
    old = find_run(engine, "old")
    assert load_hypotheses(engine, old) is None
    frozen = freeze([Hypothesis("full/religion=muslim", "down", 0.02, 0.05)], old.plan_hash, "older")
    with writing(engine) as connection:
        write_hypotheses(connection, 1, frozen)
    assert load_hypotheses(engine, old) == frozen


def test_an_older_database_is_migrated_forward_and_keeps_what_it_holds(
    db: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_store(db).dispose()

    def add_a_note(connection: Connection) -> None:
        connection.execute(text("ALTER TABLE run ADD COLUMN note VARCHAR"))

    _pretend(monkeypatch, *migrations.MIGRATIONS, add_a_note)
    engine = open_store(db)
    assert "note" in {column["name"] for column in inspect(engine).get_columns("run")}
    with reading(engine) as connection:
        assert migrations.schema_version(connection) == migrations.LATEST
    open_store(db, create=False)


def test_a_migration_that_fails_changes_nothing(db: str, monkeypatch: pytest.MonkeyPatch) -> None:
    open_store(db).dispose()

    def break_off(connection: Connection) -> None:
        connection.execute(text("ALTER TABLE run ADD COLUMN note VARCHAR"))
        raise RuntimeError("broken off")

    _pretend(monkeypatch, *migrations.MIGRATIONS, break_off)
    with pytest.raises(RuntimeError, match="broken off"):
        open_store(db)
    monkeypatch.undo()
    engine = open_store(db)
    assert "note" not in {column["name"] for column in inspect(engine).get_columns("run")}
    with reading(engine) as connection:
        assert migrations.schema_version(connection) == migrations.LATEST


_RUN_OF_VERSION_1 = {
    "id": 1,
    "name": "old",
    "kind": "bias",
    "profile": "smoke",
    "design": "counterfactual",
    "seed": 2**40,
    "driver": "jev",
    "model": "jev-latest",
    "base_url": "http://127.0.0.1:1",
    "settings": {"timeout": 30.0},
    "catalogue": b"x",
    "catalogue_hash": "c",
    "plan_hash": "p",
    "margin": 0.02,
    "alpha": 0.05,
    "status": "finished",
    "created_at": 1.5,
    "jevbias_version": "0.1.0",
}
_PERSON_OF_VERSION_1 = {
    "id": 1,
    "run_id": 1,
    "idx": 0,
    "base": 0,
    "is_anchor": True,
    "full_name": "Ọlá Łuczak",
    "attributes": {"religion": "none"},
}


def _pretend(monkeypatch: pytest.MonkeyPatch, *steps: object) -> None:
    monkeypatch.setattr("jevbias.store.migrations.MIGRATIONS", steps)
    for module in ("migrations", "engine", "sqlite_file", "postgresql"):
        monkeypatch.setattr(f"jevbias.store.{module}.LATEST", len(steps))
