"""Fault plans: read strictly, faults with their line."""

from __future__ import annotations

from pathlib import Path

import pytest

from jevbias.errors import CatalogueError
from jevbias.mock.fault_plan import load_fault_plan
from tests.conftest import CHECKOUT

RULE = "faults:\n  - when: {face: chat}\n    reply: "


def test_the_shipped_example_can_be_read_and_shows_every_key() -> None:
    path = CHECKOUT / "mock" / "faults" / "example.yaml"
    plan = load_fault_plan(path)
    used = {key for rule in plan.faults for key in rule.reply.model_fields_set}
    assert used == {"status", "headers", "delay_ms", "body", "json_", "cut"}
    assert len(plan.batches) == 3
    text = path.read_text(encoding="utf-8")
    for model in (type(plan.faults[0].when), type(plan.batches[0])):
        assert [key for key in model.model_fields if key not in text] == []


def test_an_empty_plan_is_no_faults(tmp_path: Path) -> None:
    path = tmp_path / "plan.yaml"
    path.write_text("faults: []\n")
    assert load_fault_plan(path).faults == []


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        (RULE + "{status: 99}\n", 3, "200"),
        (RULE + "{status: 500, cut: half}\n", 3, "half_body"),
        (RULE + "{statsu: 500}\n", 3, "did you mean 'status'"),
        (RULE + "{}\n", 3, "does nothing"),
        (RULE + "{body: a, json: {}}\n", 3, "beside body"),
        (RULE + "{status: 204, body: a}\n", 3, "no body"),
        (RULE + "{headers: {Content-Length: '3'}}\n", 3, "set by the server"),
        (RULE + "{headers: {Retry-After: 3}}\n", 3, "text"),
        (RULE + '{headers: {"Bad name": a}}\n', 3, "Bad name"),
        (RULE + '{headers: {X: "a\\nb"}}\n', 3, "text"),
        ("faults:\n  - when: {face: chats}\n    reply: {status: 500}\n", 2, "'chat'"),
        ("faults:\n  - when:\n      nth: 0\n    reply: {status: 500}\n", 3, "from 1"),
        ("faults:\n  - when:\n      first: 3\n      last: 2\n    reply: {status: 500}\n", 4, "before first"),
        ("faults:\n  - when: {share: 1.5}\n    reply: {status: 500}\n", 2, "0 to 1"),
        ("faults:\n  - when: {above: {burst: 3}}\n    reply: {status: 500}\n", 2, "per_second"),
        ("faults:\n  - when: {face: batch_get, path: /x}\n    reply: {status: 500}\n", 2, "beside face"),
        ("faults:\n  - when: {}\n", 2, "reply"),
        ("batches:\n  - statuses: []\n", 2, "list"),
        ("batches:\n  - answered: all\n", 2, "number"),
        ("fault: []\n", 1, "faults"),
        ("", 1, "empty"),
        ("faults: [\n", None, "YAML"),
    ],
)
def test_a_fault_in_the_plan_names_file_line_and_what_is_allowed(
    tmp_path: Path, text: str, line: int | None, said: str
) -> None:
    path = tmp_path / "plan.yaml"
    path.write_text(text)
    with pytest.raises(CatalogueError) as caught:
        load_fault_plan(path)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)
    assert said in str(caught.value)
    assert line is None or caught.value.line == line
