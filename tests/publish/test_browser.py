"""The page in a real browser: nothing loaded, nothing logged, every control by mouse and keyboard."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from operator import attrgetter

import pytest
from playwright.sync_api import Page, expect

from jevbias.publish import figures
from jevbias.publish.findings import Reading
from jevbias.publish.found import element_id
from jevbias.publish.row_figures import row_figures
from jevbias.report.comparison import Comparison
from tests.publish.conftest import MAKERS, Visiting, made_report

pytestmark = pytest.mark.browser

SORTABLE: dict[str, Callable[[Comparison], float | None]] = {
    "delta": lambda row: row.delta,
    "q": lambda row: row.q,
    "qPeople": lambda row: row.q_people,
    "pPeople": lambda row: row.p_people,
    "noiseHalf": lambda row: row.ci_noise and row.ci_noise[1] - row.ci_noise[0],
    "pairs": lambda row: row.pairs,
    "mde": lambda row: row.mde_noise,
    "generalLow": lambda row: row.ci_general and row.ci_general[0],
}


def end_of(name: str, place: int) -> Callable[[Comparison], float | None]:
    """The lower (0) or the upper (1) end of an interval."""
    return lambda row: getattr(row, name) and getattr(row, name)[place]


def decided(name: str) -> Callable[[Comparison], float | None]:
    """A figure of a comparison's decisions."""
    return lambda row: getattr(row.decisions, name) if row.decisions else None


CSV_FIGURES: dict[str, Callable[[Comparison], float | None]] = {
    **{
        name: attrgetter(name)
        for name in (
            *("delta", "p_noise", "q", "mde_noise", "mde_noise_adjusted", "p_people", "p_people_floor"),
            *("q_people", "p_max_t", "mde_people", "mde_people_adjusted", "p_general", "q_general", "pairs"),
            *("effective_n", "bases", "bases_down", "bases_up", "scenarios_down", "scenarios_up"),
            *("sd", "cohens_d", "delta_all_questions"),
        )
    },
    **{
        f"{name}_{end}": end_of(name, place)
        for name in ("ci_noise", "ci_people", "ci_people_90", "ci_general", "ci_general_99")
        for place, end in enumerate(("low", "high"))
    },
    **{
        name: decided(name)
        for name in (
            *("flip_rate", "repeat_flip_rate", "excess_flips", "favourable_swap", "favourable_anchor"),
            *("four_fifths", "log_odds"),
        )
    },
}


def shown_ids(page: Page, table: str = "pooled") -> list[str]:
    """The ids of the rows that a table shows, in order."""
    ids: list[str] = page.locator(f"#{table}-table tbody tr").evaluate_all("rows => rows.map(row => row.id)")
    return ids


def header(page: Page, key: str, table: str = "pooled") -> tuple[str, str | None]:
    """A column's button and the sort that its header states."""
    selector = f"#{table}-table th[data-key={key}]"
    return f"{selector} button", page.locator(selector).get_attribute("aria-sort")


@pytest.mark.parametrize("name", sorted(MAKERS))
def test_a_page_opens_from_a_file_without_a_message_or_a_request(visit: Visiting, name: str) -> None:
    visited = visit(name)
    assert visited.logged == []
    assert visited.requested == [visited.page.url]


def test_sorting_is_numeric_with_missing_figures_last_both_ways(visit: Visiting) -> None:
    page = visit("sampler").page
    by_id = {element_id(row.id): row for row in made_report("sampler").comparisons}
    for key, figure in SORTABLE.items():
        button, stated = header(page, key)
        for direction in (
            ("descending", "ascending") if stated == "ascending" else ("ascending", "descending")
        ):
            page.click(button)
            assert header(page, key)[1] == direction
            values = [figure(by_id[identifier]) for identifier in shown_ids(page)]
            known = [value for value in values if value is not None]
            assert known == sorted(known, reverse=direction == "descending"), key
            assert all(value is None for value in values[len(known) :])
            assert len(values) - len(known) == {"q": 1, "noiseHalf": 1, "generalLow": 24}.get(key, 0)
            assert page.locator("#pooled-table th[aria-sort]:not([aria-sort=none])").count() == 1


def test_text_columns_sort_by_alphabet(visit: Visiting) -> None:
    page = visit("sampler").page
    page.click(header(page, "level")[0])
    levels = page.locator("#pooled-table tbody th a").all_text_contents()
    assert levels == sorted(levels, key=lambda text: text.replace("_", " "))
    assert levels[0] == "black"


def test_sorting_works_from_the_keyboard(visit: Visiting) -> None:
    page = visit("sampler").page
    page.locator(header(page, "delta")[0]).focus()
    page.keyboard.press("Enter")
    assert header(page, "delta")[1] == "ascending"
    first = shown_ids(page)[0]
    page.keyboard.press("Space")
    assert header(page, "delta")[1] == "descending"
    assert shown_ids(page)[-1] == first
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('th').dataset.key") == "noiseHalf"


FILTERS: dict[str, tuple[Callable[[Page, str], object], Callable[[Comparison], bool]]] = {
    "condition": (
        lambda page, form: page.select_option(f"{form} [name=condition]", "name_only"),
        lambda row: row.condition == "name_only",
    ),
    "attribute": (
        lambda page, form: page.select_option(f"{form} [name=attribute]", "Religion"),
        lambda row: row.attribute == "religion",
    ),
    "protected": (
        lambda page, form: page.select_option(f"{form} [name=protected]", "1"),
        lambda row: row.protected,
    ),
    "not protected": (
        lambda page, form: page.select_option(f"{form} [name=protected]", "0"),
        lambda row: not row.protected,
    ),
    "verdict": (
        lambda page, form: page.select_option(f"{form} [name=verdict]", "these cases"),
        lambda row: row.verdict == "these cases",
    ),
    "moved": (lambda page, form: page.check(f"{form} [name=moved]"), lambda row: row.significant),
    "visible": (lambda page, form: page.check(f"{form} [name=visible]"), lambda row: row.visible),
    "search": (
        lambda page, form: page.fill(f"{form} [name=text]", "MUSLIM religion="),
        lambda row: row.attribute == "religion" and row.level == "muslim",
    ),
}


def test_a_filter_shows_exactly_the_rows_it_names_and_counts_them(visit: Visiting) -> None:
    page = visit("sampler").page
    form = "form[data-table=pooled]"
    rows = Reading(made_report("sampler")).pooled
    status = page.locator(f"{form} [role=status]")
    for name, (act, belongs) in FILTERS.items():
        act(page, form)
        expected = [element_id(row.id) for row in rows if belongs(row)]
        assert 0 < len(expected) < 24, name
        assert shown_ids(page) == expected, name
        expect(status).to_have_text(f"{len(expected)} of 24 comparisons.")
        page.click(f"{form} .clear")
        expect(status).to_have_text("24 of 24 comparisons.")
        assert len(shown_ids(page)) == 24


def test_filters_add_up_and_keep_the_sort(visit: Visiting) -> None:
    page = visit("sampler").page
    page.click(header(page, "delta")[0])
    page.check("form[data-table=pooled] [name=moved]")
    page.select_option("form[data-table=pooled] [name=protected]", "0")
    rows = [row for row in Reading(made_report("sampler")).pooled if row.significant and not row.protected]
    assert shown_ids(page) == [element_id(row.id) for row in sorted(rows, key=lambda row: row.delta or 0)]


def test_sorting_by_verdict_goes_from_the_surest_to_the_controls(visit: Visiting) -> None:
    page = visit("confirm").page
    button, stated = header(page, "verdict")
    assert stated == "ascending"
    in_reading_order = shown_ids(page)
    page.click(button)
    page.click(button)
    assert shown_ids(page) == in_reading_order
    texts = page.locator("#pooled-table td.outcome").all_text_contents()
    assert texts[0].startswith("worse")
    assert texts[-1].startswith("control")


def test_a_filter_that_matches_nothing_says_so(visit: Visiting) -> None:
    page = visit("sampler").page
    page.fill("form[data-table=pooled] [name=text]", "no such thing")
    assert shown_ids(page) == []
    expect(page.locator("form[data-table=pooled] [role=status]")).to_have_text("0 of 24 comparisons.")


def test_enter_in_the_search_box_leaves_the_page_where_it_is(visit: Visiting) -> None:
    visited = visit("sampler")
    visited.page.locator("form[data-table=pooled] [name=text]").press("Enter")
    assert visited.page.url == visited.requested[0]
    assert len(visited.requested) == 1
    assert visited.logged == []


@pytest.mark.parametrize("name", ["sampler", "confirm"])
def test_rows_built_by_the_script_carry_the_figures_of_the_report(visit: Visiting, name: str) -> None:
    report = made_report(name)
    reading = Reading(report)
    page = visit(name).page
    rows = reading.per_question
    expect(page.locator("#questions-table tbody tr")).to_have_count(15)
    while page.locator("[data-more=questions]").is_visible():
        page.click("[data-more=questions]")
    page.evaluate("document.querySelectorAll('#questions-table summary').forEach(summary => summary.click())")
    built: list[list[str]] = page.locator("#questions-table tbody tr").evaluate_all(
        "rows => rows.map(row =>"
        " [row.id, ...[...row.cells].map(cell => cell.textContent.replace(/ copy$/, ''))])"
    )
    assert len(built) == len(rows) > 200
    for cells, row in zip(built, rows, strict=True):
        assert row.question is not None
        assert cells == [
            element_id(row.id),
            f"{row.attribute_label}{'protected, ' if row.protected else ''}against {row.reference}",
            row.level + (f"“{row.level_phrase}”" if row.level_phrase else ""),
            row.question,
            row.condition + ("" if row.visible else " control"),
            f"{reading.outcome_text(row)}{_within(reading, row)}figures{_figures(row)}"
            f"tracejevbias trace {row.id} --run {report.run.name}",
            reading.claims(row).marks,
            figures.delta(row.delta),
            figures.half_width(row.ci_noise),
            figures.p_value(row.q),
            figures.half_width(row.ci_people),
            figures.p_value(row.p_people),
            figures.p_value(row.q_people),
            figures.pairs(row.pairs, row.effective_n),
            figures.spread(row.mde_noise),
            figures.spread(row.mde_people),
            figures.points(row.decisions.excess_flips) if row.decisions else "",
            figures.ratio(row.decisions.four_fifths) if row.decisions else "",
            figures.delta(row.decisions.log_odds, 2) if row.decisions else "",
        ], row.id


def _within(reading: Reading, row: Comparison) -> str:
    return "within placebo range" if row.within_placebo_range and reading.state(row).moved else ""


def _figures(row: Comparison) -> str:
    return "".join(f"{line.about}{line.text}" for line in row_figures(row))


def test_copying_gives_the_shown_rows_as_csv_with_full_figures(visit: Visiting) -> None:
    visited = visit("sampler")
    page = visited.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.check("form[data-table=pooled] [name=moved]")
    page.click("form[data-table=pooled] .copy")
    expect(page.locator("form[data-table=pooled] [role=status]")).to_have_text("Copied 3 comparisons as CSV.")
    copied = list(csv.DictReader(io.StringIO(page.evaluate("navigator.clipboard.readText()"))))
    reading = Reading(made_report("sampler"))
    found = [row for row in reading.pooled if row.significant]
    assert [line["attribute"] + "=" + line["level"] for line in copied] == [
        f"{row.attribute}={row.level}" for row in found
    ]
    assert [float(line["delta"]) for line in copied] == [row.delta for row in found]
    assert [float(line["q"]) for line in copied] == [row.q for row in found]
    assert [line["outcome"] for line in copied] == [reading.outcome_text(row) for row in found]
    assert {line["outcome"] for line in copied} == {"these cases", "false positive (down)"}
    assert {line["verdict"] for line in copied} == {"these cases", "control"}
    assert [line["missing_claim"] for line in copied] == [row.missing_claim or "" for row in found]
    assert [float(line["p_people"]) for line in copied] == [row.p_people for row in found]
    assert {line["ci_people_low"] for line in copied} == {""}


def test_the_csv_holds_the_intervals_that_verdicts_rest_on(visit: Visiting) -> None:
    page = visit("confirm").page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.click("form[data-table=pooled] .copy")
    expect(page.locator("form[data-table=pooled] [role=status]")).to_contain_text("Copied")
    copied = list(csv.DictReader(io.StringIO(page.evaluate("navigator.clipboard.readText()"))))
    rows = Reading(made_report("confirm")).pooled
    for name in ("ci_people_90", "ci_general_99"):
        assert [(float(line[f"{name}_low"]), float(line[f"{name}_high"])) for line in copied] == [
            getattr(row, name) for row in rows
        ]


def test_every_figure_that_the_browser_unpacks_equals_the_reports(visit: Visiting) -> None:
    page = visit("deep").page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    by_id = {row.id: row for row in made_report("deep").comparisons}
    for table in ("pooled", "questions"):
        page.click(f"form[data-table={table}] .copy")
        expect(page.locator(f"form[data-table={table}] [role=status]")).to_contain_text("Copied")
        lines = csv.DictReader(io.StringIO(page.evaluate("navigator.clipboard.readText()")))
        for line in lines:
            row = by_id.pop(line["id"])
            assert (line["significant"] == "yes") == row.significant
            for column, figure in CSV_FIGURES.items():
                assert (float(line[column]) if line[column] else None) == figure(row), (row.id, column)
    assert not by_id


def test_copied_text_that_a_spreadsheet_would_run_is_put_behind_an_apostrophe(visit: Visiting) -> None:
    page = visit("hostile").page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.click("form[data-table=pooled] .copy")
    expect(page.locator("form[data-table=pooled] [role=status]")).to_contain_text("Copied")
    text = page.evaluate("navigator.clipboard.readText()")
    lines = list(csv.reader(io.StringIO(text)))
    assert {len(line) for line in lines} == {53}
    for line in lines[1:]:
        for value in line[:12]:
            assert not value.startswith(("=", "+", "-", "@"))
            assert not {"\u2068", "\u2069"} & set(value)


def test_hostile_text_runs_nothing_in_the_browser(visit: Visiting) -> None:
    visited = visit("hostile")
    page = visited.page
    page.on("dialog", lambda dialog: pytest.fail(f"a dialog opened: {dialog.message}"))
    expect(page.locator("#questions-table tbody tr").first).to_contain_text("<img src=x onerror=alert(1)>")
    page.click(header(page, "level")[0])
    page.locator("#pooled-table tbody th a").first.click()
    assert page.locator("img").count() == 0
    assert visited.logged == []
    assert page.locator("tr.linked").count() == 1


def test_without_javascript_every_table_is_there_and_no_dead_control(still: Callable[[str], Page]) -> None:
    page = still("deep")
    assert page.locator("#pooled-table tbody tr").count() == 220
    assert page.locator("#matrix-table tbody tr:not(.group)").count() == 120
    assert page.locator("table.validity tbody tr").count() == 35
    assert page.get_by_role("button").count() == 0
    assert page.get_by_role("search").count() == 0
    assert page.locator("noscript .warning").is_visible()
    assert not page.locator("#questions-table").is_visible()


def test_without_javascript_a_link_to_a_row_still_leads_to_it(still: Callable[[str], Page]) -> None:
    page = still("sampler#full/hair_colour=grey")
    expect(page.locator('[id="full/hair_colour=grey"]')).to_be_in_viewport()


def test_a_deep_page_sorts_and_filters_at_once(visit: Visiting) -> None:
    page = visit("deep").page
    expect(page.locator("#questions-table tbody tr")).to_have_count(15)
    spent: dict[str, float] = page.evaluate(
        """() => {
            const times = {};
            const timed = (name, act) => {
                const started = performance.now();
                act();
                document.body.offsetHeight;
                times[name] = performance.now() - started;
            };
            const button = (table) => document.querySelector(`#${table}-table th[data-key=delta] button`);
            timed("sort pooled", () => button("pooled").click());
            timed("sort questions", () => button("questions").click());
            const box = document.querySelector("form[data-table=questions] [name=visible]");
            timed("filter questions", () => box.click());
            return times;
        }"""
    )
    assert max(spent.values()) < 10_000, spent
    form = "form[data-table=questions]"
    page.select_option(f"{form} [name=question]", "lending.approve")
    expect(page.locator(f"{form} [role=status]")).to_have_text(
        "120 of 7,700 comparisons, the first 15 of them below."
    )
    page.click("[data-more=questions]")
    expect(page.locator("#questions-table tbody tr")).to_have_count(115)
    page.click("[data-more=questions]")
    expect(page.locator("#questions-table tbody tr")).to_have_count(120)
    assert not page.locator("[data-more=questions]").is_visible()


def test_opened_figures_stay_within_a_narrow_screen(visit: Visiting) -> None:
    page = visit("pilot", width=390).page
    page.locator("#pooled-table details summary").first.click()
    lines = page.locator("#pooled-table details[open] .row-figures > *")
    expect(lines.first).to_be_visible()
    for line in lines.all():
        box = line.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
