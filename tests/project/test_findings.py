"""What is said about published runs is what was published about them, or follows from it."""

from __future__ import annotations

import csv
import json
import re
import shutil
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from findings.rerun import Plans
from findings_pages import drawn, main, stale
from playwright.sync_api import Browser, sync_playwright
from scipy.stats import false_discovery_control, norm
from typer.testing import CliRunner

from jevbias.catalogue.catalogue import Catalogue
from jevbias.cli.main import app
from tests.project.commands import commands_in, options_that_do_not_exist
from tests.publish.conftest import CHROMIUM, FLAGS

CHECKOUT = Path(__file__).parents[2]
PUBLISHED = CHECKOUT / "docs" / "published"
TEMPLATES = CHECKOUT / "scripts" / "findings" / "templates"
TEXTS = {"jev": "FINDINGS.md", "claude": "FINDINGS-claude.md"}
PAGES = {"jev": "docs/findings-jev.html", "claude": "docs/findings-claude.html"}
BANNER = "Published elsewhere, not measured here."
FOUR_OF_A_KIND = """() => {
  const seen = {};
  for (const row of document.querySelectorAll("tbody tr[class]")) {
    seen[row.className] = (seen[row.className] ?? 0) + 1;
    if (seen[row.className] > 4) row.remove();
  }
}"""
"""Of a hundred rows with the same markup axe has to look at a few only."""


def record(key: str) -> dict[str, Any]:
    """What was published about a run besides its rows."""
    runs: dict[str, dict[str, Any]] = json.loads((PUBLISHED / "figures.json").read_text(encoding="utf-8"))[
        "runs"
    ]
    return runs[key]


def published(key: str) -> dict[str, Any]:
    """Single figures by name."""
    return {name: figure["value"] for name, figure in record(key)["figures"].items()}


def rows(key: str) -> list[dict[str, str]]:
    """Its pooled comparisons."""
    with (PUBLISHED / record(key)["rows"]).open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def text(key: str) -> str:
    """The findings with a plain minus sign."""
    return (CHECKOUT / TEXTS[key]).read_text(encoding="utf-8").replace("−", "-")


@pytest.fixture(scope="module")
def plans(catalogue: Catalogue) -> Plans:
    """The plans that would ask again: they do not hang on what was published."""
    return Plans(catalogue)


def test_texts_and_pages_are_what_the_published_figures_make_of_them(
    plans: Plans, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--check"], plans) == 0, f"{capsys.readouterr().err}run scripts/findings_pages.py"


def test_a_drifted_figure_makes_both_texts_and_both_pages_stale(plans: Plans, tmp_path: Path) -> None:
    shutil.copytree(PUBLISHED, tmp_path / "published")
    for name, old, new in (
        ("figures.json", '"handling_reported": {"value": 0.047', '"handling_reported": {"value": 0.048'),
        ("claude-opus-5-standard.csv", "full,housing,temporary,-0.0220", "full,housing,temporary,-0.0221"),
    ):
        file = tmp_path / "published" / name
        content = file.read_text(encoding="utf-8")
        assert old in content
        file.write_text(content.replace(old, new), encoding="utf-8")
    assert stale(drawn(tmp_path / "published", plans), CHECKOUT) == [*TEXTS.values(), *PAGES.values()]


def test_no_number_of_a_text_is_typed() -> None:
    spelt = r"three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|hundred|thousand|half|quarter"
    for name in ("jev.md.j2", "claude.md.j2", "again.md.j2", "sparrow.md.j2"):
        source = (TEMPLATES / name).read_text(encoding="utf-8")
        said = re.sub(r"\{\{.*?\}\}|\{%.*?%\}", "", source, flags=re.DOTALL)
        said = re.sub(r"(?m)^\d+\. ", "", said).replace("from 0 to 1", "")
        assert re.findall(rf"\S*\d\S*|\b(?:{spelt})\b", said, re.IGNORECASE) == [], name


def test_every_published_figure_names_its_place() -> None:
    for key in TEXTS:
        run = record(key)
        assert all(figure["source"].strip() for figure in run["figures"].values())
        assert all(question["source"].strip() for question in run["questions"])


@pytest.mark.parametrize("key", sorted(TEXTS))
def test_every_undaggered_number_was_published(key: str) -> None:
    values = [
        *published("jev").values(),
        *published("claude").values(),
        *(float(row[name]) for run in TEXTS for row in rows(run) for name in ("delta", "q")),
        *(
            value
            for run in TEXTS
            for question in record(run)["questions"]
            for value in (question["significant"], question["mean"], question.get("worst", 0))
        ),
    ]
    known = {f"{float(value):g}" for value in values if isinstance(value, (int, float))}
    known |= {re.sub(r"\D", "", str(value)) for value in values if isinstance(value, str)}
    known |= {f"{100 * published('claude')['known_false_share']:g}"}
    declared = {"0.05", "5", "95", "0.02", "80"}  # alpha, in per cent, what it leaves, the margin, the power
    calendar = {"20", "2026", "0", "1", "2"}  # 2 h 20 min, favourability's ends
    for number in undaggered(key):
        assert f"{float(number):g}" in known | declared | calendar, number


def undaggered(key: str) -> list[str]:
    """Numbers of a text that are not marked as worked out here, before the part on asking again."""
    said = re.sub(r"`[^`]*`|\]\([^)]*\)", "]", text(key).partition("## Asking again")[0])
    lines = []
    heads: list[str] = []
    for line in said.splitlines():
        if not line.startswith("|"):
            heads = []
            lines.append(re.sub(r"^\d+\. ", "", line))
            continue
        cells = line.split("|")
        heads = heads or cells
        lines += [cell for head, cell in zip(heads, cells, strict=True) if "†" not in head]
    whole = "\n".join(lines).replace("Opus 5", "")
    whole = re.sub(r"[-+$]?\d[\d,]*(?:\.\d+)?%?†", "", whole)
    found = re.findall(r"[-+]?\d[\d,]*(?:\.\d+)?", whole)
    assert len(found) > 60
    return [number.replace(",", "").lstrip("+") for number in found]


@pytest.mark.parametrize("key", sorted(TEXTS))
def test_every_named_difference_is_that_of_its_row(key: str) -> None:
    deltas = {
        run: {(row["condition"], f"{row['attribute']}={row['level']}"): row["delta"] for row in rows(run)}
        for run in TEXTS
    }
    named = re.findall(r"`([a-z_]+=[a-z_]+)`( \(name only\))? ([-+]\d\.\d{4})", text(key))
    assert len(named) > 20
    for swap, name_only, delta in named:
        row = deltas[key]["name_only" if name_only else "full", swap]
        assert float(delta) == float(row), swap
    cells = r"^\| (full|name only) \| `(\S+)` \| (\S+) \| (\S+) \|$"
    opposite = re.findall(cells, text("claude"), re.MULTILINE)
    assert len(opposite) > 5
    for condition, swap, *both in opposite:
        where = condition.replace(" ", "_"), swap
        assert [float(delta) for delta in both] == [float(deltas[run][where]) for run in ("jev", "claude")]


@pytest.mark.parametrize("key", sorted(TEXTS))
def test_the_published_counts_are_those_of_the_published_rows(key: str, catalogue: Catalogue) -> None:
    figures = published(key)
    found = [row for row in rows(key) if float(row["q"]) < 0.05]
    protected = [
        catalogue.attributes[row["attribute"]].protected for row in found if row["condition"] == "full"
    ]
    assert len(found) == figures["visible_significant"]
    assert protected.count(True) == figures["protected_significant"]
    assert protected.count(False) == figures["other_significant"]
    assert figures["pooled"] == figures["visible"] + figures["controls"]
    assert figures["pairs"] == figures["anchors"] * figures["scenarios"]


@pytest.mark.parametrize("key", sorted(TEXTS))
def test_what_stands_is_what_is_left_by_noise_as_wide_as_its_publisher_says(key: str) -> None:
    figures = published(key)
    wide = figures["understated"] * figures["null_sd"] / figures["pairs"] ** 0.5
    deltas = np.array([abs(float(row["delta"])) for row in rows(key)])
    p = np.ones(figures["pooled"])
    p[: len(deltas)] = 2 * norm.sf(deltas / wide)
    standing = int((false_discovery_control(p) < 0.05).sum())
    written = {5: "five"}.get(standing, str(standing))
    assert f"much, {written}† of the {figures['visible_significant']} still stand out" in text(key)


def test_what_points_to_a_religion_is_never_left_out_where_a_stated_one_is_said_to_move_nothing() -> None:
    assert not any(row["attribute"] == "religion" and float(row["q"]) < 0.05 for row in rows("jev"))
    worn = [
        f"`{row['attribute']}={row['level']}`" for row in rows("jev") if row["attribute"] == "religious_dress"
    ]
    lines = [
        line
        for line in text("jev").splitlines()
        if "No swap of" in line or "found no such difference" in line
    ]
    assert len(lines) == 2
    assert len(worn) == 4
    for line in lines:
        assert [swap for swap in [*worn, "`name_culture=hispanic`"] if swap not in line] == []


def test_the_two_misread_questions_are_called_what_the_validity_rule_calls_them() -> None:
    said = text("jev")
    assert "| `credibility.handling` | 0.73 | 0.46 | 0.34 | inverted† | ok† |" in said
    assert (
        "| `tenancy.deposit` | 0.45 | 0.07 | 0.75 | ok†, not monotone† | inverted†, not monotone† |" in said
    )


def commands(key: str) -> list[list[str]]:
    """The command lines of the part on asking again."""
    return commands_in(text(key).partition("## Asking again")[2])


@pytest.mark.parametrize("key", sorted(TEXTS))
def test_the_commands_that_would_ask_again_take_the_options_they_give(key: str) -> None:
    given = commands(key)
    assert len(given) > 7
    assert options_that_do_not_exist(given) == []


def test_the_plan_to_ask_claude_again_is_as_large_as_the_text_says(tmp_path: Path) -> None:
    command = next(command for command in commands("claude") if "--plan-only" in command)
    environment = {"OPENROUTER_API_KEY": "sk-test", "COLUMNS": "400"}
    done = CliRunner().invoke(app, [*command, "--db", str(tmp_path / "again.db")], env=environment)
    assert done.exit_code == 0, done.output
    calls = re.search(r"([\d,]+) calls", done.output)
    assert calls is not None
    assert f"Expected for Claude: {calls[1]} calls" in text("claude")


def test_the_costs_on_jev_are_those_that_design_says(tmp_path: Path) -> None:
    profiles = {"jev": "jev-latest-deep", "claude": "standard"}
    shutil.copytree(CHECKOUT / "scenarios", tmp_path / "scenarios")
    shutil.copytree(CHECKOUT / "profiles" / "prices", tmp_path / "profiles" / "prices")
    for name in profiles.values():
        shutil.copy(CHECKOUT / "profiles" / f"{name}.yaml", tmp_path / "profiles")
    said = CliRunner().invoke(app, ["design", "--json", "--catalogue", str(tmp_path)])
    designs = json.loads(said.stdout)["profiles"]
    for key, name in profiles.items():
        design = next(row for row in designs if row["name"] == name)
        low, high = (f"{design[f'jev_cost_usd_{end}']:.2g}" for end in ("low", "high"))
        assert f"**${low} to ${float(high):.2f}**" in text(key)
        assert f"{design['estimate']['calls']:,} calls" in text(key)


@pytest.mark.parametrize("key", sorted(PAGES))
def test_a_page_runs_nothing_and_says_where_its_figures_come_from(key: str) -> None:
    page = (CHECKOUT / PAGES[key]).read_text(encoding="utf-8")
    assert "<script" not in page
    assert " style=" not in page
    assert "default-src 'none'" in unescape(page)
    assert BANNER in page
    for link in re.findall(r'href="([^"#:]+)"', page):
        assert (CHECKOUT / "docs" / link).exists(), link


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium from the system's packages."""
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS.split())
        yield started
        started.close()


@pytest.mark.browser
@pytest.mark.parametrize("key", [*sorted(PAGES), "sparrow"])
@pytest.mark.parametrize(("dark", "width"), [(False, 1280), (True, 360)])
def test_a_page_is_for_everyone_and_marked_on_every_screen(
    browser: Browser, key: str, dark: bool, width: int
) -> None:
    context = browser.new_context(
        viewport={"width": width, "height": 800}, color_scheme="dark" if dark else "light"
    )
    page = context.new_page()
    logged: list[str] = []
    page.on("console", lambda message: logged.append(message.text))
    page.goto((CHECKOUT / f"docs/findings-{key}.html").as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    banner = page.locator("aside.elsewhere")
    assert banner.count() == (key in PAGES)
    for share in (0, 0.3, 0.7, 1) if key in PAGES else ():
        page.evaluate(f"window.scrollTo({{top: {share} * document.body.scrollHeight, behavior: 'instant'}})")
        box = banner.bounding_box()
        assert box is not None
        assert 0 <= box["y"] < 1
    page.evaluate(FOUR_OF_A_KIND)
    found = Axe().run(page, options={"resultTypes": ["violations"]})
    assert found.violations_count == 0, found.generate_report()
    assert logged == []
    context.close()
