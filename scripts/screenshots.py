"""Take the pictures of a run's page that docs/screenshots holds.

`python scripts/screenshots.py --db DB --run NAME`; the run of the pictures there is a deep one on the mock:
`jevbias mock --seed 2`, then `jevbias run --driver jev --profile deep --name mock-deep`.

Light and dark, 1440 and 360 pixels wide: the top of the page, then its pictures. Needs the `dev` extra and
Chromium (JEVBIAS_TEST_CHROMIUM, else `chromium` on the path).
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Page, sync_playwright

FOLDER = Path(__file__).parent.parent / "docs" / "screenshots"
WIDTHS = {1440: 900, 360: 780}
PLACES = {
    "top": "body",
    "believed": ".chart:has(.case-lines)",
    "found": "#found",
    "where": "#where",
    "table": "#pooled",
}
"""What a picture begins with, by its name."""
WIDE_ONLY = {"believed", "where", "table"}


def main() -> None:
    """Publish the run into a temporary file, and photograph it."""
    arguments = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    arguments.add_argument("--db", required=True)
    arguments.add_argument("--run", required=True)
    arguments.add_argument("--out", type=Path, default=FOLDER)
    given = arguments.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        command = [sys.executable, "-m", "jevbias", "publish", "--db", given.db, "--run", given.run]
        subprocess.run([*command, "--out", str(page)], check=True)  # noqa: S603 - our own command
        photograph(page.as_uri(), given.out)


def photograph(address: str, out: Path) -> None:
    """One file per place, scheme and width: `found-dark-360.png`."""
    chromium = os.environ.get("JEVBIAS_TEST_CHROMIUM") or shutil.which("chromium") or "chromium"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for scheme in ("light", "dark"):
            for width, height in WIDTHS.items():
                page = browser.new_page(viewport={"width": width, "height": height})
                page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
                page.goto(address)
                page.wait_for_selector("html.live", state="attached")
                for name, selector in PLACES.items():
                    if width == max(WIDTHS) or name not in WIDE_ONLY:
                        _shoot(page, selector, out / f"{name}-{scheme}-{width}.png")
                page.close()
        browser.close()


def _shoot(page: Page, selector: str, file: Path) -> None:
    """What a reader sees who has scrolled to the element."""
    page.locator(selector).first.evaluate("element => window.scrollTo(0, element.offsetTop - 16)")
    page.screenshot(path=file)


if __name__ == "__main__":
    main()
