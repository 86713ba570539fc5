"""Pages of made reports on disk, and one browser to read them in."""

from __future__ import annotations

import io
import os
import shutil
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Error, Page, Request, sync_playwright
from rich.console import Console

from jevbias.publish.headlines import headlines
from jevbias.publish.page import render_page
from jevbias.report.run_report import RunReport
from tests.publish import reports
from tests.publish.parsed_page import ParsedPage

CHROMIUM = os.environ.get("JEVBIAS_TEST_CHROMIUM") or shutil.which("chromium") or "chromium"
FLAGS = (
    "--no-sandbox --disable-gpu --disable-background-networking --disable-component-update --disable-sync "
    "--no-first-run"
)
MAKERS: dict[str, Callable[[], RunReport]] = {
    "pilot": reports.pilot_report,
    "deep": reports.deep_report,
    "sampler": reports.sampler_report,
    "exact": reports.exact_report,
    "untested": reports.untested_report,
    "quiet": reports.quiet_report,
    "empty": reports.empty_report,
    "confirm": reports.confirm_report,
    "old": reports.old_report,
    "unpooled": reports.unpooled_report,
    "factorial": reports.factorial_report,
    "hostile": reports.hostile_report,
}


@cache
def made_report(name: str) -> RunReport:
    """One of the made reports; made once, as they are frozen."""
    return MAKERS[name]()


@cache
def made_page(name: str) -> str:
    """The page of one of them."""
    return render_page(made_report(name), nav=[("Mock", "mock.html")])


@cache
def parsed_page(name: str) -> ParsedPage:
    """The same, parsed."""
    return ParsedPage(made_page(name))


def printed(report: RunReport, *, top: int = 10, width: int = 80, terminal: bool = False) -> str:
    """What a console of that width shows."""
    stream = io.StringIO()
    Console(
        file=stream, width=width, force_terminal=terminal, color_system="standard" if terminal else None
    ).print(headlines(report, top=top))
    return stream.getvalue()


class Addresses(dict[str, str]):
    """The page of every made report as a `file://` address; a page is written when it is first asked for."""

    def __init__(self, folder: Path):
        self._folder = folder

    def __missing__(self, name: str) -> str:
        page = self._folder / f"{name}.html"
        page.write_text(made_page(name), encoding="utf-8")
        self[name] = page.as_uri()
        return self[name]


@pytest.fixture(scope="session")
def addresses(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return Addresses(tmp_path_factory.mktemp("pages"))


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Chromium from the system's packages; closed before other packages run an event loop of their own."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS.split())
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def reader(browser: Browser) -> Page:
    """One tab that the tests take turns with; a new one for each would cost more than what they look at."""
    return browser.new_context().new_page()


class Visit:
    """A page in the browser, with what it logged, threw and asked the network for."""

    def __init__(self, page: Page):
        self.page = page
        self.logged: list[str] = []
        self.requested: list[str] = []
        page.on("console", self._log)
        page.on("pageerror", self._throw)
        page.on("request", self._request)

    def leave(self) -> None:
        """Stop listening."""
        self.page.remove_listener("console", self._log)
        self.page.remove_listener("pageerror", self._throw)
        self.page.remove_listener("request", self._request)

    def _log(self, message: ConsoleMessage) -> None:
        self.logged.append(f"{message.type}: {message.text}")

    def _throw(self, error: Error) -> None:
        self.logged.append(f"thrown: {error}")

    def _request(self, request: Request) -> None:
        self.requested.append(request.url)


Visiting = Callable[..., Visit]


@pytest.fixture
def visit(reader: Page, addresses: dict[str, str]) -> Iterator[Visiting]:
    """Opens a made page: `visit("pilot", "#row", width=360, dark=True)`."""
    visits = []

    def open_page(name: str, fragment: str = "", *, width: int = 1280, dark: bool = False) -> Visit:
        reader.goto("about:blank")
        reader.emulate_media(media="screen", color_scheme="dark" if dark else "light")
        reader.set_viewport_size({"width": width, "height": 800})
        visits.append(Visit(reader))
        reader.goto(addresses[name] + fragment)
        reader.wait_for_selector("html.live", state="attached")
        return visits[-1]

    yield open_page
    for visited in visits:
        visited.leave()


@pytest.fixture
def still(browser: Browser, addresses: dict[str, str]) -> Iterator[Callable[[str], Page]]:
    """Opens a made page with JavaScript off: `still("deep")`, `still("deep#row")`."""
    context = browser.new_context(java_script_enabled=False, viewport={"width": 1280, "height": 800})

    def open_page(name: str) -> Page:
        page = context.new_page()
        name, mark, fragment = name.partition("#")
        page.goto(addresses[name] + mark + fragment)
        return page

    yield open_page
    context.close()
