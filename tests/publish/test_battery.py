"""A battery and a comparison of two, in the terminal and as pages."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser
from rich.console import Console, RenderableType

from jevbias.battery.compare import compare_batteries
from jevbias.battery.pairs import Pair, PairSet
from jevbias.publish.batteries_compared_page import render_compared_batteries
from jevbias.publish.batteries_compared_terminal import compared_text
from jevbias.publish.battery_page import render_battery
from jevbias.publish.battery_terminal import battery_text
from jevbias.publish.charts.effect_bars import Effect, effect_bars
from jevbias.report.battery import BatteryReport
from tests.battery.sets import normal, pair_set, reported, scored
from tests.publish.parsed_page import ParsedPage

HOSTILE = "<script>alert(1)</script>\x1b[31m\u202eevil"


def made(mean: float = 0.3, seed: int = 1) -> BatteryReport:
    sizes = {"loud": [2] * 12, "calm": [1] * 12, "few": [1] * 3}
    return reported(scored(pair_set(sizes, {"calm": "negative"}), normal(mean, 0.5, seed)), "made")


def hostile() -> BatteryReport:
    clones = [Pair("a", f"{HOSTILE}{n}", 1, "p q r s t u", "x y z x y z", f"u v w {n}") for n in range(6)]
    report = reported(scored(PairSet(tuple(clones), HOSTILE), normal(0.1, 0.2)), HOSTILE)
    named = {"model": HOSTILE, "question": HOSTILE, "scorer": HOSTILE, "models_answered": [HOSTILE]}
    return report.model_copy(update={"run": report.run.model_copy(update=named)})


def nothing() -> BatteryReport:
    return reported(scored(pair_set({"a": [1] * 6}), lambda _: 0.0))


REPORTS: dict[str, Callable[[], BatteryReport]] = {"made": made, "hostile": hostile, "nothing": nothing}
EVERY = pytest.mark.parametrize("name", sorted(REPORTS))


@cache
def pages(name: str) -> tuple[str, str]:
    report = REPORTS[name]()
    return render_battery(report), render_compared_batteries(compare_batteries(report, report))


def printed(shown: RenderableType, width: int = 80) -> str:
    stream = io.StringIO()
    Console(file=stream, width=width).print(shown)
    return stream.getvalue()


@EVERY
def test_pages_run_nothing_load_nothing_and_escape_everything(name: str) -> None:
    for page in pages(name):
        assert "<script" not in page
        assert "alert(1)</" not in page
        assert "\x1b" not in page
        assert "\u202e" not in page
        assert re.search(r"(?:src|href)=[\"']?https?:", page) is None
        ParsedPage(page)


@pytest.mark.parametrize("size", [1e-14, 2e25, 1e99])
def test_scores_of_any_size_are_written(size: float) -> None:
    draw = normal(0.3, 0.5)
    report = reported(scored(pair_set({"a": [1] * 12}), lambda pair: size * draw(pair), 0.0))
    assert re.search(r"[+-]\d\.\d{3}e-?\d\d", printed(battery_text(report), 200))
    assert "+0.0000" not in printed(battery_text(report), 200)
    render_battery(report)


@EVERY
def test_the_terminal_shows_no_control_characters_and_stays_in_its_width(name: str) -> None:
    report = REPORTS[name]()
    for shown in (battery_text(report), compared_text(compare_batteries(report, report))):
        text = printed(shown)
        assert "\x1b" not in text
        assert "\u202e" not in text
        assert max(map(len, text.splitlines())) <= 80


def test_a_page_says_what_the_report_says() -> None:
    page, compared = pages("made")
    for said in ("EXPLORATORY", "correlation, not mechanism", "invariant", "negative control", "few"):
        assert said in page
    report = made()
    assert f"{report.per_axis['loud'].d:+.2f}" in page
    assert compared.count('class="bar first"') == 1 + sum(
        axis.d is not None for axis in report.per_axis.values()
    )


def test_a_comparison_has_two_bars_an_axis() -> None:
    rows = [("a", "", [Effect(0.5, (0.1, 0.9)), Effect(-0.2, None)]), ("b", "", [Effect(None, None)] * 2)]
    bars = effect_bars(rows, ["one", "two"])
    assert bars is not None
    first, second = bars.rows[0].bars
    assert (first.figure, second.figure) == ("+0.50", "−0.20")
    assert float(first.start or 0) == float(bars.zero)
    assert float(second.start or 0) < float(bars.zero)
    assert first.low is not None
    assert second.low is None
    assert all(bar.start is None for bar in bars.rows[1].bars)
    assert "one +0.50, two −0.20" in bars.description
    assert effect_bars([("a", "", [Effect(None, None)])], ["one"]) is None


@pytest.mark.browser
@pytest.mark.parametrize("dark", [False, True])
def test_axe_finds_nothing_and_nothing_scrolls_sideways(browser: Browser, tmp_path: Path, dark: bool) -> None:
    context = browser.new_context(java_script_enabled=True, color_scheme="dark" if dark else "light")
    page = context.new_page()
    for name in REPORTS:
        for number, text in enumerate(pages(name)):
            file = tmp_path / f"{name}{number}.html"
            file.write_text(text, encoding="utf-8")
            page.set_viewport_size({"width": 360, "height": 800})
            page.goto(file.as_uri())
            assert page.evaluate("document.documentElement.scrollWidth") <= 360, file
            found = Axe().run(page, options={"resultTypes": ["violations"]})
            assert found.violations_count == 0, found.generate_report()
    context.close()
