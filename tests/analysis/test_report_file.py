import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from jevbias.analysis.analyse import analyse
from jevbias.errors import UsageError
from jevbias.report.rounding import round_figure
from jevbias.report.run_report import ConditionRow
from jevbias.report.write import read_report, report_json
from tests.analysis.runs import Design, make_dataset

CONTENT = report_json(analyse(make_dataset(Design())))


def test_a_report_reads_back_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_bytes(CONTENT)
    assert report_json(read_report(path)) == CONTENT


@settings(derandomize=True, deadline=None, max_examples=200)
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
