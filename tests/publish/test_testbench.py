"""The test bench's report in the terminal and as a page: everything is said, nothing is obeyed."""

from __future__ import annotations

import io
from functools import cache
from html import unescape
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser
from rich.console import Console

from jevbias.publish.testbench_page import render_testbench
from jevbias.publish.testbench_terminal import testbench_text
from jevbias.report.testbench import TestbenchReport, TestbenchRun
from jevbias.report.testbench_answers import (
    Argmax,
    BurstAgainstScattered,
    ChoiceCounts,
    Determinism,
    FigureSpread,
    FormulaFit,
    FormulaSearch,
    Movement,
    ProbabilitySums,
    Semantics,
)
from jevbias.report.testbench_limits import (
    BurstRow,
    ContextCeiling,
    FactRead,
    LatencyQuantile,
    LatencyRow,
    SizeTried,
    Truncation,
)
from tests.publish.parsed_page import ParsedPage

HOSTILE = "<script>alert(1)</script>\x1b[31m\u202e[bold]"


def run(name: str) -> TestbenchRun:
    return TestbenchRun(
        name="bench",
        parts=["determinism"],
        driver="jev",
        model=name,
        models_answered=[name],
        base_url="http://x",
        seed=1,
        status="stopped",
        calls=1_234,
        failed=3,
        sends=1_240,
        possibly_billed=2,
        input_tokens=None,
        output_tokens=None,
        cost=None,
        started_at=1.0,
        finished_at=None,
        jevbias_version="0.1.0",
    )


def size(words: int, *, worked: bool, message: str | None = None) -> SizeTried:
    return SizeTried(
        words=words,
        body_bytes=5 * words,
        tokens=words if worked else None,
        estimated_tokens=words,
        worked=worked,
        http_status=200 if worked else 400,
        message=message,
    )


@cache
def report(name: str) -> TestbenchReport:
    text = HOSTILE if name == "hostile" else "plain"
    if name == "empty":
        return TestbenchReport(
            run=run("nobody"),
            determinism=Determinism(
                asked=0, answers=0, at_once=1, minutes=0, different=0, different_interval=None,
                figures=[], choices=[], comparisons=[],
            ),
            latency=[],
            context=ContextCeiling(
                ended="unfinished", worked=None, failed=None, confirmed=None, tokens_sent=0, tried=[],
                truncation=None,
            ),
            semantics=Semantics(
                scenario="s", cases=0, calls=0, sums=[], argmax=None, formulas=[], movements=[]
            ),
            concurrency=[],
        )  # fmt: skip
    return TestbenchReport(
        run=run(text),
        determinism=Determinism(
            asked=60,
            answers=60,
            at_once=10,
            minutes=5,
            different=59,
            different_interval=(0.9, 1.0),
            figures=[
                FigureSpread(
                    figure=f"route.{text}", how="burst", answers=30, distinct=30, mean=0.5, sd=0.01,
                    sd_interval=(0.008, 0.013), minimum=0.4, maximum=0.6,
                )
            ],
            choices=[ChoiceCounts(question="route", how="burst", counts={text: 30})],
            comparisons=[
                BurstAgainstScattered(
                    figure="route.van", ratio=1.5, ratio_interval=(1.1, 2.0), p_ratio=0.01,
                    shift=-0.02, shift_interval=(-0.03, -0.01), p_shift=0.001,
                )
            ],
        ),
        latency=[
            LatencyRow(
                size="200 words", words=200, body_bytes=1_000, tokens=210.5, calls=20, succeeded=19,
                failures={"http_500": 1}, mean=20.0, sd=3.0,
                quantiles=[
                    LatencyQuantile(share=0.5, value=19.0, low=15.0, high=22.0, is_maximum=False),
                    LatencyQuantile(share=0.9, value=30.0, low=22.0, high=None, is_maximum=False),
                    LatencyQuantile(share=0.99, value=41.0, low=30.0, high=None, is_maximum=True),
                ],
            )
        ],
        context=ContextCeiling(
            ended="found", worked=size(900, worked=True), failed=size(910, worked=False, message=text),
            confirmed=True, tokens_sent=9_000, tried=[size(900, worked=True)],
            truncation=Truncation(
                verdict="truncates", by_tokens=True, place="end", read_to=size(400, worked=True),
                lost_from=size(404, worked=True),
                facts=[
                    FactRead(
                        place="end", words=900, body_bytes=4_500, tokens=900, effect=0.0,
                        effect_interval=(-0.001, 0.001), baseline=0.4, verdict="not_found",
                    )
                ],
            ),
        ),
        semantics=Semantics(
            scenario=text,
            cases=12,
            calls=100,
            sums=[
                ProbabilitySums(
                    kind="choice", answers=10, decimals=2, lowest=0.98, highest=1.02, exact=5, explained=9
                )
            ],
            argmax=Argmax(answers=10, agree=8, ties=1, named_none=1),
            formulas=[
                FormulaSearch(
                    of="choice confidence", answers=10, named=[],
                    candidates=[FormulaFit(formula="highest probability", largest=0.4, rms=0.2, fits=False)],
                )
            ],
            movements=[
                Movement(
                    change="option_order", question=text, cases=12, mean=0.05, interval=(0.04, 0.06),
                    mean_absolute=0.05, largest=0.08, rms=0.051, repeats_rms=0.01, p_mean=0.001,
                    p_spread=0.002, moves=True,
                )
            ],
        ),
        concurrency=[
            BurstRow(
                size=20, bursts=1, calls=20, wall_ms=500.0, succeeded=12, rate_limited=7, overloaded=0,
                other_failures={"timeout": 1}, retry_after=(1.0, 2.0), retry_hints=7, median_ms=80.0,
                longest_ms=300.0, per_second=24.0,
            )
        ],
        notes=[f"context: {text}"],
    )  # fmt: skip


def printed(name: str) -> str:
    stream = io.StringIO()
    Console(file=stream, width=160, force_terminal=True, color_system=None).print(
        testbench_text(report(name))
    )
    return stream.getvalue()


@pytest.mark.parametrize("name", ["plain", "hostile", "empty"])
def test_the_page_is_whole_runs_nothing_and_is_the_same_again(name: str) -> None:
    html = render_testbench(report(name))
    page = ParsedPage(html)
    assert "script" not in [tag for tag, _ in page.tags]
    assert len(page.ids) == len(set(page.ids))
    assert html == render_testbench(report(name))
    assert "default-src 'none'" in unescape(html)
    assert "script-src" not in html
    for escape in ("\x1b", "\u202e"):
        assert escape not in html
        assert escape not in printed(name).replace("\x1b[", "")


def test_what_was_found_is_said() -> None:
    text = " ".join(printed("plain").split())
    for said in (
        "Of 60 answers to identical requests 59 differ from the commonest one, which came 1 time.",
        "1 of 1 figures tested have another mean, 1 of 1 figures tested have another spread",
        "41 ms (30 to ?, the longest)",
        "Requests up to 900 tokens (900 words) work; one of about 910 tokens by their bytes (910 words) "
        "fails with status 400: plain.",
        "A fact at the end is read in a request of up to 400 tokens (400 words) and lost from 404 tokens",
        "The confidence of a choice: none of the formulas fits; the nearest is highest probability",
        "The server refuses calls for the pace in bursts of 20 at the same time.",
        "1 to 2 s",
        "The run is stopped: what is missing is not shown.",
    ):
        assert said in text, said
    assert "No request was answered." in printed("empty")


@pytest.mark.browser
@pytest.mark.parametrize("name", ["plain", "hostile", "empty"])
def test_the_page_is_for_everyone(browser: Browser, tmp_path: Path, name: str) -> None:
    path = tmp_path / "page.html"
    path.write_text(render_testbench(report(name)), encoding="utf-8")
    context = browser.new_context(color_scheme="dark", viewport={"width": 360, "height": 800})
    page = context.new_page()
    page.goto(path.as_uri())
    found = Axe().run(page, options={"resultTypes": ["violations"]})
    assert found.violations_count == 0, found.generate_report()
    for width in (360, 1440):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    context.close()
