"""Whatever stands at any place of a report file: it is refused in one line, or it can be judged and shown."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jevbias.errors import UsageError
from jevbias.publish.gate import Limits, judge_run
from jevbias.publish.page import render_page
from jevbias.report.write import read_report, report_json
from tests.publish.conftest import made_report, printed

Place = tuple[str | int, ...]

NUMBERS = (1e308, -1e308, 1e-320, -1, 0, 0.5, 7, 10**30, 10**400)
TEXTS = ("", "nodot", "a.b", "yesterday", "9999-12-31T23:59:59-14:00", "\n")
ODD: st.SearchStrategy[Any] = st.sampled_from((*NUMBERS, *TEXTS, None, True, [], {}, [0.5, -0.5], [0, 0]))


@cache
def content(name: str) -> str:
    """A made report as JSON, with some of its comparisons."""
    data = json.loads(report_json(made_report(name)))
    data["comparisons"] = data["comparisons"][:: len(data["comparisons"]) // 20 + 1]
    return json.dumps(data)


@cache
def places(name: str) -> list[list[Place]]:
    """Every place of it, by what stands there: `comparisons.*.q`."""
    kinds: dict[Place, list[Place]] = defaultdict(list)
    for place in _within(json.loads(content(name))):
        kinds[tuple("*" if isinstance(key, int) else key for key in place)].append(place)
    return list(kinds.values())


def _within(data: Any, place: Place = ()) -> Iterator[Place]:
    pairs = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in pairs:
        yield (*place, key)
        yield from _within(value, (*place, key))


@pytest.mark.parametrize("name", ["pilot", "confirm", "factorial", "exact"])
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_an_odd_report_is_refused_in_one_line_or_can_be_judged_and_shown(
    tmp_path: Path, name: str, data: st.DataObject
) -> None:
    place = data.draw(st.sampled_from(places(name)).flatmap(st.sampled_from))
    report = json.loads(content(name))
    inner = report
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = data.draw(ODD)
    file = tmp_path / "odd.json"
    file.write_text(json.dumps(report))
    try:
        read = read_report(file)
    except UsageError as error:
        refused = str(error)
    else:
        refused = ""
    if refused:
        assert len(refused.splitlines()) == 1
        return
    assert judge_run(read, Limits(0, 0.05, require_calibration=True)).exit_code in (0, 3)
    assert printed(read)
    assert render_page(read)
