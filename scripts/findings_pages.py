"""Write what two published runs found: FINDINGS.md, FINDINGS-claude.md, and a page of each in docs/.

`python scripts/findings_pages.py`, after a change to `docs/published` or `scripts/findings`; `--check` writes
nothing and exits 1 when a file is not what would be written.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from findings.page import page_of
from findings.published import published_runs
from findings.writing import PAGES, TEXTS, Findings, text_of

from jevbias.catalogue.load import load_catalogue

CHECKOUT = Path(__file__).parent.parent


def main() -> None:
    """Draw the four files from the published figures."""
    arguments = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    arguments.add_argument("--published", type=Path, default=CHECKOUT / "docs" / "published")
    arguments.add_argument("--out", type=Path, default=CHECKOUT)
    arguments.add_argument("--check", action="store_true")
    given = arguments.parse_args()
    stale = []
    for name, text in drawn(given.published).items():
        file = given.out / name
        if file.exists() and file.read_text(encoding="utf-8") == text:
            continue
        stale.append(name)
        if not given.check:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
    for name in stale:
        print(f"{'stale' if given.check else 'written'}: {name}", file=sys.stderr)  # noqa: T201
    sys.exit(1 if given.check and stale else 0)


def drawn(published: Path) -> dict[str, str]:
    """What each file should hold, by its path in the project."""
    catalogue = load_catalogue(CHECKOUT)
    findings = Findings(*published_runs(published, catalogue), catalogue)
    texts = {name: text_of(findings, key) for key, name in TEXTS.items()}
    return texts | {f"docs/{name}": page_of(findings, key) for key, name in PAGES.items()}


if __name__ == "__main__":
    main()
