"""An archive that is not in every respect what jevbias wrote is refused whole, and one line says where."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine

from jevbias.catalogue.canonical import canonical_hash
from jevbias.catalogue.models import Profile
from jevbias.errors import ArchiveError
from jevbias.plan.build import plan_hash
from jevbias.plan.model import PlannedProbe
from tests.store.archive.files import Edit, at, edited, refused, sign, stored_rows, take_in


def place(lines: list[Any], record: str, nth: int = 0) -> int:
    return lines.index(at(lines, record, nth))


def answered(lines: list[Any]) -> Any:
    return next(line for line in lines if line["record"] == "probe" and len(line["answers"]) > 2)


def change(record: str, **values: Any) -> Edit:
    return lambda lines: at(lines, record).update(values)


def change_run(**values: Any) -> Edit:
    return lambda lines: lines[0]["run"].update(values)


def change_answer(**values: Any) -> Edit:
    return lambda lines: answered(lines)["answers"][1].update(values)


def swap(one: tuple[str, int], other: tuple[str, int]) -> Edit:
    def edit(lines: list[Any]) -> None:
        here, there = place(lines, *one), place(lines, *other)
        lines[here], lines[there] = lines[there], lines[here]

    return edit


def drop(record: str, nth: int = 0) -> Edit:
    return lambda lines: lines.remove(at(lines, record, nth))


def put(number: int, line: Any) -> Edit:
    return lambda lines: lines.insert(number, line)


SIGNED: dict[str, tuple[Edit, str]] = {
    "another version": (
        change("run", version=2),
        ":1: the archive's format is version 2, this jevbias reads",
    ),
    "a version that is no number": (
        change("run", version="\x1b[2J" * 99),
        ":1: the archive's format is version ",
    ),
    "another format": (change("run", format="tar"), ":1: is not the first line of a run archive"),
    "no first line": (drop("run"), ":1: is not the first line of a run archive"),
    "two first lines": (lambda lines: lines.insert(1, lines[0]), ":2: a line run is out of its place"),
    "a way out of a folder": (
        change_run(name="../../etc/passwd"),
        ":1: run name '../../etc/passwd' is not allowed",
    ),
    "an absolute path": (change_run(name="/tmp/run"), ":1: run name '/tmp/run' is not allowed"),
    "a name of control characters": (
        change_run(name="a\x1b]0;\n"),
        ":1: run name 'a\\x1b]0;\\n' is not allowed",
    ),
    "an unknown field of the run": (change_run(api_key="x"), ":1: run.run.api_key: Extra inputs"),
    "an unknown status of the run": (
        change_run(status="planning"),
        ":1: run.run.status: Input should be 'planned'",
    ),
    "a run that still runs": (change_run(status="running"), ":1: run.run.status: Input should be 'planned'"),
    "a run through with probes left": (change_run(status="finished"), "a probe of a finished run is pending"),
    "an unknown kind of run": (change_run(kind="theft"), ":1: run.run.kind: Input should be 'bias'"),
    "a time no calendar has": (change_run(started_at=1e15), ":1: run.run.started_at: Input should be less"),
    "a seed no database takes": (change_run(seed=2**63), ":1: run.run.seed: Input should be less"),
    "a text for a number": (change_run(margin="0.02"), ":1: run.run.margin: Input should be a valid number"),
    "a number for a flag": (
        change("person", is_anchor=1),
        "person.is_anchor: Input should be a valid boolean",
    ),
    "no profile": (change_run(settings={}), ":1: the profile in the run's settings"),
    "another catalogue": (change("run", catalogue={}), ":1: the catalogue is not the one"),
    "another seed": (change_run(seed=8), "the probes are not those that the run's plan hash names"),
    "another profile's name": (
        change_run(profile="deep"),
        "the probes are not those that the run's plan hash",
    ),
    "an unknown line": (put(5, {"record": "secret"}), ":6: Input tag 'secret' found"),
    "a line that is no object": (put(5, [1]), ":6: Input should be a valid dictionary"),
    "a line after the end": (lambda lines: lines.append({"record": "secret"}), ""),
    "an unknown field of a probe": (change("probe", leak="x"), "probe.leak: Extra inputs are not permitted"),
    "a hostile field": (change("probe", **{"\x1b[31m\u202e" * 99: 1}), "probe. [31m"),
    "a status no probe has": (change("probe", status="running"), "probe.status: Input should be 'pending'"),
    "an answer above 1": (
        change_answer(value=1.5),
        "probe.answers[1].value: Input should be less than or equal",
    ),
    "an answer below 0": (
        change_answer(favourability=-0.1),
        "probe.answers[1].favourability: Input should be",
    ),
    "an answer to nothing": (
        change_answer(question="culture_zeal"),
        "there is no question that culture_zeal",
    ),
    "an answer of another kind": (change_answer(kind="score"), "there is no question that "),
    "a doubled answer": (
        lambda lines: answered(lines)["answers"].insert(0, answered(lines)["answers"][0]),
        "answers do not go up by their questions",
    ),
    "a doubled send": (
        lambda lines: at(lines, "probe", 1)["sends"].extend(2 * [at(lines, "probe", 1)["sends"][0]]),
        "sends do not go up by their numbers",
    ),
    "a person who is not there": (change("probe", person=10**6), "there is no person 1000000"),
    "a batch that is not there": (change("probe", batch=3), "there is no batch 3"),
    "a position twice": (
        lambda lines: at(lines, "probe").update(position=at(lines, "probe", -1)["position"]),
        "",
    ),
    "a position beyond all": (change("probe", position=2**31 - 1), ""),
    "another condition": (
        lambda lines: at(lines, "probe").update(
            condition="full" if at(lines, "probe")["condition"] == "blind" else "blind"
        ),
        "the probes are not those that the run's plan hash names",
    ),
    "another replicate": (change("probe", replicate=7), "the probes are not those that the run's plan hash"),
    "another person": (change("probe", person=3), ""),
    "a probe before any ask": (
        lambda lines: lines.insert(place(lines, "ask"), at(lines, "probe")),
        "before any ask",
    ),
    "an ask before any frame": (
        lambda lines: lines.insert(place(lines, "frame"), at(lines, "ask")),
        "before any frame",
    ),
    "an ask without a probe": (
        lambda lines: lines.insert(place(lines, "ask"), at(lines, "ask")),
        "has no probe",
    ),
    "a frame without an ask": (
        lambda lines: lines.insert(place(lines, "frame"), at(lines, "frame")),
        "has no ask",
    ),
    "frames in another order": (swap(("frame", 0), ("frame", 1)), ""),
    "people in another order": (swap(("person", 0), ("person", 1)), "a person's idx is 1 where 0 comes next"),
    "batches in another order": (
        swap(("batch", 0), ("batch", 1)),
        "a batch's number is 1 where 0 comes next",
    ),
    "a person among the frames": (
        lambda lines: lines.insert(place(lines, "ask"), at(lines, "person")),
        "a line person is out of its place",
    ),
    "a missing person": (drop("person", -1), "there is no person "),
    "a missing probe": (drop("probe", -1), ""),
    "a missing ask": (drop("ask", -1), ""),
    "another block of a person": (
        change("ask", person={"reference": "X"}),
        "the ask is not what its hash names",
    ),
    "another hash of an ask": (change("ask", hash=64 * "0"), "the ask is not what its hash names"),
    "a hash that is none": (change("ask", hash="../../x"), "ask.hash: String should match pattern"),
    "another case": (
        lambda lines: at(lines, "frame")["content"]["case"].update(post="Thief"),
        "the frame is not what its hash names",
    ),
    "text that is held as bytes": (
        change("probe", response={"base64": "e30="}),
        "a response is text and not written as such",
    ),
    "bytes that are none": (change("probe", response={"base64": "?"}), "a response is not base64"),
    "a NUL where a database takes none": (change("person", full_name="a\x00b"), "holds a NUL character"),
    "half a character": (put(5, b'{"record":"person","idx":"\\ud800"}'), ":6: person."),
    "whole numbers for others": (change_answer(value=1), "is not written as jevbias writes it"),
}


@pytest.mark.parametrize("case", SIGNED)
def test_a_fault_that_was_counted_and_signed(worn_archive: bytes, tmp_path: Path, case: str) -> None:
    edit, said = SIGNED[case]
    assert said in refused(edited(worn_archive, edit, tmp_path / "run.jsonl.gz"))


def replaced(old: bytes, new: bytes) -> Edit:
    """Replace text that stands once on the first line that has it."""

    def edit(lines: list[Any]) -> None:
        for number, line in enumerate(lines[:-1]):
            text = json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode()
            if old in text:
                lines[number] = text.replace(old, new, 1)
                return
        raise AssertionError

    return edit


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (b'"idx":0', b'"idx":0,"idx":0', "a doubled key"),
        (b'"idx":0', b'"idx": 0', "is not written as jevbias writes it"),
        (b'"record":"person","idx":0', b'"idx":0,"record":"person"', "is not written as jevbias writes it"),
        (b'"seed":7', b'"seed":7.0', "run.run.seed: Input should be a valid integer"),
        (b'"alpha":0.05', b'"alpha":5e-2', "is not written as jevbias writes it"),
        (b'"alpha":0.05', b'"alpha":0.05000000000000000000001', "is not written as jevbias writes it"),
        (b'"alpha":0.05', b'"alpha":NaN', "run.run.alpha: Input should be"),
        (b'"alpha":0.05', b'"alpha":-Infinity', "run.run.alpha: Input should be"),
        (b'"alpha":0.05', b'"alpha":1e999', "run.run.alpha: Input should be"),
        (b'"odd":"', b'"more":1e999,"odd":"', "cannot say"),
        (b'"alpha":0.05', b'"alpha":' + 5000 * b"9", ":1: is not JSON"),
        (b'"odd":"', b'"odd":' + 100_000 * b"[", ":1: is "),
        (b'"odd":"', b'"deep":' + 900 * b"[" + 900 * b"]" + b',"odd":"', ":1: "),
        (b'"odd":"', b'"odd":"\xff', ":1: is not UTF-8 text"),
        (b'"odd":"', b'"odd":"\xed\xa0\x80', ":1: is not UTF-8 text"),
        (b'"odd":"', b'"odd":"\\ud800', ":1: "),
        (b'"odd":"', b'"odd":"\n', ":1: is not JSON"),
        (b'"base":0', b'"base":3000000000', "person.base: Input should be less than 2147483648"),
        (b'"cost":', b'"cost":1e300,"unused":', ""),
    ],
)
def test_json_in_another_way_than_ours(
    worn_archive: bytes, tmp_path: Path, old: bytes, new: bytes, said: str
) -> None:
    path = tmp_path / "run.jsonl.gz"

    def edit(lines: list[Any]) -> None:
        replaced(old, new)(lines)
        parsed = [line if isinstance(line, dict) else {"record": "run"} for line in lines]
        sign(parsed)

    assert said in refused(edited(worn_archive, edit, path, signed=False))


@pytest.mark.parametrize("what", ["people", "probes", "sends", "answers", "hypotheses", "batches"])
def test_a_wrong_count(worn_archive: bytes, tmp_path: Path, what: str) -> None:
    def edit(lines: list[Any]) -> None:
        lines[-1]["counts"][what] += 1

    said = refused(edited(worn_archive, edit, tmp_path / "run.jsonl.gz", signed=False))
    lines = gzip.decompress(worn_archive).splitlines()
    count = json.loads(lines[-1])["counts"][what]
    assert said == f":{len(lines)}: says {count + 1} {what}, and there are {count}"


def test_an_altered_answer_with_the_old_signature(worn_archive: bytes, tmp_path: Path) -> None:
    path = edited(worn_archive, change_answer(value=0.123), tmp_path / "run.jsonl.gz", signed=False)
    assert refused(path).endswith("the lines before it do not have the SHA-256 that it says")


def planned_again(lines: list[Any]) -> None:
    """Give the run the plan hash of the probes that its lines say."""
    run, frame, ask, found = lines[0]["run"], {}, "", []
    for line in lines:
        if line["record"] == "frame":
            frame = line["content"]
        elif line["record"] == "ask":
            ask = line["hash"]
        elif line["record"] == "probe":
            who = (line["position"], line["person"], frame["scenario"], frame["variant"])
            found.append(PlannedProbe(*who, line["condition"], line["replicate"], ask))
    profile = Profile.model_validate(run["settings"]["profile"])
    found.sort()
    run["plan_hash"] = plan_hash(run["profile"], profile, run["seed"], run["catalogue_hash"], found)


def test_what_only_the_database_notices_leaves_nothing_behind(
    worn_archive: bytes, engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("jevbias.store.archive.line_store._CHUNK", 20)

    def edit(lines: list[Any]) -> None:
        last, before = at(lines, "probe", -1), at(lines, "probe", -2)
        same = ("person", "condition", "replicate")
        before.update({key: last[key] for key in same})
        planned_again(lines)

    path = edited(worn_archive, edit, tmp_path / "run.jsonl.gz")
    with pytest.raises(ArchiveError, match="holds a person, an ask or a probe twice"):
        take_in(engine, path)
    assert stored_rows(engine) == 0


def test_the_hash_of_a_catalogue_is_recomputed(worn_archive: bytes, tmp_path: Path) -> None:
    def edit(lines: list[Any]) -> None:
        lines[0]["catalogue"]["scenarios"]["hiring_screen"]["title"] = "Another"

    path = tmp_path / "run.jsonl.gz"
    assert "the catalogue is not the one" in refused(edited(worn_archive, edit, path))

    def rehashed(lines: list[Any]) -> None:
        edit(lines)
        lines[0]["run"]["catalogue_hash"] = canonical_hash(lines[0]["catalogue"])

    assert "the run's plan hash names" in refused(edited(worn_archive, rehashed, path))

    def unreadable(lines: list[Any]) -> None:
        lines[0]["catalogue"]["attributes"] = {"gender": 1}
        lines[0]["run"]["catalogue_hash"] = canonical_hash(lines[0]["catalogue"])

    assert "none that this jevbias can read" in refused(edited(worn_archive, unreadable, path))
