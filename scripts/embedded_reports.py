"""Write the reports of the runs with placebos in docs/embedded/, which FINDINGS-sparrow.md rests on too.

`python scripts/embedded_reports.py`, offline, after a change to one of these runs or to what reports say;
`--check` writes nothing and exits 1 when a file does not hold what would be written.
`scripts/shipped_runs.py` does the same for the runs in seed/; then `scripts/findings_pages.py` writes the
text.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from findings.shipped import MODELS, placebo_archive, placebo_report
from shipped_runs import CHECKOUT, held, write

from jevbias.analysis.analyse import analyse_run
from jevbias.report.write import report_json
from jevbias.store.archive.transfer import import_archive
from jevbias.store.archive.verify import verify_archive
from jevbias.store.engine import open_store


def main() -> int:
    """Draw the reports from the runs; the exit code."""
    arguments = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    arguments.add_argument("--check", action="store_true")
    given = arguments.parse_args()
    files = {placebo_report(model): drawn(CHECKOUT / placebo_archive(model)) for model in MODELS}
    stale = [name for name, content in files.items() if held(CHECKOUT / name) != content]
    for name in stale:
        if not given.check:
            write(CHECKOUT / name, files[name])
        print(f"{'stale' if given.check else 'written'}: {name}", file=sys.stderr)  # noqa: T201
    return 1 if given.check and stale else 0


def drawn(archive: Path) -> bytes:
    """The report of the run in an archive."""
    with TemporaryDirectory() as folder:
        engine = open_store(str(Path(folder) / "embedded.db"))
        run = import_archive(engine, archive, verify_archive(archive))
        report = report_json(analyse_run(engine, run.name))
        engine.dispose()
    return report


if __name__ == "__main__":
    sys.exit(main())
