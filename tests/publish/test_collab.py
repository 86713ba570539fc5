"""What a collaboration bench says in the terminal and on its page."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser
from rich.console import Console

from jevbias.collab.setting import LlmSetting
from jevbias.publish.collab_page import render_collab
from jevbias.publish.collab_terminal import collab_headlines
from jevbias.report.collab import CollabReport
from tests.collab.reports import ARMS, reported
from tests.publish.conftest import Visit

NO_REAL_MODEL = "mock LLM: about no real model"
HOSTILE = "\x1b[31m<b>\u202egrid"


def bench(task: str = "grid", *, real: bool = False) -> CollabReport:
    played = {
        (arm, level): [n % 7 < place * 3 for n in range(21)]
        for place, arm in enumerate(ARMS)
        for level in ("easy", "hard")
    }
    played[("llm_plus_jev", "hard")] = [False] * 21
    llm = None if real else LlmSetting("mock", "mock LLM", "", best=0.7, illegal=0.1)
    return reported(dict(played), rollouts={"easy": (20, 1), "hard": (20, 9)}, task=task, llm=llm)


def printed(report: CollabReport, width: int = 300) -> str:
    stream = io.StringIO()
    Console(file=stream, width=width).print(collab_headlines(report))
    return stream.getvalue()


def test_every_line_about_an_arm_with_the_stand_in_says_so() -> None:
    lines = printed(bench()).splitlines()
    about = [
        line
        for line in lines
        if line.lstrip(" -").startswith(("llm_", "easy:", "hard:")) or "against llm_" in line
    ]
    assert len(about) >= 12
    assert all(NO_REAL_MODEL in line for line in about if "no difference" not in line), about
    assert NO_REAL_MODEL not in printed(bench(real=True))


def test_what_came_out_names_who_is_ahead_and_doubts_stand_with_their_level() -> None:
    said = printed(bench(real=True))
    assert "hard: llm_autonomous succeeds more often than llm_plus_jev" in said
    assert "easy: llm_plus_jev succeeds more often than llm_autonomous" in said
    assert "Difficulty in doubt: hard is declared harder than easy" in said


def test_text_of_others_steers_neither_the_terminal_nor_the_page() -> None:
    report = bench(HOSTILE)
    assert "\x1b" not in printed(report)
    page = render_collab(report)
    assert "<b>" not in page.split("</style>")[1].replace("<b>Error", "")
    assert "\u202e" not in page
    assert "<script" not in page
    assert render_collab(report) == page


@pytest.mark.browser
@pytest.mark.parametrize("dark", [False, True])
def test_the_page_has_no_violation_and_never_scrolls_sideways(
    browser: Browser, tmp_path: Path, dark: bool
) -> None:
    file = tmp_path / "collab.html"
    file.write_text(render_collab(bench()), encoding="utf-8")
    context = browser.new_context(color_scheme="dark" if dark else "light")
    page = context.new_page()
    visited = Visit(page)
    page.goto(file.as_uri())
    found = Axe().run(page, options={"resultTypes": ["violations"]})
    assert found.violations_count == 0, found.generate_report()
    for width in (360, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert visited.logged == []
    assert len(visited.requested) == 1
    context.close()
