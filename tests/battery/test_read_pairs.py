"""Files of pairs: what is read, and every fault with its line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from jevbias.battery.pairs import words
from jevbias.battery.read_pairs import load_pairs, read_pairs
from jevbias.errors import CatalogueError

LINE = {"axis": "tone", "family": "tea", "prompt": "Tea?", "with": "Yes, please.", "without": "Yes."}


def written(path: Path, *lines: object) -> Path:
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    path.write_text(text, encoding="utf-8")
    return path


def faults(path: Path) -> list[str]:
    return [str(error).replace(str(path), "FILE") for error in read_pairs(path).errors]


def test_jsonl_and_yaml_say_the_same(tmp_path: Path) -> None:
    lines = written(tmp_path / "a.jsonl", LINE, "", {**LINE, "family": "milk", "keep": ["yes"]})
    listed = written(
        tmp_path / "a.yaml",
        "- {axis: tone, family: tea, prompt: Tea?, with: 'Yes, please.', without: Yes.}",
        "- {axis: tone, family: milk, prompt: Tea?, with: 'Yes, please.', without: Yes., keep: [yes]}",
    )
    whole = written(
        tmp_path / "b.yaml",
        "axis: tone",
        "pairs:",
        "- {family: tea, prompt: Tea?, with: 'Yes, please.', without: Yes.}",
        "- {family: milk, prompt: Tea?, with: 'Yes, please.', without: Yes., keep: [yes]}",
    )
    hashes = {load_pairs(path).hash for path in (lines, listed, whole)}
    assert len(hashes) == 1
    assert [pair.place for pair in load_pairs(lines).pairs] == [f"{lines}:1", f"{lines}:3"]
    assert [pair.id for pair in load_pairs(whole).pairs] == ["tone/tea/1", "tone/milk/1"]


def test_pairs_of_one_family_are_numbered_and_a_folder_is_one_set(tmp_path: Path) -> None:
    named = [{**LINE, "family": family} for family in ("the\u0301", "th\u00e9")]
    written(tmp_path / "a.jsonl", *named)
    written(tmp_path / "b.jsonl", {**LINE, "axis": "other", "control": "negative"})
    pairs = load_pairs(tmp_path)
    assert [pair.id for pair in pairs.pairs] == ["tone/th\u00e9/1", "tone/th\u00e9/2", "other/tea/1"]
    assert pairs.controls == {"other": "negative"}


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        (
            {**LINE, "without": "Yes, please."},
            "FILE:2: with: says the same as 'without': there is no difference",
        ),
        ({key: LINE[key] for key in LINE if key != "with"}, "FILE:2: with: missing; expected text"),
        ({**LINE, "prompt": 3}, "FILE:2: prompt: expected text"),
        ({**LINE, "without": " "}, "FILE:2: without: expected text"),
        ({**LINE, "axis": "Tone!"}, "FILE:2: axis: expected"),
        ({key: LINE[key] for key in LINE if key != "axis"}, "FILE:2: axis: missing"),
        ({**LINE, "famliy": "x"}, "FILE:2: famliy: unknown key"),
        ({**LINE, "keep": ["no"]}, "FILE:2: keep[0]: 'no' is not in 'with' and not in 'without'"),
        ({**LINE, "control": "maybe"}, "FILE:2: control: expected"),
        ({**LINE, "control": "positive"}, "FILE:2: control: axis 'tone' is no control at FILE:1"),
        ({**LINE, "with": "x" * 50_001}, "FILE:2: with: has 50,001 characters; at most 50,000"),
        ({**LINE, "with": "a\x1bb"}, "FILE:2: the text holds the control character U+001B"),
        ({**LINE, "with": "a\0b"}, "FILE:2: the text holds the control character U+0000"),
        ([1], "FILE:2: is JSON, but no object"),
        ("{", "FILE:2: is not JSON: every line is one object"),
        ('{"axis": "a", "axis": "b"}', "FILE:2: duplicate key 'axis'"),
        ('{"axis": "\\ud800"}', "FILE:2: holds half of a surrogate pair"),
    ],
)
def test_every_fault_names_its_line(tmp_path: Path, line: object, fault: str) -> None:
    found = faults(written(tmp_path / "a.jsonl", LINE, line))
    assert len(found) == 1
    assert found[0].startswith(fault)


def test_all_faults_are_listed_and_the_first_is_raised(tmp_path: Path) -> None:
    path = written(
        tmp_path / "a.yaml",
        "pairs:",
        "- {axis: tone, family: tea, prompt: Tea?, with: A., without: A.}",
        "- {axis: tone, family: tea, prompt: Tea?, with: B., without: B.}",
    )
    assert [fault.split(": ")[0] for fault in faults(path)] == ["FILE:2", "FILE:3"]
    with pytest.raises(CatalogueError, match=r"a\.yaml:2: .*and 1 more: `jevbias battery pairs` lists"):
        load_pairs(path)


@pytest.mark.parametrize(
    ("name", "content", "fault"),
    [
        ("gone.jsonl", None, "no such file"),
        ("gone", None, "no such file"),
        ("a.txt", "x", "a file of pairs ends in .yaml or .jsonl"),
        ("a.jsonl", "", "holds no pair"),
        ("a.yaml", "", "is empty"),
        ("a.yaml", "pairs: []", "expected"),
        ("a.yaml", "pairs: {", "not valid YAML"),
    ],
)
def test_files_that_are_none(tmp_path: Path, name: str, content: str | None, fault: str) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_text(content, encoding="utf-8")
    found = faults(path)
    assert len(found) == 1
    assert fault in found[0]


def test_words_leave_out_bullets_numbers_of_items_and_emoji() -> None:
    assert words("One, two and three.") == 4
    assert words("1. One\n2. two 🎉 and\n- three") == 4
    assert words("It's a well-kept 3rd garden") == 5
