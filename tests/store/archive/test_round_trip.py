"""What goes through an archive is the same run, row by row, whichever databases it was in."""

from __future__ import annotations

import gzip
import json
import zlib
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, Table, select

from jevbias.analysis.analyse import analyse_run
from jevbias.catalogue.catalogue import Catalogue
from jevbias.report.write import report_json
from jevbias.store.archive.columns import COLUMNS, PACKED, TABLE_OF
from jevbias.store.archive.packed_file import MOST_TIMES
from jevbias.store.archive.records import AskLine, FrameLine
from jevbias.store.archive.run_check import RunCheck
from jevbias.store.archive.verify import verified_lines
from jevbias.store.connections import reading
from jevbias.store.engine import open_store
from jevbias.store.runs import create_run, find_run, list_runs
from jevbias.store.tables import ANSWER, ASK, ATTEMPT, BATCH, FRAME, HYPOTHESIS, PERSON, PROBE, RUN, TABLES
from tests.store.archive.files import export, take_in
from tests.store.archive.worn import worn_plan, worn_run
from tests.store.small import RUN_SETTINGS, small_plan

IDS = {"id", "run_id", "person_id", "frame_id", "ask_id", "probe_id", "batch_id"}
"""A database's own numbers: the archive says in its own way what they connect."""
ONLY_WHILE_WORKED_ON = {"planned_by", "lease_owner", "lease_until"}
"""Null in a run at rest, and others are not archived."""
ONLY_OF_RUNS_WITHOUT_A_PLAN = {"call", "episode"}
"""Bias runs are archived, and no others."""
SAID_OTHERWISE = {
    "run": {"catalogue"},
    "frame": {"scenario", "variant", "hash", "content"},
    "ask": {"hash", "person"},
    "probe": {"scenario", "variant", PACKED},
    "attempt": {PACKED},
}
"""Columns that lines hold in another form: unpacked, or on the line of the frame above."""


def test_every_column_of_every_table_is_in_the_archive() -> None:
    shared = {table.name: set(COLUMNS[model]) for model, table in TABLE_OF.items()}
    for table in TABLES:
        if table.name in ONLY_OF_RUNS_WITHOUT_A_PLAN:
            continue
        said = shared.get(table.name, set()) | SAID_OTHERWISE.get(table.name, set())
        assert {column.name for column in table.columns} - said <= IDS | ONLY_WHILE_WORKED_ON, table.name


def test_every_field_of_a_row_says_something_in_the_run_that_is_tested_with(
    worn_archive: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "worn.jsonl.gz"
    path.write_bytes(worn_archive)
    said: dict[type, set[str]] = {}
    for line in verified_lines(path):
        parts = [line, *getattr(line, "sends", []), *getattr(line, "answers", [])]
        for part in [getattr(line, "run", None), *parts]:
            if part is not None:
                said.setdefault(type(part), set()).update(name for name, value in part if value is not None)
    silent = {(model.__name__, name) for model, names in COLUMNS.items() for name in set(names) - said[model]}
    assert silent == {("BatchLine", "collected_at"), ("RunFields", "finished_at")}


def test_from_sqlite_to_postgresql_and_back_is_the_same_run(
    worn_archive: bytes, engine: Engine, sqlite: Engine, tmp_path: Path, catalogue: Catalogue
) -> None:
    create_run(engine, small_plan(4), name="other", **RUN_SETTINGS)  # So that ids differ.
    first, second, third = (tmp_path / f"{number}.jsonl.gz" for number in range(3))
    first.write_bytes(worn_archive)
    assert take_in(engine, first).is_new
    assert export(engine, second, "worn") == worn_archive
    assert take_in(sqlite, second).is_new
    assert export(sqlite, third) == worn_archive
    original = open_store(str(tmp_path / "original.db"))
    worn_run(original, catalogue)
    expected = contents(original, "worn")
    for other in (engine, sqlite):
        found = contents(other, "worn")
        for table in expected:
            assert found[table] == expected[table], table
    original.dispose()


def test_a_run_written_on_either_database_has_the_same_archive(
    worn_archive: bytes, engine: Engine, tmp_path: Path, catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, *_ = (json.loads(line) for line in gzip.decompress(worn_archive).splitlines()[1:2])
    monkeypatch.setattr("jevbias.store.hypotheses.time.time", lambda: first["frozen_at"])
    worn_run(engine, catalogue)
    assert export(engine, tmp_path / "run.jsonl.gz") == worn_archive


def test_the_report_is_the_same_byte_for_byte(
    engine: Engine, sqlite: Engine, tmp_path: Path, catalogue: Catalogue
) -> None:
    worn_run(engine, catalogue)
    before = report_json(analyse_run(engine, "worn"))
    export(engine, tmp_path / "run.jsonl.gz")
    take_in(sqlite, tmp_path / "run.jsonl.gz")
    assert report_json(analyse_run(sqlite, "worn")) == before


def test_under_another_name_it_is_the_same_run_but_for_the_name(
    worn_archive: bytes, sqlite: Engine, tmp_path: Path
) -> None:
    path = tmp_path / "run.jsonl.gz"
    path.write_bytes(worn_archive)
    assert take_in(sqlite, path).name == "worn"
    assert take_in(sqlite, path, "again").name == "again"
    one, other = contents(sqlite, "worn"), contents(sqlite, "again")
    assert [run.pop("name") for run in (one["run"][0], other["run"][0])] == ["worn", "again"]
    assert one == other


def test_a_file_says_neither_when_nor_where_it_was_made(worn_archive: bytes) -> None:
    assert worn_archive[:10] == b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff"
    assert gzip.decompress(worn_archive).isascii() is False


def test_no_number_of_the_database_is_in_it(worn_archive: bytes) -> None:
    def keys(content: Any) -> set[str]:
        if isinstance(content, dict):
            return set(content).union(*map(keys, content.values()))
        return set().union(*map(keys, content)) if isinstance(content, list) else set()

    for line in gzip.decompress(worn_archive).splitlines():
        assert not keys(json.loads(line)) & IDS


@pytest.mark.parametrize("status", ["planned", "finished"])
def test_a_run_that_was_never_sent_and_one_that_is_through(
    sqlite: Engine, tmp_path: Path, catalogue: Catalogue, status: str
) -> None:
    create_run(sqlite, worn_plan(catalogue), name="worn", **RUN_SETTINGS)
    with sqlite.begin() as connection:
        connection.execute(RUN.update().values(status=status))
        if status == "finished":
            connection.execute(PROBE.update().values(status="answered"))
    path = tmp_path / "run.jsonl.gz"
    archive = export(sqlite, path)
    assert len(gzip.decompress(archive)) < len(archive) * MOST_TIMES / 4
    other = open_store(str(tmp_path / "new.db"))
    assert take_in(other, path).is_new
    assert [run.status for run in list_runs(other)] == [status]
    other.dispose()


def test_hashes_are_those_that_the_plan_has(
    worn_archive: bytes, tmp_path: Path, catalogue: Catalogue
) -> None:
    path = tmp_path / "run.jsonl.gz"
    path.write_bytes(worn_archive)
    plan = worn_plan(catalogue)
    lines = list(verified_lines(path))
    assert {line.hash for line in lines if isinstance(line, AskLine)} == set(plan.asks)
    frames = {line.hash for line in lines if isinstance(line, FrameLine)}
    assert frames == {ask.frame.hash for ask in plan.asks.values()}
    check = RunCheck()
    for line in lines:
        check.take(line)
    assert check.run.plan_hash == plan.plan_hash


def contents(engine: Engine, name: str) -> dict[str, list[dict[str, Any]]]:
    """Every row of a run in every table, with natural keys in the place of ids, and unpacked."""
    run = find_run(engine, name).id
    by_probe = select(PROBE.c.position).where(PROBE.c.run_id == run)
    queries: dict[Table, Any] = {
        RUN: select(RUN).where(RUN.c.id == run),
        HYPOTHESIS: select(HYPOTHESIS).where(HYPOTHESIS.c.run_id == run).order_by(HYPOTHESIS.c.position),
        BATCH: select(BATCH).where(BATCH.c.run_id == run).order_by(BATCH.c.id),
        PERSON: select(PERSON).where(PERSON.c.run_id == run).order_by(PERSON.c.idx),
        FRAME: select(FRAME).where(FRAME.c.run_id == run),
        ASK: select(ASK, FRAME.c.hash.label("frame")).join(FRAME).where(ASK.c.run_id == run),
        PROBE: select(PROBE, PERSON.c.idx, ASK.c.hash.label("ask"), BATCH.c.content_hash.label("batch"))
        .join(PERSON)
        .join(ASK, ASK.c.id == PROBE.c.ask_id)
        .outerjoin(BATCH, BATCH.c.id == PROBE.c.batch_id)
        .where(PROBE.c.run_id == run),
        ATTEMPT: by_probe.add_columns(ATTEMPT).join(ATTEMPT, ATTEMPT.c.probe_id == PROBE.c.id),
        ANSWER: by_probe.add_columns(ANSWER).join(ANSWER, ANSWER.c.probe_id == PROBE.c.id),
    }
    with reading(engine) as connection:
        found = {
            table.name: [_plain(dict(row)) for row in connection.execute(query).mappings()]
            for table, query in queries.items()
        }
    assert all(found.values())
    ordered = {"run", "hypothesis", "batch", "person"}
    return {
        table: rows if table in ordered else sorted(rows, key=lambda row: json.dumps(row, default=repr))
        for table, rows in found.items()
    }


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    stays = {key: value for key, value in row.items() if key not in IDS | {"created_at", "frozen_at"}}
    return {
        key: zlib.decompress(value) if isinstance(value, bytes) else value for key, value in stays.items()
    }
