"""The page for everyone: assistive technology, small screens, dark rooms, paper."""

from __future__ import annotations

from itertools import pairwise

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import FloatRect, Page, expect

from tests.publish.conftest import MAKERS, Visiting

pytestmark = pytest.mark.browser


QUICK = {"resultTypes": ["violations"]}


def test_axe_finds_no_violation_in_the_light(visit: Visiting) -> None:
    page = visit("sampler").page
    page.select_option("form[data-table=questions] [name=question]", "hiring_screen.salary_band")
    found = Axe().run(page, options=QUICK)
    assert found.violations_count == 0, found.generate_report()


def test_axe_finds_no_violation_where_there_is_nothing_to_show(visit: Visiting) -> None:
    found = Axe().run(visit("empty").page, options=QUICK)
    assert found.violations_count == 0, found.generate_report()


@pytest.mark.parametrize("name", ["confirm", "factorial"])
def test_axe_finds_no_violation_in_the_sections_that_only_some_runs_have(visit: Visiting, name: str) -> None:
    page = visit(name).page
    for field in page.locator("form.filters [name=text]").all():
        field.fill("muslim full")
    for summary in page.locator("details.help > summary").all():
        summary.click()
    found = Axe().run(page, options=QUICK)
    assert found.violations_count == 0, found.generate_report()


def test_axe_finds_no_violation_in_the_dark_with_everything_opened(visit: Visiting) -> None:
    page = visit("sampler", "#full/religion=muslim/clinical_triage.analgesia", dark=True, width=360).page
    page.check("form[data-table=pooled] [name=moved]")
    for summary in page.locator("details.help > summary").all():
        summary.click()
    page.locator("#pooled-table summary").first.click()
    found = Axe().run(page, options=QUICK)
    assert found.violations_count == 0, found.generate_report()


@pytest.mark.parametrize("name", sorted(MAKERS))
def test_no_page_scrolls_sideways(visit: Visiting, name: str) -> None:
    page = visit(name, width=360).page
    for width in (360, 600, 1440):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    boxes: list[str] = page.locator("table").evaluate_all("all => all.map(t => t.parentElement.className)")
    assert all("scroll" in classes.split() for classes in boxes)


def test_wide_tables_scroll_in_their_own_box_which_the_keyboard_reaches(visit: Visiting) -> None:
    page = visit("deep", width=360).page
    box = page.get_by_role("region", name="Every visible swap on every question")
    expect(box).to_have_attribute("tabindex", "0")
    assert box.evaluate("box => box.scrollWidth > box.clientWidth")
    box.focus()
    page.keyboard.press("ArrowRight")
    for _ in range(100):
        if box.evaluate("box => box.scrollLeft"):
            break
        page.wait_for_timeout(50)
    assert box.evaluate("box => box.scrollLeft") > 0


def test_the_skip_link_is_the_first_stop_and_leads_to_the_content(visit: Visiting) -> None:
    page = visit("sampler").page
    page.keyboard.press("Tab")
    skip = page.locator("a.skip").first
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"


def test_the_keyboard_reaches_the_filters_in_a_few_stops(visit: Visiting) -> None:
    page = visit("sampler").page
    page.get_by_role("link", name="Skip to the pooled comparisons").press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('form').dataset.table") == "pooled"


def test_on_a_narrow_screen_verdict_and_delta_stand_under_the_swaps_name(visit: Visiting) -> None:
    page = visit("sampler", width=360).page
    for table, verdict, figure in (
        ("pooled-table", "td:nth-child(4)", "td:nth-child(6)"),
        ("on-questions-table", "td:nth-child(4)", "td:nth-child(5)"),
        ("questions-table", "td:nth-child(5)", "td:nth-child(7)"),
    ):
        row = page.locator(f"#{table} tbody tr").first
        boxes = [row.locator(cell).first.bounding_box() for cell in ("th", verdict, figure)]
        name, said, delta = (box or FloatRect(x=0, y=0, width=0, height=0) for box in boxes)
        assert abs(said["y"] - delta["y"]) < 8, table
        assert abs(name["y"] + name["height"] - said["y"]) < 8, table
        assert delta["x"] + delta["width"] <= 360, table
    small: list[str] = page.locator("table a, summary").evaluate_all(
        "all => all.filter(one => one.offsetParent && one.getBoundingClientRect().height < 23.9)"
        ".map(one => one.outerHTML)"
    )
    assert small == []


def test_an_exact_run_shows_no_columns_of_the_noise_that_it_does_not_have(visit: Visiting) -> None:
    for name, shown in (("exact", False), ("sampler", True)):
        page = visit(name).page
        for key in ("noiseHalf", "q", "mde"):
            assert page.locator(f"#pooled-table th[data-key={key}]").is_visible() == shown
            assert page.locator(f"#questions-table th[data-key={key}]").is_visible() == shown
        assert page.locator("#pooled-table th[data-key=qPeople]").is_visible()


def test_focus_can_be_seen(visit: Visiting) -> None:
    page = visit("sampler").page
    page.locator("#pooled-table th[data-key=delta] button").focus()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    style = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert style == "solid"


def test_landmarks_headings_and_language_are_in_place(visit: Visiting) -> None:
    page = visit("sampler").page
    assert page.evaluate("document.documentElement.lang") == "en"
    assert page.locator("h1").count() == 1
    for landmark in ("banner", "main", "contentinfo"):
        assert page.get_by_role(landmark).count() == 1
    assert page.get_by_role("navigation").count() == 2
    levels: list[int] = page.locator("h1, h2, h3").evaluate_all("all => all.map(h => Number(h.tagName[1]))")
    assert all(after - before <= 1 for before, after in pairwise(levels))
    assert page.locator("table:not(:has(caption))").count() == 0
    assert page.locator("th:not([scope])").count() == 0


def test_a_direction_is_never_told_by_colour_alone(visit: Visiting) -> None:
    page = visit("sampler").page
    for classes, sign in (("w1 w2 w3 w4", "−"), ("b1 b2 b3 b4", "+")):
        selector = ", ".join(f"#matrix-table td.{name}" for name in classes.split())
        texts = page.locator(selector).all_text_contents()
        assert texts
        assert all(text.startswith(sign) for text in texts)
    assert all(text.startswith("(") for text in page.locator("#matrix-table td.held").all_text_contents())


def visible(page: Page, selector: str) -> bool:
    """Whether anything that matches is shown."""
    return page.locator(selector).first.is_visible()


def test_paper_gets_whole_tables_and_no_controls(visit: Visiting) -> None:
    page = visit("sampler", dark=True).page
    page.emulate_media(media="print")
    assert not visible(page, ".filters")
    assert not visible(page, "nav.contents")
    assert not visible(page, "#questions-table")
    assert visible(page, "#pooled-table")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.evaluate(
        "[...document.querySelectorAll('.scroll')].every(box => getComputedStyle(box).maxHeight === 'none'"
        " && getComputedStyle(box).overflowY === 'visible')"
    )


def test_a_page_prints(visit: Visiting) -> None:
    page = visit("sampler").page
    pdf = page.pdf(prefer_css_page_size=True)
    assert pdf.startswith(b"%PDF")
    assert len(pdf) > 50_000
