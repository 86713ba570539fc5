"""`export` of tables, as a user meets it; the archive has tests of its own."""

from __future__ import annotations

import csv
import io
import json
import sys
import zlib
from pathlib import Path

import pytest
from sqlalchemy import update

from jevbias.catalogue.catalogue import Catalogue
from jevbias.store.engine import open_store
from jevbias.store.tables import PROBE
from tests.analysis.answered_runs import answer, plan
from tests.cli.conftest import Jevbias


@pytest.fixture(scope="module")
def finished(catalogue: Catalogue, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("finished") / "runs.db"
    engine = open_store(str(path))
    answer(engine, plan(engine, catalogue, scenarios=["hiring_screen"], swept=["religion"]))
    engine.dispose()
    return path.read_bytes()


@pytest.fixture
def folder(tmp_path: Path, finished: bytes) -> Path:
    (tmp_path / "jevbias.db").write_bytes(finished)
    return tmp_path


def alter(folder: Path, **values: object) -> None:
    engine = open_store(str(folder / "jevbias.db"))
    with engine.begin() as connection:
        connection.execute(update(PROBE).values(**values))
    engine.dispose()


def test_answers_as_csv_go_to_stdout_when_nothing_else_is_said(jevbias: Jevbias, folder: Path) -> None:
    shown = jevbias("export")
    assert (shown.code, shown.err) == (0, "")
    rows = list(csv.DictReader(io.StringIO(shown.out, newline="")))
    assert shown.out.count("\r\n") == len(rows) + 1
    assert {"favourability", "person", "variant", "question"} <= rows[0].keys()


@pytest.mark.parametrize("what", ["people", "probes", "answers", "comparisons"])
def test_every_table_has_the_same_rows_in_both_formats(jevbias: Jevbias, folder: Path, what: str) -> None:
    text = jevbias("export", "--what", what, "--format", "csv").out
    header, *records = csv.reader(io.StringIO(text, newline=""))
    objects = [
        json.loads(line) for line in jevbias("export", "--what", what, "--format", "jsonl").out.splitlines()
    ]
    assert [list(row) for row in objects] == [header] * len(records)
    assert len(objects) == len(records) > 0


@pytest.mark.parametrize(("name", "first"), [("a.jsonl", "{"), ("a.csv", "person,"), ("a.txt", "person,")])
def test_a_file_has_the_format_of_its_ending(jevbias: Jevbias, folder: Path, name: str, first: str) -> None:
    written = jevbias("export", "--what", "people", "--out", f"deep/{name}")
    assert (written.code, written.out) == (0, "")
    content = (folder / "deep" / name).read_bytes().decode("utf-8")
    assert content.startswith(first)
    rows = len(content.splitlines()) - (first != "{")
    assert written.err == f"wrote deep/{name}: run mine, people, {rows} rows\n"
    assert [path.name for path in (folder / "deep").iterdir()] == [name]


def test_a_file_is_written_whole_or_not_at_all(jevbias: Jevbias, folder: Path) -> None:
    (folder / "old.csv").write_text("mine")
    alter(folder, response=b"no zlib")
    refused = jevbias("export", "--what", "probes", "--raw", "--out", "old.csv")
    assert (refused.code, refused.err.count("\n")) == (2, 1)
    assert "is damaged" in refused.err
    assert (folder / "old.csv").read_text() == "mine"
    assert sorted(path.name for path in folder.iterdir()) == ["jevbias.db", "old.csv"]


def test_a_formula_is_harmless_and_a_terminal_is_not_steered(
    jevbias: Jevbias, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reply = "\x1b[31m,\u202e\r\n=1+1"
    alter(folder, error="=cmd()|' /C calc'!A0", response=zlib.compress(reply.encode()))
    command = ("export", "--what", "probes", "--raw")
    piped = jevbias(*command)
    rows = list(csv.DictReader(io.StringIO(piped.out, newline="")))
    assert {row["error"] for row in rows} == {"'=cmd()|' /C calc'!A0"}
    assert {row["response"] for row in rows} == {reply}, "what is piped is what was sent"
    monkeypatch.setattr(type(sys.stdout), "isatty", lambda _: True)
    shown = jevbias(*command)
    assert "\\x1b[31m,\\u202e" in shown.out
    assert not {"\x1b", "\u202e"} & set(shown.out)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--what", "everything"), "--what: 'everything' is not one of people, probes, answers, comparisons"),
        (("--format", "xlsx"), "--format: 'xlsx' is not one of csv, jsonl"),
        (("--raw",), "--raw: replies belong to probes"),
        (("--out", "-"), "'-' is no file; the command without --out prints to stdout"),
        (("--out", "."), "give one, such as answers.csv"),
        (("--archive", "a.gz", "--what", "people", "--raw"), "leave out --what, --raw"),
        (("--archive", "a.gz", "--out", "b"), "leave out --out"),
        (("--run", "theirs"), "there is no run 'theirs'"),
    ],
)
def test_what_is_not_allowed_is_one_line_and_writes_nothing(
    jevbias: Jevbias, folder: Path, arguments: tuple[str, ...], said: str
) -> None:
    refused = jevbias("export", *arguments)
    assert (refused.code, refused.out, refused.err.count("\n")) == (2, "", 1)
    assert said in refused.err
    assert [path.name for path in folder.iterdir()] == ["jevbias.db"]
