"""A run as tables: whole, streamed, harmless in a spreadsheet, and enough to compute a delta from."""

from __future__ import annotations

import base64
import csv
import io
import json
import math
import zlib
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Engine, Row, event, select, update

from jevbias.analysis.analyse import analyse_run
from jevbias.analysis.export.formats import csv_lines, json_lines
from jevbias.analysis.export.table import Table
from jevbias.analysis.export.tables import TABLES, exported
from jevbias.analysis.trace.evidence import Trace
from jevbias.analysis.trace.trace import trace
from jevbias.catalogue.catalogue import Catalogue
from jevbias.errors import DatabaseError, UsageError
from jevbias.report.comparison import Comparison
from jevbias.store.archive.transfer import export_run, import_archive
from jevbias.store.archive.verify import verify_archive
from jevbias.store.engine import open_store
from jevbias.store.runs import find_run
from jevbias.store.tables import ANSWER, PROBE
from tests.analysis.answered_runs import Replies, answer, plan
from tests.postgres.databases import Databases


def status(row: Row[Any]) -> str:
    return {0: "failed", 1: "pending"}.get(row.position % 37, "answered")


def silent(row: Row[Any], question: str) -> bool:
    return bool((row.position + len(question)) % 19 == 0)


REPLIES = Replies(status=status, silent=silent)


@pytest.fixture(scope="module")
def engine(catalogue: Catalogue, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """A pilot with placebos in which something went missing."""
    engine = open_store(str(tmp_path_factory.mktemp("export") / "runs.db"))
    answer(engine, plan(engine, catalogue, placebos=True, bases=3), REPLIES)
    yield engine
    engine.dispose()


@pytest.fixture
def own(catalogue: Catalogue, tmp_path: Path) -> Iterator[Engine]:
    """A small run that a test may change."""
    engine = open_store(str(tmp_path / "own.db"))
    answer(engine, plan(engine, catalogue, scenarios=["hiring_screen"], swept=["religion"]))
    yield engine
    engine.dispose()


def as_csv(engine: Engine, what: str, *, raw: bool = False) -> list[dict[str, str]]:
    with exported(engine, find_run(engine, None), what, raw=raw) as table:
        text = "".join(csv_lines(table))
    return list(csv.DictReader(io.StringIO(text, newline="")))


def as_json(engine: Engine, what: str, *, raw: bool = False) -> list[dict[str, Any]]:
    with exported(engine, find_run(engine, None), what, raw=raw) as table:
        return [json.loads(line, parse_constant=refuse) for line in json_lines(table)]


def refuse(constant: str) -> None:
    raise AssertionError(constant)


def pooled_delta(rows: list[dict[str, str]], row: Comparison) -> float | None:
    """Delta by the method's section 3, from the answers' table and nothing else."""
    cells: dict[tuple[str, ...], dict[str, list[float]]] = {}
    for answered in rows:
        if answered["condition"] != row.condition:
            continue
        side = "anchor" if answered["is_anchor"] == "true" else "swap"
        if side == "swap" and (answered["swapped_attribute"], answered["swapped_level"]) != (
            row.attribute,
            row.level,
        ):
            continue
        cell = (side, answered["base"], answered["scenario"], answered["variant"])
        cells.setdefault(cell, {}).setdefault(answered["question"], []).append(
            float(answered["favourability"])
        )
    by_scenario: dict[str, list[float]] = {}
    for (side, base, scenario, variant), swap in cells.items():
        anchor = cells.get(("anchor", base, scenario, variant), {})
        shared = swap.keys() & anchor.keys()
        if side == "swap" and shared:
            difference = fmean(fmean(swap[question]) - fmean(anchor[question]) for question in shared)
            by_scenario.setdefault(scenario, []).append(difference)
    return fmean(map(fmean, by_scenario.values())) if by_scenario else None


def test_every_pooled_delta_can_be_computed_from_the_answers_alone(engine: Engine) -> None:
    report = analyse_run(engine, None)
    assert all(row.pooled for row in report.validity)
    assert report.placebos is not None
    rows = as_csv(engine, "answers")
    pooled = [row for row in (*report.comparisons, *report.placebos.comparisons) if row.question is None]
    for row in pooled:
        delta = pooled_delta(rows, row)
        assert delta is not None
        assert row.delta is not None
        assert math.isclose(delta, row.delta, rel_tol=6e-6, abs_tol=1e-9), row.id
    assert len(pooled) > 60


def test_comparisons_are_the_report_s_rows(engine: Engine) -> None:
    report = analyse_run(engine, None)
    assert report.placebos is not None
    rows = as_json(engine, "comparisons")
    assert len(rows) == len(report.comparisons) + len(report.placebos.comparisons)
    for row, found in zip(report.comparisons, rows, strict=False):
        assert found["placebo"] is False
        for name in ("id", "verdict", "delta", "p_noise", "q", "q_people", "visible", "pairs"):
            assert found[name] == getattr(row, name)
        low, high = row.ci_people or (None, None)
        assert (found["ci_people_low"], found["ci_people_high"]) == (low, high)
        assert found["flip_rate"] == (row.decisions.flip_rate if row.decisions else None)
        if row.by_base:
            assert {base: found[f"by_base_{base}"] for base in row.by_base} == row.by_base
    assert [row["placebo"] for row in rows[len(report.comparisons) :]] == [True] * len(
        report.placebos.comparisons
    )
    text = as_csv(engine, "comparisons")
    assert [row["id"] for row in text] == [row["id"] for row in rows]
    assert [row["delta"] for row in text] == [
        "" if row["delta"] is None else str(row["delta"]) for row in rows
    ]


def test_contrasts_take_their_place_in_a_factorial_run(catalogue: Catalogue, tmp_path: Path) -> None:
    from dataclasses import replace

    few = ("name_culture", "gender", "age_band")
    smaller = replace(catalogue, attributes={key: catalogue.attributes[key] for key in few}, incompatible=())
    engine = open_store(str(tmp_path / "runs.db"))
    narrowed: dict[str, Any] = {"people": 30, "scenarios": ["hiring_screen"], "conditions": ["full"]}
    answer(engine, plan(engine, smaller, "factorial", replicate_subjects=0, **narrowed))
    report = analyse_run(engine, None)
    assert report.factorial is not None
    rows = as_json(engine, "comparisons")
    assert [(row["id"], row["delta"], row["p"]) for row in rows] == [
        (row.id, row.delta, row.p) for row in report.factorial.contrasts
    ]
    assert {row["attribute_gender"] for row in as_json(engine, "people")} >= {"man", "woman"}
    engine.dispose()


def test_people_have_their_attributes_as_columns(engine: Engine, catalogue: Catalogue) -> None:
    rows = as_json(engine, "people")
    assert [row["person"] for row in rows] == list(range(len(rows)))
    for row in rows:
        if row["swapped_attribute"] is not None:
            assert row[f"attribute_{row['swapped_attribute']}"] == row["swapped_level"]
    assert {f"attribute_{key}" for key in catalogue.attributes} <= rows[0].keys()


def test_probes_and_answers_are_those_of_the_run_in_the_plan_s_order(engine: Engine) -> None:
    probes, answers = as_json(engine, "probes"), as_json(engine, "answers")
    assert [row["position"] for row in probes] == list(range(len(probes)))
    assert {row["status"] for row in probes} == {"answered", "failed", "pending"}
    places = [row["position"] for row in answers]
    assert places == sorted(places)
    with engine.connect() as connection:
        stored = {
            (row.probe_id, row.question): row.favourability for row in connection.execute(select(ANSWER))
        }
    assert {(row["probe"], row["question"]): row["favourability"] for row in answers} == stored
    sent = next(row for row in probes if row["status"] == "answered")
    assert len(sent["body_sha256"]) == 64
    assert sent["sent_at"].endswith("Z")
    assert {row["visible"] for row in answers if row["is_anchor"]} == {None}
    hidden = {(row["condition"], row["swapped_attribute"]) for row in answers if row["visible"] is False}
    assert ("name_only", "religion") in hidden
    assert "response" not in sent


def test_replies_are_exported_where_they_are_asked_for(own: Engine) -> None:
    with own.begin() as connection:
        connection.execute(
            update(PROBE).where(PROBE.c.position == 1).values(response=zlib.compress(b"\xff{"))
        )
        connection.execute(update(PROBE).where(PROBE.c.position == 2).values(response=None))
    first, second, third, *_ = as_json(own, "probes", raw=True)
    assert (first["response"], first["response_base64"]) == ('{"answers":{}}', None)
    assert second["response"] is None
    assert base64.b64decode(second["response_base64"]) == b"\xff{"
    assert (third["response"], third["response_base64"]) == (None, None)
    with own.begin() as connection:
        connection.execute(update(PROBE).where(PROBE.c.position == 1).values(response=b"no zlib"))
    with pytest.raises(DatabaseError, match="is damaged; restore a copy"):
        as_json(own, "probes", raw=True)


def test_a_number_that_is_none_becomes_nothing(own: Engine) -> None:
    with own.begin() as connection:
        connection.execute(
            update(PROBE).where(PROBE.c.position == 0).values(latency_ms=math.inf, cost=-math.inf)
        )
    first = as_json(own, "probes")[0]
    assert (first["latency_ms"], first["cost"]) == (None, None)
    assert as_csv(own, "probes")[0]["latency_ms"] == ""


def test_rows_are_read_as_they_are_asked_for(engine: Engine) -> None:
    statements: list[str] = []

    def note(_1: Any, _2: Any, statement: str, *_: Any) -> None:
        statements.append(statement)

    event.listen(engine, "before_cursor_execute", note)
    try:
        for what in ("probes", "answers"):
            statements.clear()
            with exported(engine, find_run(engine, None), what) as table:
                next(table.rows)
                early = len(statements)
                for _ in table.rows:
                    pass
            assert len(statements) > early
    finally:
        event.remove(engine, "before_cursor_execute", note)


def test_the_tables_of_a_run_are_the_same_in_every_database(
    own: Engine, tmp_path: Path, postgres: Databases
) -> None:
    path = tmp_path / "mine.jsonl.gz"
    with path.open("wb") as file:
        export_run(own, find_run(own, None), file)
    others = [open_store(str(tmp_path / "other.db")), open_store(postgres.empty())]
    for other in others:
        import_archive(other, path, verify_archive(path))
        for what in TABLES:
            assert without_ids(as_json(other, what)) == without_ids(as_json(own, what)), what
        mine, theirs = (trace(each, None, "full/religion=muslim") for each in (own, other))
        assert isinstance(mine, Trace)
        assert isinstance(theirs, Trace)
        assert mine.pairs == theirs.pairs
        assert mine.opened is not None
        assert theirs.opened is not None
        assert mine.opened.swap.body == theirs.opened.swap.body
        assert theirs.opened.anchor.as_sent is True
        other.dispose()


def without_ids(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{key: value for key, value in row.items() if key != "probe"} for row in rows]


@pytest.mark.parametrize(("what", "raw"), [("everything", False), ("answers", True), ("\x1b[m", False)])
def test_a_table_that_is_none_is_refused(engine: Engine, what: str, raw: bool) -> None:
    with (
        pytest.raises(UsageError) as refused,
        exported(engine, find_run(engine, None), what, raw=raw),
    ):
        pass
    assert str(refused.value).isprintable()


@pytest.mark.parametrize("text", ["=cmd()", "+1", "-1", "@x", "\tx", "\rx", "\n=x"])
def test_a_text_that_a_spreadsheet_would_run_stands_behind_an_apostrophe(text: str) -> None:
    _, line = csv_lines(Table(["a", "b"], iter([(text, -1.5)])))
    assert next(csv.reader(io.StringIO(line, newline=""))) == [f"'{text}", "-1.5"]
    assert line.endswith(",-1.5\r\n"), "a number stays one"


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
CELL = st.none() | TEXT | st.integers() | st.floats(allow_nan=False, allow_infinity=False)


@given(st.lists(st.tuples(TEXT, CELL), max_size=4))
def test_csv_and_json_lines_give_back_what_went_in(rows: list[tuple[Any, ...]]) -> None:
    lines = list(csv_lines(Table(["a", "b"], iter(rows))))
    assert all(line.endswith("\r\n") for line in lines)
    header, *records = csv.reader(io.StringIO("".join(lines), newline=""))
    assert header == ["a", "b"]
    assert [[unquoted(cell) for cell in record] for record in records] == [
        ["" if value is None else str(value) for value in row] for row in rows
    ]
    objects = [json.loads(line) for line in json_lines(Table(["a", "b"], iter(rows)))]
    assert objects == [{"a": one, "b": other} for one, other in rows]


def unquoted(cell: str) -> str:
    return cell[1:] if cell[:1] == "'" and cell[1:2] and cell[1] in "=+-@\t\r\n" else cell
