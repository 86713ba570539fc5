"""The runs that ship can be loaded, and their reports and the pages of docs/ are what they say."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from shipped_runs import GENERAL, MOCK, PAGES, ROBOT, SUMS, drawn, held
from site_nav import PAGES as SITE
from typer.testing import CliRunner

from jevbias.cli.main import app
from tests.project.conftest import Seeded

CHECKOUT = Path(__file__).parents[2]
SEED, DOCS = CHECKOUT / "seed", CHECKOUT / "docs"
MOST_BYTES = 4_000_000


def archive(name: str) -> Path:
    return SEED / f"{name}.jsonl.gz"


def test_every_run_that_ships_is_loaded_whole_with_one_line_each(seeded: Seeded) -> None:
    calls = {MOCK: "388 probes and 1,940 answers"} | dict.fromkeys(
        (GENERAL, ROBOT), "12,000 probes and 52,500 answers"
    )
    assert seeded.said == [
        f"imported {name}: {calls[name]}; `jevbias analyse --run {name} --db shipped.db` says what came out"
        for name in sorted(calls)
    ]


def test_shipped_reports_and_pages_are_what_the_shipped_runs_say(seeded: Seeded) -> None:
    files = drawn(seeded.database)
    stale = [name for name, content in files.items() if held(CHECKOUT / name) != content]
    assert stale == [], "run scripts/shipped_runs.py"
    assert {f"seed/{file.name}" for file in SEED.iterdir()} - files.keys() == {
        f"seed/{archive(name).name}" for name in PAGES
    }


def test_analyse_writes_the_report_that_ships_byte_for_byte(seeded: Seeded, tmp_path: Path) -> None:
    written = tmp_path / "report.json"
    arguments = ["analyse", "--run", MOCK, "--db", str(seeded.database), "--out", str(written)]
    assert CliRunner().invoke(app, arguments).exit_code == 0
    assert written.read_bytes() == held(SEED / f"{MOCK}.report.json.gz")
    sums = {}
    for line in (CHECKOUT / SUMS).read_text(encoding="utf-8").splitlines():
        digest, _, name = line.partition("  ")
        sums[name] = digest
    assert sums.keys() == {f"reports/{name}.json" for name in PAGES}
    assert sums[f"reports/{MOCK}.json"] == hashlib.sha256(written.read_bytes()).hexdigest()


@pytest.mark.parametrize("name", sorted(PAGES))
def test_an_archive_is_small_and_says_nothing_of_the_machine_that_made_it(name: str) -> None:
    packed = archive(name).read_bytes()
    assert len(packed) < MOST_BYTES
    lines = gzip.decompress(packed)
    assert re.search(rb'[" ](/[a-z]+/|[A-Z]:\\|~/)|file://|localhost|\.local\b', lines) is None
    run = json.loads(lines.partition(b"\n")[0])["run"]
    assert run["name"] == name
    assert run["status"] == "finished"
    assert run["base_url"] == ("http://127.0.0.1:8799" if name == MOCK else "embedded")


def test_the_made_up_server_is_called_one_wherever_its_run_is_shown() -> None:
    report = json.loads(held(SEED / f"{MOCK}.report.json.gz") or "")
    assert report["run"]["name"].startswith("mock-with-known-biases")
    assert report["run"]["models_answered"] == [report["run"]["model"]] == ["jevbias-mock-1"]
    page = (DOCS / PAGES[MOCK]).read_text(encoding="utf-8")
    assert "<title>A made-up server" in page


class Links(HTMLParser):
    """The addresses in the navigation between pages."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self._inside = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        if tag == "nav":
            self._inside = named.get("class") == "reports"
        elif tag == "a" and self._inside:
            self.found.append(named["href"] or "")

    def handle_endtag(self, tag: str) -> None:
        self._inside = self._inside and tag != "nav"


def test_every_page_of_the_site_links_to_all_others() -> None:
    assert {file.name for file in DOCS.glob("*.html")} == SITE.keys()
    assert (DOCS / ".nojekyll").exists()
    for page in SITE:
        links = Links((DOCS / page).read_text(encoding="utf-8"))
        assert links.found == [other for other in SITE if other != page]
