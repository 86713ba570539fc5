"""`trace`, as a user meets it: sums to follow, proof of what was sent, hostile text shown as text."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import update

from jevbias.analysis.analyse import analyse_run
from jevbias.catalogue.catalogue import Catalogue
from jevbias.cli.trace_json import trace_json
from jevbias.cli.trace_table import table_lines
from jevbias.cli.visible_text import visible
from jevbias.report.comparison import Comparison
from jevbias.store.engine import open_store
from jevbias.store.tables import ATTEMPT, PROBE
from tests.analysis.answered_runs import Replies, answer, plan
from tests.cli.conftest import Jevbias

HOSTILE = "[/b]\x1b[31m<img onerror=x>\u202ealif \u0627\x00\x07\u2028=cmd()"
STEERING = ("\x1b", "\x00", "\x07", "\u202e", "\u2028", "\r")
SMALL: dict[str, Any] = {"scenarios": ["hiring_screen", "clinical_triage"], "swept": ["religion"]}


@dataclass(frozen=True)
class Finished:
    """A database with a finished run, and the comparisons of its report."""

    content: bytes
    comparisons: list[Comparison]


@pytest.fixture(scope="module")
def finished(catalogue: Catalogue, tmp_path_factory: pytest.TempPathFactory) -> Finished:
    path = tmp_path_factory.mktemp("finished") / "runs.db"
    engine = open_store(str(path))
    lost = Replies(status=lambda row: "failed" if row.position % 9 == 0 else "answered")
    answer(engine, plan(engine, catalogue, **SMALL), lost)
    report = analyse_run(engine, None)
    engine.dispose()
    return Finished(path.read_bytes(), report.comparisons)


@pytest.fixture
def folder(tmp_path: Path, finished: Finished) -> Path:
    """The folder that commands run in, with a copy of that database."""
    (tmp_path / "jevbias.db").write_bytes(finished.content)
    return tmp_path


def test_the_arithmetic_in_the_terminal_is_that_of_the_report(
    jevbias: Jevbias, folder: Path, finished: Finished
) -> None:
    row = next(row for row in finished.comparisons if row.id == "full/religion=muslim")
    shown = jevbias("trace", row.id, "--top", "0")
    assert shown.code == 0, shown.err
    assert row.delta is not None
    assert f"  delta {row.delta:+.6g} over {row.pairs} pairs, verdict: {row.verdict}" in shown.out
    start = shown.out.index("\npairs\n")
    head, *lines = shown.out[start:].split("\n  weight = ")[0].strip().splitlines()[1:]
    place = head.split().index("contribution") - len(head.split())
    assert len(lines) == row.pairs
    total = sum(float(line.split()[place]) for line in lines)
    assert total == pytest.approx(row.delta, abs=1e-6 * row.pairs)
    assert f"= {row.delta:+.6g} (the report's: {row.delta:+.6g})" in shown.out
    assert shown.out.count("as sent, SHA-256 verified against ") == 2
    assert '\n  -      "religion": "no religion",\n  +      "religion": "Muslim",\n' in shown.out
    assert "`jevbias trace probe/NUMBER --run mine --raw`" in shown.err


def test_what_is_not_listed_is_added_up(jevbias: Jevbias, folder: Path) -> None:
    shown = jevbias("trace", "full/religion=muslim", "--top", "1").out
    assert " more, which add " in shown
    assert "--top 0 lists all" in shown


def test_json_holds_the_whole_trace_whatever_top_says(
    jevbias: Jevbias, folder: Path, finished: Finished
) -> None:
    chosen = [row for row in finished.comparisons if row.level == "muslim"]
    for row in [row for row in chosen if row.question is None] + chosen[:2]:
        data = jevbias("trace", row.id, "--json", "--top", "1").json
        assert (data["id"], data["run"], data["row"]["delta"]) == (row.id, "mine", row.delta)
        pairs = [pair for pair in data["listings"][0]["rows"] if pair["difference"] is not None]
        assert len(pairs) == row.pairs
        total = sum(pair["weight"] * pair["difference"] for pair in pairs)
        assert total == pytest.approx(row.delta or 0.0, rel=6e-6, abs=1e-9)
        assert "cells" not in pairs[0]
        if pairs:
            opened = data["opened"]
            assert opened["swap"]["as_sent"] is opened["anchor"]["as_sent"] is True
            assert json.loads(opened["swap"]["body"])["state"]


@pytest.mark.parametrize(
    ("identifier", "said"),
    [
        ("noise/hiring_screen.advance", "SD = sqrt(sum of (n - 1) x SD^2 / sum of (n - 1)) = sqrt("),
        ("noise/drift", "change over the run = sum of products / sum of squares = "),
        ("validity/hiring_screen.advance", "span = strongest - weakest variant = "),
        ("conditions/full", "shift = mean over 2 bases of the mean over scenarios = "),
        ("failures/full/religion=muslim", "rate of the anchors = "),
        ("name_only/religion=muslim", "no difference: this condition does not show the swap"),
    ],
)
def test_other_figures_show_how_they_are_made(
    jevbias: Jevbias, folder: Path, identifier: str, said: str
) -> None:
    shown = jevbias("trace", identifier)
    assert shown.code == 0, shown.err
    assert shown.out.startswith(f"{identifier} of run mine\n")
    assert said in shown.out
    assert jevbias("trace", identifier, "--json").json["id"] == identifier


def test_another_pair_and_one_probe_can_be_opened(jevbias: Jevbias, folder: Path) -> None:
    for base in (0, 1):
        data = jevbias("trace", "full/religion=muslim", "--pair", f"{base}/hiring_screen", "--json").json
        assert (data["opened"]["pair"]["base"], data["opened"]["pair"]["scenario"]) == (base, "hiring_screen")
        probe = data["opened"]["anchor"]["probes"][0]["probe"]
        cell = jevbias("trace", f"probe/{probe}", "--raw")
        assert f"probe/{probe} of run mine\n  anchor {base}, hiring_screen, " in cell.out
        assert '"religion": "no religion",' in cell.out
        assert 'reply as it came:\n      {"answers":{}}\n' in cell.out


def test_hostile_text_is_shown_as_text(jevbias: Jevbias, folder: Path) -> None:
    import zlib

    engine = open_store(str(folder / "jevbias.db"))
    hostile = HOSTILE.replace("\x00", "")
    with engine.begin() as connection:
        texts = {"model_answered": hostile, "request_id": hostile, "error_kind": hostile, "error": hostile}
        reply = zlib.compress(f'{{"a": "{HOSTILE}"}}\r\n\x9b2J'.encode() + b"\xff")
        connection.execute(update(PROBE).values(**texts, response=reply))
        connection.execute(update(ATTEMPT).values(outcome=hostile, response=reply, body_sha256=hostile))
    engine.dispose()
    for identifier in (
        *("full/religion=muslim", "failures/full/religion=muslim", "noise/hiring_screen", "probe/1"),
        f"noise/model/{hostile}",  # There is only one, so no such figure.
    ):
        shown = jevbias("trace", identifier, "--raw", "--top", "0")
        assert shown.code == (2 if "model" in identifier else 0), shown.err
        assert not any(sign in shown.out + shown.err for sign in STEERING), identifier
    opened = jevbias("trace", "full/religion=muslim", "--raw").out
    assert "[/b]\\x1b[31m<img onerror=x>\\u202ealif \u0627\\x07\\u2028=cmd()" in opened
    assert '=cmd()"}\\r' in opened
    assert "\\x9b2J\\xff" in opened
    assert "NOT as sent" in opened
    assert jevbias("trace", "full/religion=muslim", "--raw", "--json").code == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("full/religion=muslin",), "nearest are full/religion=muslim"),
        (("full/religion=muslim", "--pair", "7/hiring_screen"), "bases are 0, 1"),
        (("validity/hiring_screen.advance", "--pair", "0/hiring_screen"), "pairs are a comparison's"),
        (("probe/999999",), "has no probe '999999'"),
        (("full/religion=muslim", "--run", "theirs"), "there is no run 'theirs'"),
        (("\x1b[1m\n",), "has no figure '?[1m?'"),
    ],
)
def test_what_is_not_there_is_one_line(
    jevbias: Jevbias, folder: Path, arguments: tuple[str, ...], said: str
) -> None:
    refused = jevbias("trace", *arguments)
    assert (refused.code, refused.out, refused.err.count("\n")) == (2, "", 1)
    assert said in refused.err


@given(st.text(max_size=30))
def test_no_text_can_steer_a_terminal(text: str) -> None:
    shown = visible(text)
    assert all(sign.isprintable() or sign in "\u2068\u2069" for sign in shown)
    if text.isprintable() and text.isascii():
        assert shown == text
    assert visible(text, lines=True).count("\n") == text.count("\n")


def test_rows_without_any_are_said_to_be_none() -> None:
    assert [line.plain for line in table_lines(())] == ["none"]


def test_json_keeps_plain_values() -> None:
    assert trace_json({"a": (1, None, "x", {"b": [0.5]})}) == {"a": [1, None, "x", {"b": [0.5]}]}
