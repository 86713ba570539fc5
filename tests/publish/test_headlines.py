"""The headlines in a terminal: in reading order, as text, at 80 columns and in a pipe."""

from __future__ import annotations

import io
import re

import pytest
from rich.cells import cell_len
from rich.console import Console

from jevbias.publish.headlines import headlines
from jevbias.report.run_report import RunReport
from tests.publish.conftest import MAKERS, made_report


def printed(report: RunReport, *, top: int = 10, width: int = 80, terminal: bool = False) -> str:
    """What a console of that width shows."""
    stream = io.StringIO()
    Console(
        file=stream, width=width, force_terminal=terminal, color_system="standard" if terminal else None
    ).print(headlines(report, top=top))
    return stream.getvalue()


@pytest.mark.parametrize("name", sorted(MAKERS))
def test_headlines_come_in_the_order_in_which_they_have_to_be_believed(name: str) -> None:
    lines = printed(made_report(name)).splitlines()
    headings = [line.strip() for line in lines if re.match(r"[A-Z]", line)]
    expected = ["Measured", "Noise floor", "Validity", "False positives", "Findings", "Failures", "Notes"]
    assert headings[:5] == expected[:5]
    assert headings == [heading for heading in expected if heading in headings]


@pytest.mark.parametrize("name", sorted(MAKERS))
def test_no_line_is_wider_than_the_terminal_and_a_pipe_gets_no_colour(name: str) -> None:
    text = printed(made_report(name))
    assert max(cell_len(line) for line in text.splitlines()) <= 80
    assert "\x1b" not in text


def test_the_pilot_lists_its_three_findings_with_figures() -> None:
    text = printed(made_report("pilot"))
    rows = [line.split() for line in text.splitlines() if "=" in line and "+" not in line]
    assert [row[:2] for row in rows] == [
        ["religion=muslim", "full"],
        ["name_culture=black_american", "name_only"],
        ["name_culture=black_american", "full"],
    ]
    assert all(re.fullmatch(r"-0\.0\d{3}", row[2]) for row in rows)
    assert all(row[4] == "<0.0001" and re.fullmatch(r"\d/\d", row[5]) for row in rows)


def test_minus_signs_are_ascii_so_that_they_can_be_searched() -> None:
    assert "−" not in printed(made_report("deep"))


def test_top_limits_the_list_and_says_how_many_are_left() -> None:
    text = printed(made_report("pilot"), top=1)
    assert text.count("black_american") == 0
    assert "2 more on the page and in the report." in text
    none = printed(made_report("pilot"), top=0)
    assert "3 more on the page" in none
    assert "The closest" not in none


def test_an_exact_model_is_listed_by_size_without_p_or_q() -> None:
    text = printed(made_report("exact"))
    assert "does not vary" in text
    assert "religion=muslim" in text
    assert not re.search(r"^\s+swap.* q ", text, flags=re.M)


def test_nothing_found_tells_what_came_closest() -> None:
    assert re.search(r"The closest: .*\(not shown\)", printed(made_report("quiet")).replace("\n", " "))


def test_nothing_tested_lists_nothing_and_claims_nothing() -> None:
    text = " ".join(printed(made_report("untested")).split())
    assert "could be tested" in text
    assert "The closest" not in text
    assert "A finding here" not in text


def test_markup_and_escape_sequences_are_shown_as_text() -> None:
    text = "".join(printed(made_report("hostile"), terminal=True).split())
    assert "[/b]" in text
    assert "[31mevil" in text
    assert "\x1b[31mevil" not in text
    assert not re.search("[\x00\u202e\u2066\u2028]", text)


def test_failures_are_told_only_where_there_are_any() -> None:
    assert "Failures" not in printed(made_report("pilot"))
    assert "timeout 12" in printed(made_report("deep"))
