"""Links into a page and what a cell of the matrix tells, in a real browser."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from jevbias.publish import figures
from tests.publish.conftest import Visiting, made_report

pytestmark = pytest.mark.browser


def test_a_link_to_a_pooled_row_leads_to_it_and_marks_it(visit: Visiting) -> None:
    page = visit("sampler", "#full/hair_colour=grey").page
    row = page.locator('[id="full/hair_colour=grey"]')
    expect(row).to_be_in_viewport()
    expect(row).to_have_class(re.compile("linked"))
    assert page.locator("tr.linked").count() == 1


def test_a_link_to_a_filtered_row_clears_the_filter(visit: Visiting) -> None:
    page = visit("sampler").page
    page.fill("form[data-table=pooled] [name=text]", "gender")
    page.evaluate("location.hash = 'full/hair_colour=grey'")
    row = page.locator('[id="full/hair_colour=grey"]')
    expect(row).to_be_in_viewport()
    assert page.locator("form[data-table=pooled] [name=text]").input_value() == ""


def test_a_link_to_a_row_on_a_question_brings_it_out(visit: Visiting) -> None:
    page = visit("sampler", "#name_only/gender=woman/hiring_screen.advance").page
    row = page.locator('[id="name_only/gender=woman/hiring_screen.advance"]')
    expect(row).to_be_in_viewport()
    expect(row).to_have_class(re.compile("linked"))


def test_whoever_follows_a_link_goes_on_from_where_it_led(visit: Visiting) -> None:
    page = visit("sampler", "#full/hair_colour=grey").page
    assert page.evaluate("document.activeElement.id") == "full/hair_colour=grey"
    assert page.evaluate("getComputedStyle(document.documentElement).scrollBehavior") == "auto"


def test_a_link_to_nowhere_says_so_and_does_no_harm(visit: Visiting) -> None:
    visited = visit("sampler", "#full/no=such%20row")
    said = visited.page.locator(".no-row")
    expect(said).to_contain_text("No row of this report has the id full/no=such row.")
    expect(said).to_be_focused()
    expect(said).to_be_in_viewport()
    assert visited.logged == []
    expect(visited.page.locator("#pooled-table tbody tr")).to_have_count(24)
    visited.page.evaluate("location.hash = 'full/hair_colour=grey'")
    expect(visited.page.locator("tr.linked")).to_be_in_viewport()
    assert said.count() == 0


def test_a_cell_of_the_matrix_tells_its_figures_and_leads_to_its_row(visit: Visiting) -> None:
    visited = visit("sampler")
    page = visited.page
    report = made_report("sampler")
    row = next(
        row for row in report.comparisons if row.id == "full/religion=muslim/clinical_triage.analgesia"
    )
    line = page.locator("#matrix-table tbody").first.locator(
        "tr", has=page.locator("th.level", has_text="muslim")
    )
    questions: list[str | None] = [check.question for check in report.validity]
    place = questions.index(row.question) + 1
    cell = line.locator("td").nth(place)
    cell.hover()
    title = cell.get_attribute("title") or ""
    assert title.startswith("Religion: muslim, full, clinical_triage.analgesia\n")
    assert figures.delta(row.delta) in title
    assert f"q {figures.p_value(row.q)}" in title
    cell.click()
    expect(page.locator(f'[id="{row.id}"]')).to_be_in_viewport()
    line.locator("td").first.click()
    expect(page.locator('[id="full/religion=muslim"]')).to_be_in_viewport()
    assert visited.logged == []
