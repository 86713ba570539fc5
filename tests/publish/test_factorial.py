"""A factorial run in the terminal: control first, then levels, then two levels at once."""

from __future__ import annotations

import io
import re

import pytest
from rich.cells import cell_len
from rich.console import Console

from jevbias.publish.contrasts import contrasts
from jevbias.publish.factorial import MOST_ADJUSTED, factorial_headlines
from jevbias.report.factorial import Contrast, ContrastCounts, Factorial
from jevbias.report.run_report import RunReport
from tests.publish.reports import HOSTILE, factorial_report, pilot_report


def printed(report: RunReport, *, top: int = 10, width: int = 80, terminal: bool = False) -> str:
    """What a console of that width shows of the factorial part."""
    stream = io.StringIO()
    Console(
        file=stream, width=width, force_terminal=terminal, color_system="standard" if terminal else None
    ).print(factorial_headlines(report, top))
    return stream.getvalue()


def flowing(report: RunReport, top: int = 10) -> str:
    return " ".join(printed(report, top=top).split())


def changed(**fields: object) -> RunReport:
    """The made report with other figures in its factorial part."""
    report = factorial_report()
    assert report.factorial is not None
    return report.model_copy(update={"factorial": report.factorial.model_copy(update=fields)})


def factorial() -> Factorial:
    found = factorial_report().factorial
    assert found is not None
    return found


def pooled() -> list[Contrast]:
    return [row for row in factorial().contrasts if row.visible and row.question is None]


def test_the_control_stands_before_what_it_controls() -> None:
    headings = [line.strip() for line in printed(factorial_report()).splitlines() if re.match(r"[A-Z]", line)]
    assert headings == ["False positives", "Contrasts", "Intersections", "Interactions"]


def test_no_line_is_wider_than_80_columns_and_minus_signs_are_ascii() -> None:
    text = printed(factorial_report())
    assert max(cell_len(line.rstrip()) for line in text.splitlines()) <= 80
    assert "−" not in text
    assert "\x1b" not in text


def test_what_came_out_is_listed_with_interval_p_q_and_adjusted_estimate() -> None:
    row = next(row for row in pooled() if row.significant)
    assert row.interval is not None
    line = next(line for line in printed(factorial_report()).splitlines() if f"={row.level}" in line)
    figures = re.findall(r"[-+<]?\d\.\d{4}", line)
    assert figures[:3] == [f"{value:+.4f}" for value in (row.delta, *row.interval)]
    assert len(figures) == 6
    assert figures[5] == f"{row.adjusted:+.4f}"
    assert f"Under {row.condition}:" in printed(factorial_report())


def test_top_limits_the_list_and_says_how_many_are_left() -> None:
    rows = [row.model_copy(update={"significant": True, "q": 0.001}) for row in factorial().contrasts]
    report = changed(contrasts=rows)
    count = sum(row.visible and row.question is None for row in rows)
    assert f"{count - 2} more on the page and in the report." in flowing(report, top=2)
    listed = printed(report, top=0).partition("\nContrasts")[2].partition("Intersections")[0]
    assert listed
    assert "=" not in listed


def test_nothing_found_tells_what_came_closest() -> None:
    rows = [row.model_copy(update={"significant": False, "q": 0.6}) for row in factorial().contrasts]
    assert re.search(
        r"The closest: \S+=\S+ under full, -0\.\d{4} \(.* to .*\), p ", flowing(changed(contrasts=rows))
    )
    untested = [row.model_copy(update={"p": None, "q": None, "significant": False}) for row in rows]
    assert "The closest" not in flowing(changed(contrasts=untested, interactions=[]))


def test_the_linear_model_speaks_with_its_own_control() -> None:
    rows = [
        row.model_copy(update={"significant": False, "q": 0.4, "adjusted": -0.0123, "adjusted_q": 0.001})
        for row in factorial().contrasts
    ]
    seen, hidden = (ContrastCounts(tests=n, significant=k, raw_below_05=9) for n, k in ((121, 32), (208, 1)))
    report = changed(contrasts=rows, adjusted_visible=seen, adjusted_hidden=hidden)
    text = flowing(report)
    assert (
        "With all other attributes held fixed, 32 of 121 contrasts that the model could see came out; "
        "1 of 208 that it could not see did."
    ) in text
    lines = re.findall(r"- \S+=\S+ under \w+: adjusted -0\.0123, q 0\.0010; alone", text)
    assert len(lines) == MOST_ADJUSTED
    assert f"{len(pooled()) - MOST_ADJUSTED} more that only this model shows" in text
    nothing = ContrastCounts(tests=0, significant=0, raw_below_05=0)
    assert "held fixed" not in flowing(changed(adjusted_visible=nothing))


def test_contrasts_stay_in_the_order_of_the_report() -> None:
    rows = [
        row.model_copy(update={"significant": False, "q": 0.6, "p": 0.5 - place / 1000})
        for place, row in enumerate(factorial().contrasts)
    ]
    first = next(row for row in rows if row.visible and row.question is None)
    report = changed(contrasts=rows)
    assert f"The closest: {first.attribute}={first.level} under {first.condition}" in flowing(report)
    section = contrasts(report.factorial)
    assert section is not None
    assert [row.element_id for row in section.pooled] == [row.id for row in pooled()]


def test_a_level_that_the_case_tells_is_shown_beside_the_control_and_counted_in_neither() -> None:
    text = flowing(factorial_report())
    told = text.partition("Counted as neither seen nor control")[2].partition("Contrasts")[0]
    assert "age_band=late_twenties under blind (" in told
    assert "age_band=late_twenties under name_only (" in told
    assert factorial().hidden.tests + factorial().visible.tests + 2 == sum(
        row.question is None for row in factorial().contrasts
    )
    bare = [row.model_copy(update={"in_case": False}) for row in factorial().contrasts]
    assert "neither seen nor control" not in flowing(changed(contrasts=bare))


def test_cells_are_a_table_of_the_fullest_condition() -> None:
    text = printed(factorial_report())
    cells = [cell for cell in factorial().cells if cell.condition == "full"]
    some = next(cell for cell in cells if cell.mean is not None)
    assert some.mean is not None
    assert f"{some.mean:.3f} +/-" in text
    assert f"({some.people})" in text
    if any(cell.mean is None for cell in cells):
        assert "nobody" in text
    assert "Intersections" not in printed(changed(cells=[]))


def test_interactions_that_were_found_are_listed_and_else_the_closest() -> None:
    rows = [row.model_copy(update={"significant": True}) for row in factorial().interactions]
    text = flowing(changed(interactions=rows), top=1)
    assert text.count("beyond the sum of both") == 1
    assert f"{len(rows) - 1} more on the page and in the report." in text or len(rows) == 1
    none = [row.model_copy(update={"significant": False}) for row in rows]
    assert "not shown." in flowing(changed(interactions=none)).split("Interactions")[1]


def test_a_report_without_a_factorial_part_says_nothing_here() -> None:
    assert printed(pilot_report()).strip() == ""


@pytest.mark.parametrize("field", ["attribute", "level", "condition"])
def test_markup_and_escape_sequences_are_shown_as_text(field: str) -> None:
    rows = [
        row.model_copy(update={field: f"{getattr(row, field)}{HOSTILE}"}) if row.visible else row
        for row in factorial().contrasts
    ]
    report = changed(contrasts=rows)
    conditions = [*report.run.conditions, *(f"{name}{HOSTILE}" for name in report.run.conditions)]
    report = report.model_copy(update={"run": report.run.model_copy(update={"conditions": conditions})})
    text = "".join(printed(report, terminal=True).split())
    assert "[/b]" in text
    assert "\x1b[31mevil" not in text
    assert not re.search("[\x00\u202e\u2066\u2028]", text)
