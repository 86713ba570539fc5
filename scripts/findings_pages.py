"""Write what runs found: two published ones in FINDINGS.md, FINDINGS-claude.md and a page of each in docs/,
and those that ship in FINDINGS-sparrow.md and its page.

`python scripts/findings_pages.py`, after a change to `docs/published`, to the reports of the shipped runs or
to `scripts/findings`; `--check` writes nothing and exits 1 when a file is not what would be written.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from findings.embedded_page import embedded_page
from findings.embedded_text import PAGE, TEXT, embedded_text
from findings.page import page_of
from findings.published import published_runs
from findings.rerun import Plans
from findings.shipped import read_shipped
from findings.writing import PAGES, TEXTS, Findings, text_of

from jevbias.catalogue.load import load_catalogue

CHECKOUT = Path(__file__).parent.parent


def main(arguments: Sequence[str] | None = None, plans: Plans | None = None) -> int:
    """Draw the files from figures and reports; the exit code. `plans` saves making them once more."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--published", type=Path, default=CHECKOUT / "docs" / "published")
    parser.add_argument("--out", type=Path, default=CHECKOUT)
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args(arguments)
    files = drawn(given.published, plans or Plans(load_catalogue(CHECKOUT)))
    shipped = read_shipped(CHECKOUT)
    files |= {TEXT: embedded_text(shipped), f"docs/{PAGE}": embedded_page(shipped)}
    found = stale(files, given.out)
    for name in found:
        if not given.check:
            (given.out / name).parent.mkdir(parents=True, exist_ok=True)
            (given.out / name).write_text(files[name], encoding="utf-8")
        print(f"{'stale' if given.check else 'written'}: {name}", file=sys.stderr)  # noqa: T201
    return 1 if given.check and found else 0


def drawn(published: Path, plans: Plans) -> dict[str, str]:
    """What the files about published runs should hold, by their path in the project."""
    findings = Findings(*published_runs(published, plans.catalogue), plans)
    texts = {name: text_of(findings, key) for key, name in TEXTS.items()}
    return texts | {f"docs/{name}": page_of(findings, key) for key, name in PAGES.items()}


def stale(files: Mapping[str, str], folder: Path) -> list[str]:
    """Which of the files are not there, or are something else."""
    return [
        name
        for name, text in files.items()
        if not (folder / name).exists() or (folder / name).read_text(encoding="utf-8") != text
    ]


if __name__ == "__main__":
    sys.exit(main())
