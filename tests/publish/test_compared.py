"""Runs side by side, in the terminal and as a page: what is said, and what is never said."""

from __future__ import annotations

import ast
import io
import re
from collections.abc import Iterator
from functools import cache
from html import escape, unescape
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, expect
from rich.cells import cell_len
from rich.console import Console

import jevbias
from jevbias.errors import UsageError
from jevbias.publish import figures
from jevbias.publish.compared import telling
from jevbias.publish.compared_page import render_compared
from jevbias.publish.compared_terminal import compared_headlines
from jevbias.publish.found import element_id
from jevbias.publish.tracing import trace_command
from jevbias.report.compared import ComparedRuns
from tests.publish.comparisons import SOURCES, made_comparison
from tests.publish.conftest import Visit
from tests.publish.parsed_page import ParsedPage

EVERY = pytest.mark.parametrize("name", sorted(SOURCES))
SIZES = re.compile(
    r"\b(larger|smaller|greater|bigger|higher|lower|stronger|weaker|largest|smallest|exceeds?|outweighs?|"
    r"(worse|better|more|less|further|farther) than|(more|less) (biased|fair|unfair)|times as|twice as)\b",
    re.IGNORECASE,
)
SOURCE = Path(jevbias.__file__).parent


@cache
def page(name: str) -> str:
    return render_compared(made_comparison(name), nav=[("Run a", "a.html"), ("Run b", "b.html")])


def text_of(html: str) -> str:
    """What a reader of the page sees."""
    body = re.sub(r"<style>.*?</style>|<svg.*?</svg>", "", html[html.index("<body>") :], flags=re.DOTALL)
    return unescape(" ".join(re.sub(r"<[^>]+>", " ", body).split()))


def printed(compared: ComparedRuns, *, top: int = 10, width: int = 80) -> str:
    stream = io.StringIO()
    Console(file=stream, width=width).print(compared_headlines(compared, top=top))
    return stream.getvalue()


@EVERY
def test_nothing_is_ever_called_larger_or_smaller(name: str) -> None:
    compared = made_comparison(name)
    said = [note for pair in compared.pairs for note in (*pair.notes, pair.why_none or "")]
    for text in (text_of(page(name)), printed(compared), *said):
        assert SIZES.search(text) is None, SIZES.search(text)


def literals(module: Path) -> Iterator[str]:
    """The texts of a module, docstrings apart."""
    tree = ast.parse(module.read_text(encoding="utf-8"))
    documented = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documented:
            yield node.value


def test_no_text_that_compares_runs_has_a_word_for_it() -> None:
    modules = [*SOURCE.glob("analysis/compare*.py"), *SOURCE.glob("publish/compared*.py")]
    assert len(modules) > 8
    texts = [text for module in modules for text in literals(module) if "\n" not in text]
    texts.append((SOURCE / "publish/templates/compared.html.j2").read_text(encoding="utf-8"))
    assert [found[0] for text in texts if (found := SIZES.search(text))] == []


def test_between_two_drivers_there_is_no_difference_to_be_read_and_the_reason_is_given() -> None:
    (pair,) = made_comparison("drivers").pairs
    html, shown = page("drivers"), printed(made_comparison("drivers"), width=200)
    for text in (text_of(html), shown):
        assert "jev and openrouter. What comes back through two drivers is not measured on one scale" in text
        assert "of its noise" in text
        assert "on the same side of zero" in text
        assert "; 95% " not in text
        assert "general" not in text
    assert "Outcome</th>" not in html
    assert "Difference</th>" not in html
    assert pair.why_none is not None


def test_a_pair_of_three_runs_that_shares_a_driver_keeps_its_differences() -> None:
    sections = re.split(r'<section id="pair-\d"', page("three"))[1:]
    assert ["Outcome</th>" in section for section in sections] == [True, False]


def test_a_run_beside_itself_says_so_and_shows_zeroes() -> None:
    for text in (text_of(page("itself")), printed(made_comparison("itself"), width=200)):
        assert "compared with itself" in text
        assert "Every difference between the two is zero." in text
    table = ParsedPage(page("itself"))
    assert table is not None
    assert "alike" in text_of(page("itself"))
    assert len(printed(made_comparison("itself"), width=200).splitlines()) == 1


@EVERY
def test_no_line_in_the_terminal_ends_in_spaces(name: str) -> None:
    lines = printed(made_comparison(name)).splitlines()
    assert [line for line in lines if line != line.rstrip()] == []


def test_the_figures_on_the_page_are_the_comparison_s() -> None:
    (pair,) = made_comparison("same plan").pairs
    shown = text_of(page("same plan"))
    for row in pair.rows:
        if row.question is None and row.visible:
            for text in (
                figures.delta(row.first.delta),
                figures.delta(row.second.delta),
                figures.delta(row.difference),
                figures.interval(row.interval),
                figures.interval(row.ci_general),
                figures.p_value(row.q),
            ):
                assert text in shown
    differ = sum(row.outcome == "differs" and row.question is None for row in pair.rows)
    assert differ == 1
    assert f"{differ} of 7" in shown
    assert "1 differ between the runs" in shown


def test_runs_of_other_plans_are_warned_about_with_what_differs() -> None:
    for text in (text_of(page("plans")), printed(made_comparison("plans"), width=300)):
        assert "The runs differ in other things than their answers: seed (1 against 9)." in text
        assert "two independent sets, by Welch's t" in text


def test_what_lies_within_the_margin_counts_as_alike_and_is_not_said_to_differ_on_these_cases() -> None:
    compared = made_comparison("same plan")
    (pair,) = compared.pairs
    rows = [
        row.model_copy(update={"outcome": "differs little"}) if row.outcome == "differs" else row
        for row in pair.rows
    ]
    alike = sum(row.outcome in ("alike", "differs little") and row.question is None for row in rows)
    changed = compared.model_copy(update={"pairs": [pair.model_copy(update={"rows": rows})]})
    shown = text_of(render_compared(changed))
    assert "0 differ on these cases (not shown for others), 1 differ little (shown to lie" in shown
    assert f"{alike} of 7 Alike" in shown
    assert "differs little" in printed(changed)


def test_where_no_other_cases_are_spoken_for_no_pooled_difference_is_said_to_go_beyond_these() -> None:
    for text in (text_of(page("plans")), printed(made_comparison("plans"), width=300)):
        assert "differ between the runs" not in text
        assert "differ on these cases (not shown for others)" in text
    assert "Differ here swaps on which" in text_of(page("plans"))
    assert "Differ swaps on which" in text_of(page("same plan"))


def test_the_share_of_one_sign_is_said_not_to_be_independent() -> None:
    assert "swaps share their anchors" in text_of(page("drivers"))


@pytest.mark.parametrize(
    ("moved", "said"), [(3, "2 of 3 Moved to one side swaps that moved"), (0, "0 Moved in")]
)
def test_the_first_figure_is_the_signs_of_what_moved(moved: int, said: str) -> None:
    compared = made_comparison("same plan")
    (pair,) = compared.pairs
    none = pair.question_signs.model_copy(update={"of_moved": 0, "agree_moved": 0})
    signs = pair.signs.model_copy(update={"of_moved": moved, "agree_moved": 2 if moved else 0})
    pair = pair.model_copy(update={"signs": signs, "question_signs": none})
    shown = text_of(render_compared(compared.model_copy(update={"pairs": [pair]})))
    assert said in shown.split("Differ swaps")[0]
    assert "Same sign" not in shown


def test_every_row_has_an_address_and_the_commands_that_open_its_evidence() -> None:
    compared = made_comparison("same plan")
    (pair,) = compared.pairs
    html = page("same plan")
    for row in pair.rows:
        if row.visible and row.question is None:
            place = f"pair-1/{element_id(row.id)}"
            assert f'<tr id="{place}"' in html
            assert f'href="#{place}"' in html
            for run in compared.runs:
                assert f"<code>{escape(trace_command(row.id, run.run.name))}</code>" in html


@pytest.mark.parametrize(("more", "said"), [(0, None), (1, "1 more is in"), (2, "2 more are in")])
def test_what_is_left_out_is_named_with_a_command_that_runs(
    monkeypatch: pytest.MonkeyPatch, more: int, said: str | None
) -> None:
    compared = made_comparison("same plan")
    told = len(telling([row for row in compared.pairs[0].rows if row.question is not None]))
    monkeypatch.setattr("jevbias.publish.compared_page.MOST_ON_QUESTIONS", told - more)
    shown = text_of(render_compared(compared))
    labels = " ".join(run.label for run in compared.runs)
    assert f"jevbias compare {labels} --json" in shown
    assert (" more is in " in shown or " more are in " in shown) == (said is not None)
    assert said is None or f"{said} jevbias compare {labels} --json" in shown


def test_only_runs_that_may_be_subtracted_are_drawn_in_one_square() -> None:
    (pair,) = made_comparison("same plan").pairs
    pooled = [row for row in pair.rows if row.visible and row.question is None]
    html = page("same plan")
    assert html.count("<circle") == len(pooled)
    assert html.count('class="apart"') == sum(row.outcome.startswith("differs") for row in pooled) == 1
    assert 'class="deltas"' not in page("drivers")


def test_the_same_comparison_gives_the_same_page() -> None:
    assert render_compared(made_comparison("three")) == render_compared(made_comparison("three"))


def test_links_lead_to_each_run_s_own_page_and_nowhere_else() -> None:
    assert '<a href="a.html">Run a</a>' in page("same plan")
    with pytest.raises(UsageError, match="nav"):
        render_compared(made_comparison("same plan"), nav=[("x", "javascript:alert(1)")])


def test_a_title_replaces_the_heading() -> None:
    html = render_compared(made_comparison("same plan"), title="<b>Two</b> models")
    assert "<title>&lt;b&gt;Two&lt;/b&gt; models</title>" in html


def test_hostile_text_is_shown_as_text() -> None:
    html = page("hostile")
    assert "<img" not in html
    assert "<script" not in html
    assert "&lt;img" in html
    for sign in ("\x1b", "\u202e", "\x00"):
        assert sign not in html
        assert sign not in printed(made_comparison("hostile"))
    assert "[/b]" in printed(made_comparison("hostile"), width=300)


@EVERY
def test_it_is_printed_within_80_columns(name: str) -> None:
    assert max(cell_len(line) for line in printed(made_comparison(name)).splitlines()) <= 80


def test_top_says_how_many_are_listed() -> None:
    shown = printed(made_comparison("same plan"), top=2, width=200)
    pooled = shown.split("On single questions:")[0]
    assert pooled.count("\n  - ") == 2
    assert printed(made_comparison("same plan"), top=0).count("\n  - ") == 0


def test_the_page_may_load_and_run_nothing() -> None:
    html = page("same plan")
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', html)
    assert policy is not None
    assert "default-src &#39;none&#39;" in policy[1]
    assert "script-src" not in policy[1]
    assert "<script" not in html


@pytest.mark.browser
@pytest.mark.parametrize(("checked", "dark"), [("drivers", False), ("hostile", True)], ids=["light", "dark"])
def test_it_opens_quietly_fits_every_width_and_axe_finds_nothing(
    browser: Browser, tmp_path: Path, checked: str, dark: bool
) -> None:
    context = browser.new_context(color_scheme="dark" if dark else "light")
    opened = context.new_page()
    visited = Visit(opened)
    for name in ("three", "factorial", checked):
        file = tmp_path / "page.html"
        file.write_text(page(name), encoding="utf-8")
        opened.goto(file.as_uri())
        for width in (1440, 360):
            opened.set_viewport_size({"width": width, "height": 800})
            assert opened.evaluate("document.documentElement.scrollWidth") <= width
            cut: list[str] = opened.locator(".scroll:has(.compared)").evaluate_all(
                "all => all.filter(box => box.scrollWidth > box.clientWidth).map(box => box.ariaLabel)"
            )
            assert cut == [], (name, width)
            for skip in opened.locator("a.skip").all():
                expect(skip).not_to_be_in_viewport()
        assert opened.locator("table:not(:has(caption))").count() == 0
        assert opened.locator("h1").count() == 1
    found = Axe().run(opened, options={"resultTypes": ["violations"]})
    assert found.violations_count == 0, found.generate_report()
    assert visited.logged == []
    assert {url.rsplit("/", 1)[-1] for url in visited.requested} == {"page.html"}
    context.close()
