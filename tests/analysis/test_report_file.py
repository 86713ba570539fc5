import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from jevbias.analysis.analyse import analyse
from jevbias.errors import UsageError
from jevbias.report.rounding import round_figure
from jevbias.report.run_report import ConditionRow
from jevbias.report.soundness import find_fault
from jevbias.report.write import read_report, report_json
from tests.analysis.runs import Design, make_dataset
from tests.publish.conftest import MAKERS, made_report

CONTENT = report_json(analyse(make_dataset(Design())))


def test_a_report_reads_back_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_bytes(CONTENT)
    assert report_json(read_report(path)) == CONTENT


@settings(derandomize=True, deadline=None, max_examples=100)
@given(st.floats(allow_nan=False, allow_infinity=False, min_value=-1e300, max_value=1e300))
def test_rounding_keeps_six_digits_and_rounding_again_changes_nothing(value: float) -> None:
    once = round_figure(value)
    assert round_figure(once) == once
    assert once == pytest.approx(value, rel=5e-6)
    assert str(once) != "-0.0"


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_no_report_can_hold_a_figure_that_is_no_number(value: float) -> None:
    with pytest.raises(ValidationError):
        ConditionRow(
            id="conditions/full",
            condition="full",
            question=None,
            mean=value,
            shift=None,
            baseline=None,
            by_base={},
        )


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"not json", "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b"[]", "not a report"),
        (b'{"version": 1}', "not a report"),
        (CONTENT.replace(b'{"version":1,', b'{"version":0,', 1), "older"),
        (CONTENT.replace(b'{"version":1,', b'{"version":"1",', 1), "older"),
        (CONTENT.replace(b'{"version":1,', b'{"version":2,', 1), "newer"),
        (CONTENT.replace(b'"alpha":0.05', b'"alpha":NaN', 1), "not JSON"),
        (CONTENT.replace(b'"pairs":', b'"couples":', 1), "not a whole report"),
        (json.dumps({"version": 1, "run": {}}).encode(), "not a whole report"),
    ],
)
def test_a_file_that_is_no_report_is_refused_in_one_line(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "report.json"
    path.write_bytes(content)
    with pytest.raises(UsageError, match=words) as caught:
        read_report(path)
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)


def test_a_missing_file_is_refused_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        read_report(tmp_path / "none.json")
    with pytest.raises(UsageError, match="cannot be read"):
        read_report(tmp_path)


Place = tuple[str | int, ...]
UNTOLD = ("seed", "version")
"""Whole numbers that may be negative, or that are refused for another reason."""


@cache
def content() -> str:
    """The report as a file, with two comparisons of each kind."""
    data = json.loads(CONTENT)
    rows = data["comparisons"]
    data["comparisons"] = [
        *[row for row in rows if row["question"] is None and row["q"] is not None][:2],
        *[row for row in rows if row["question"] is not None and row["q"] is not None][:2],
    ]
    return json.dumps(data)


@cache
def places() -> dict[Place, Any]:
    """Everything in it, by where it stands."""
    return dict(_within(json.loads(content())))


def _within(data: Any, path: Place = ()) -> Iterator[tuple[Place, Any]]:
    for key, value in data.items() if isinstance(data, dict) else enumerate(data):
        yield (*path, key), value
        if isinstance(value, dict | list):
            yield from _within(value, (*path, key))


def refused(folder: Path, path: Place, value: Any) -> str:
    """What reading the report says, with another value at one place."""
    data = json.loads(content())
    inner = data
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    file = folder / "odd.json"
    file.write_text(json.dumps(data))
    with pytest.raises(UsageError) as caught:
        read_report(file)
    assert "\n" not in str(caught.value)
    return str(caught.value).removeprefix(f"{file}: not a whole report: ")


def kinds(*chosen: type) -> list[Any]:
    """One place per kind of place that holds such a value: `comparisons.*.q`."""
    found: dict[str, Place] = {}
    for path, value in places().items():
        if type(value) in chosen and path[-1] not in UNTOLD:
            found.setdefault(".".join("*" if isinstance(key, int) else key for key in path), path)
    return [pytest.param(path, id=name) for name, path in found.items()]


@pytest.mark.parametrize("path", kinds(float))
def test_no_figure_of_a_report_is_beyond_all_measure(tmp_path: Path, path: Place) -> None:
    for value in (1e308, -1e308):
        assert refused(tmp_path, path, value).startswith(f"{'.'.join(map(str, path))}: not ")


@pytest.mark.parametrize("path", kinds(int))
def test_no_count_of_a_report_is_negative_or_beyond_all_measure(tmp_path: Path, path: Place) -> None:
    for value in (-1, 10**20, 10**400):
        assert refused(tmp_path, path, value).startswith(f"{'.'.join(map(str, path))}: not ")


@pytest.mark.parametrize(
    "path",
    [
        path
        for path in kinds(list)
        if len(ends := places()[path.values[0]]) == 2
        and all(isinstance(end, int | float) for end in ends)
        and ends[0] < ends[1]
    ],
)
def test_the_ends_of_every_interval_are_in_order(tmp_path: Path, path: Place) -> None:
    said = refused(tmp_path, path, places()[path][::-1])
    assert said == f"{'.'.join(map(str, path))}: its ends are not in order"


SECTIONS = [
    path
    for path, value in places().items()
    if isinstance(value, list) and len(value) > 1 and isinstance(value[0], dict) and "id" in value[0]
]


@pytest.mark.parametrize("path", SECTIONS, ids=lambda path: ".".join(map(str, path)))
@pytest.mark.parametrize(("name", "says"), [(None, "another row has it too"), ("", "is empty")])
def test_every_row_has_an_id_of_its_own(tmp_path: Path, path: Place, name: str | None, says: str) -> None:
    rows = places()[path]
    said = refused(tmp_path, (*path, 1, "id"), rows[0]["id"] if name is None else name)
    assert said == f"{'.'.join(map(str, path))}.1.id: {says}"


@pytest.mark.parametrize(
    ("path", "value", "says"),
    [
        (("run", "margin"), 0, "not above 0 and at most 1"),
        (("run", "margin"), -1, "not above 0 and at most 1"),
        (("run", "bases"), 0, "not 1 or more"),
        (("run", "started_at"), "yesterday", "not a time in ISO 8601"),
        (("run", "finished_at"), "9999-12-31T23:59:59-14:00", "not a time in ISO 8601"),
        (("validity", 0, "question"), "nodot", "not a question's name, scenario.question"),
        (("validity", 0, "question"), ".q", "not a question's name, scenario.question"),
        (("comparisons", 0, "question"), "nodot", "not a question's name, scenario.question"),
        (("comparisons", 0, "q"), 7, "not between 0 and 1"),
        (("comparisons", 0, "q"), -3, "not between 0 and 1"),
        (("comparisons", 0, "p_people"), 1.01, "not between 0 and 1"),
        (("comparisons", 0, "delta"), -1.01, "not between -1 and 1"),
        (("comparisons", 0, "by_base"), {"0": 1.01}, "not between -1 and 1"),
        (("comparisons", 0, "sd"), -0.01, "not 0 or more"),
        (("conditions", 0, "mean"), 1.01, "not between 0 and 1"),
        (("failures", "missing_answers"), {"nodot": 1}, "not a question's name, scenario.question"),
        (("failures", "by_status"), {"a\nb": -1}, "not 0 or more"),
    ],
)
def test_what_no_report_can_say_is_refused_with_its_place(
    tmp_path: Path, path: Place, value: Any, says: str
) -> None:
    said = refused(tmp_path, path, value)
    assert said.startswith(".".join(map(str, path)))
    assert f": {says}" in said


@pytest.mark.parametrize("name", sorted(set(MAKERS) - {"hostile"}))
def test_every_kind_of_run_has_a_sound_report(name: str) -> None:
    assert find_fault(made_report(name)) is None


@given(
    delta=st.sampled_from([-1.0, -0.0, 0.0, 1.0]),
    p=st.sampled_from([None, 0.0, 1.0]),
    end=st.floats(-40, 40),
    width=st.floats(0, 40),
)
def test_the_farthest_that_can_be_measured_is_sound(
    delta: float, p: float | None, end: float, width: float
) -> None:
    report = made_report("pilot")
    row = report.comparisons[0].model_copy(
        update={"delta": delta, "p_noise": p, "q": p, "ci_people": (end, end + width), "cohens_d": 1e17}
    )
    assert find_fault(report.model_copy(update={"comparisons": [row]})) is None
