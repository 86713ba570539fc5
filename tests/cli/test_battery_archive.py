"""A battery as an archive: taken in whole, once, and reported as before; and refused where it is none."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from jevbias.catalogue.canonical import canonical_hash
from jevbias.report.battery import BatteryReport
from tests.battery.sets import pair_set
from tests.cli.conftest import Jevbias
from tests.store.archive.files import Edit, at, edited


@pytest.fixture
def archive(jevbias: Jevbias, tmp_path: Path) -> Path:
    """A scored battery, archived: two axes, a reply without a score and one that was scored twice."""
    pairs = pair_set({"loud": [2, 1, 1, 1, 1, 1], "calm": [1] * 6}, {"calm": "negative"}).pairs
    lines = [{**pair.content, "control": "negative" if pair.axis == "calm" else None} for pair in pairs]
    for line in lines:
        del line["number"]
    (tmp_path / "pairs.jsonl").write_text("\n".join(map(json.dumps, lines)))
    scores = [f"{p.axis},{p.family},{p.number},{place**1.5},{-place}" for place, p in enumerate(pairs)]
    text = "\n".join(["axis,family,pair,with,without", *scores, scores[3]])
    (tmp_path / "scores.csv").write_text(text.replace(scores[2], scores[2].rpartition(",")[0] + ",nan"))
    done = jevbias(
        "battery", "run", "--pairs", "pairs.jsonl", "--scorer", "scores.csv", "--name", "bat", "--seed", "3"
    )
    assert done.code == 0, done.err
    exported = jevbias("export", "--run", "bat", "--archive", "bat.gz")
    assert exported.code == 0, exported.err
    return tmp_path / "bat.gz"


def reported(jevbias: Jevbias, *arguments: str) -> dict[str, Any]:
    found = jevbias("battery", "report", "--json", *arguments)
    assert found.code == 0, found.err
    return BatteryReport.model_validate_json(found.out).model_dump()


def test_a_battery_is_taken_in_once_and_reports_the_same(jevbias: Jevbias, archive: Path) -> None:
    before = reported(jevbias)
    assert (len(before["lost"]), before["noise"]["cells"]) == (1, 2)
    assert before["run"]["pairs_source"] == "pairs.jsonl"
    taken = jevbias("import", archive, "--db", "other.db")
    assert (taken.code, "`jevbias battery report --run bat --db other.db`" in taken.err) == (0, True)
    assert "is there already" in jevbias("import", archive, "--db", "other.db").err
    assert "is there already" in jevbias("import", archive).err
    assert reported(jevbias, "--db", "other.db") == before
    assert jevbias("export", "--run", "bat", "--archive", "again.gz", "--db", "other.db").code == 0
    assert archive.with_name("again.gz").read_bytes() == archive.read_bytes()


def test_a_battery_that_is_half_done_goes_on_where_it_was_taken_in(jevbias: Jevbias, archive: Path) -> None:
    command = ("battery", "run", "--pairs", "pairs.jsonl", "--scorer", "scores.csv", "--name", "later")
    jevbias(*command, "--plan-only")
    jevbias("export", "--run", "later", "--archive", "later.gz")
    assert jevbias("import", "later.gz", "--db", "other.db", "--name", "mine").code == 0
    resumed = jevbias("battery", "run", "--resume", "mine", "--db", "other.db")
    assert (resumed.code, "mine: answered 27 of 27" in resumed.err) == (0, True), resumed.err
    assert archive.exists()


def of_catalogue(lines: list[Any], change: Callable[[Any], object]) -> None:
    """Change what the battery was planned from, and give it its hash."""
    change(at(lines, "run")["catalogue"])
    at(lines, "run")["run"]["catalogue_hash"] = canonical_hash(at(lines, "run")["catalogue"])


def of_frame(lines: list[Any], change: Callable[[Any], object]) -> None:
    change(at(lines, "frame")["content"])
    at(lines, "frame")["hash"] = canonical_hash(at(lines, "frame")["content"])


FAULTS: dict[str, tuple[Edit, str]] = {
    "another pair": (
        lambda lines: of_catalogue(lines, lambda c: c["battery"]["pairs"][0].update(family="else")),
        "the reply is not the one that the battery has in its place",
    ),
    "a pair twice": (
        lambda lines: of_catalogue(lines, lambda c: c["battery"]["pairs"].append(c["battery"]["pairs"][0])),
        "the battery has a pair twice",
    ),
    "a pair without a reply": (
        lambda lines: of_catalogue(lines, lambda c: c["battery"]["pairs"][0].pop("with")),
        "the battery is none that this jevbias can read: ",
    ),
    "no pairs": (
        lambda lines: of_catalogue(lines, lambda c: c.pop("battery")),
        "the battery is none that this jevbias can read: ",
    ),
    "reasons that are none": (
        lambda lines: at(lines, "run")["run"]["settings"]["battery"].update(unusable={"x": 3}),
        "the battery is none that this jevbias can read: ",
    ),
    "a pair fewer than its replies": (
        lambda lines: of_catalogue(lines, lambda c: c["battery"]["pairs"].pop()),
        "there are more replies than the battery's pairs have",
    ),
    "another prompt": (
        lambda lines: of_frame(lines, lambda frame: frame["case"].update(message="Coffee?")),
        "the frame's prompt and question are not those of the battery",
    ),
    "another seed": (
        lambda lines: at(lines, "run")["run"].update(seed=4),
        "the probes are not those that the run's plan hash names",
    ),
    "another kind": (
        lambda lines: at(lines, "run")["run"].update(kind="testbench"),
        "is of a testbench run; archives hold bias and battery runs",
    ),
}


def test_what_is_no_battery_is_refused_in_one_line_and_nothing_stays(jevbias: Jevbias, archive: Path) -> None:
    for name, (edit, said) in FAULTS.items():
        path = edited(archive.read_bytes(), edit, archive.with_name("x.gz"))
        refused = jevbias("import", path, "--db", "new.db")
        assert (refused.code, said in refused.err, len(refused.err.splitlines())) == (2, True, 1), (
            name,
            refused.err,
        )
    assert not archive.with_name("new.db").exists()
