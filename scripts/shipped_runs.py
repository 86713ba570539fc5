"""Write what the runs in seed/ say: the report of each there, and a page of each and of two of them in docs/.

`python scripts/shipped_runs.py`, offline, after a change to a run in seed/ or to what reports and pages say;
`--check` writes nothing and exits 1 when a file does not hold what would be written.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from findings.shipped import COMPARED
from site_nav import nav_of

from jevbias.analysis.compare import compare_runs
from jevbias.analysis.compare_sources import read_sources
from jevbias.publish.compared_page import render_compared
from jevbias.publish.page import render_page
from jevbias.report.write import report_json
from jevbias.store.engine import open_store_to_read

CHECKOUT = Path(__file__).parent.parent
GENERAL, ROBOT = "sparrow-nano-general-v1.1-deep", "sparrow-nano-robot-v1.2-deep"
MOCK = "mock-with-known-biases-pilot"
PAGES = {GENERAL: "index.html", ROBOT: "robot.html", MOCK: "mock.html"}
COMPARISON = "comparison.html"
TRIAL = "made for trying out jevbias, fit to decide on nobody"
TITLES = {
    GENERAL: f"A model of a few megabytes, {TRIAL}: the general one",
    ROBOT: f"A model of a few megabytes, {TRIAL}: the robot one",
    MOCK: "A made-up server with known biases, no model: the pilot finds what was put in",
    COMPARISON: f"Two models of a few megabytes, {TRIAL}, side by side",
}
"""Headings other than the question that a run asks, by run or page."""
SUMS = "seed/reports.sha256"
PACKED = ".gz"


def main() -> None:
    """Draw the reports and the pages from the runs."""
    arguments = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    arguments.add_argument("--db", type=Path, help="where the runs are already [default: loaded from seed/]")
    arguments.add_argument("--out", type=Path, default=CHECKOUT)
    arguments.add_argument("--check", action="store_true")
    given = arguments.parse_args()
    with TemporaryDirectory() as folder:
        files = drawn(given.db or loaded(Path(folder) / "shipped.db"))
    stale = [name for name, content in files.items() if held(given.out / name) != content]
    for name in stale:
        if not given.check:
            write(given.out / name, files[name])
        print(f"{'stale' if given.check else 'written'}: {name}", file=sys.stderr)  # noqa: T201
    sys.exit(1 if given.check and stale else 0)


def loaded(database: Path) -> Path:
    """A new database with every run that ships."""
    command = [sys.executable, "-m", "jevbias", "seed-canonical", "--db", str(database)]
    subprocess.run(command, cwd=CHECKOUT, check=True)  # noqa: S603 - our own command
    return database


def drawn(database: Path) -> dict[str, bytes]:
    """What each file should hold, unpacked where it is packed, by its path in the project."""
    sources = {
        source.label: source
        for source in read_sources(list(PAGES), lambda: open_store_to_read(str(database)))
    }
    reports = {name: report_json(source.report) for name, source in sources.items()}
    sums = "".join(
        f"{hashlib.sha256(reports[name]).hexdigest()}  reports/{name}.json\n" for name in sorted(reports)
    )
    files = {f"seed/{name}.report.json{PACKED}": content for name, content in reports.items()}
    files[SUMS] = sums.encode()
    for name, page in PAGES.items():
        text = render_page(sources[name].report, title=TITLES[name], nav=nav_of(page))
        files[f"docs/{page}"] = text.encode()
    compared = compare_runs([sources[GENERAL], sources[ROBOT]])
    files[f"docs/{COMPARISON}"] = render_compared(
        compared, title=TITLES[COMPARISON], nav=nav_of(COMPARISON)
    ).encode()
    files[COMPARED] = compared.model_dump_json().encode() + b"\n"
    return files


def held(file: Path) -> bytes | None:
    """What a file holds, unpacked: how it is packed differs between versions of zlib."""
    if not file.exists():
        return None
    content = file.read_bytes()
    return gzip.decompress(content) if file.suffix == PACKED else content


def write(file: Path, content: bytes) -> None:
    """Write a file, packed where its name says so."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(gzip.compress(content, mtime=0) if file.suffix == PACKED else content)


if __name__ == "__main__":
    main()
