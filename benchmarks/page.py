"""What a reader waits for on a run's page: `python -m benchmarks.page --db DB --run NAME [--run NAME ...]`.

The page of each run is published into a temporary file and opened in Chromium (JEVBIAS_TEST_CHROMIUM, else
`chromium` on the path) from `file://`, `--repeats` times. Shown are its size, the first contentful paint, and
the slowest of the filters and sorts of its tables, each from the event until its rows are laid out: medians
over the repeats, and beside them the worst of all. Every filter is put to every value it offers (at most
`--values`, spread over the list). Needs the `dev` extra.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, sync_playwright

FIRST_PAINT = "() => performance.getEntriesByName('first-contentful-paint')[0].startTime"
EACH_CONTROL = """(values) => {
    const times = [];
    const timed = (name, act) => {
        const started = performance.now();
        act();
        document.body.offsetHeight;
        times.push([name, performance.now() - started]);
    };
    const spread = (all) => all.filter((_, place) => place % Math.ceil(all.length / values) === 0);
    for (const form of document.querySelectorAll("form[data-table]")) {
        const table = form.dataset.table;
        for (const control of form.elements) {
            const name = `${table}: ${control.name}`;
            const set = (value) => {
                control.value = value;
                for (const kind of ["input", "change"]) {
                    control.dispatchEvent(new Event(kind, { bubbles: true }));
                }
            };
            if (control.tagName === "SELECT") {
                for (const option of spread([...control.options])) timed(name, () => set(option.value));
                timed(name, () => set(""));
            } else if (control.type === "checkbox") {
                timed(name, () => control.click());
                timed(name, () => control.click());
            } else if (control.type === "search") {
                for (const text of ["a", "zzz", "grey", ""]) timed(name, () => set(text));
            }
        }
        for (const button of document.querySelectorAll(`#${table}-table th button`)) {
            timed(`${table}: sort by ${button.textContent.trim()}`, () => button.click());
        }
    }
    return times;
}"""


def main() -> None:
    """Measure and print Markdown."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--db", required=True)
    parser.add_argument("--run", required=True, action="append")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--values", type=int, default=12, metavar="N")
    asked = parser.parse_args()
    chromium = os.environ.get("JEVBIAS_TEST_CHROMIUM") or shutil.which("chromium") or "chromium"
    _say("| run | page | first paint | worst | controls | slowest control | its median | worst of all |")
    _say("|---|---|---|---|---|---|---|---|")
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for run in asked.run:
            page = Path(folder) / f"{run}.html"
            command = [sys.executable, "-m", "jevbias", "publish", "--db", asked.db, "--run", run]
            subprocess.run([*command, "--out", str(page)], check=True)  # noqa: S603 - our own command
            found = [_visit(browser, page, asked.values) for _ in range(asked.repeats)]
            _say(_row(run, page.stat().st_size, found))
        browser.close()


def _visit(browser: Browser, page: Path, values: int) -> tuple[float, Mapping[str, Sequence[float]]]:
    """The first paint, and what each control took, in milliseconds."""
    tab = browser.new_page(viewport={"width": 1440, "height": 900})
    try:
        tab.goto(page.as_uri())
        tab.wait_for_selector("html.live", state="attached")
        tab.wait_for_function("performance.getEntriesByName('first-contentful-paint').length > 0")
        painted: float = tab.evaluate(FIRST_PAINT)
        times: dict[str, list[float]] = defaultdict(list)
        for name, spent in tab.evaluate(EACH_CONTROL, values):
            times[name].append(spent)
        return painted, times
    finally:
        tab.close()


def _row(run: str, size: int, found: Sequence[tuple[float, Mapping[str, Sequence[float]]]]) -> str:
    paints = [painted for painted, _ in found]
    slowest = {name: median(max(times[name]) for _, times in found) for name in found[0][1]}
    name = max(slowest, key=lambda control: slowest[control])
    worst = max(max(spent) for _, times in found for spent in times.values())
    return (
        f"| {run} | {size / 1000:.0f} KB | {median(paints):.0f} ms | {max(paints):.0f} ms | {len(slowest)} "
        f"| {name} | {slowest[name]:.0f} ms | {worst:.0f} ms |"
    )


def _say(line: str) -> None:
    print(line, flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
