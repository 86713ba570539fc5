"""Time and memory of planning a run and storing the plan: `python -m benchmarks.plan`.

Plans the deep profile with so many anchors that it has some 12,000 and some 1,000,000 probes, and stores each
plan as a run of a new SQLite database. Each measurement is a process of its own, because its memory only
means something there; start-up is left out of the times, not of the memory. The small plan is measured
`--repeats` times and the median shown.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from jevbias.catalogue.load import load_catalogue
from jevbias.catalogue.lookup import find_profile
from jevbias.plan.build import build_plan
from jevbias.plan.narrow import Narrowing, narrow_profile
from jevbias.store.engine import open_store
from jevbias.store.runs import create_run

SMALL = 6
"""Anchors of the deep profile."""
LARGE = 508
"""Anchors with which it has a million probes."""


def main() -> None:
    """Measure and print Markdown."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--bases", type=int, help="only one plan, of so many anchors, as JSON")
    asked = parser.parse_args()
    if asked.bases is not None:
        _say(json.dumps(_measure(asked.bases)))
        return
    _say("| probes | planned | stored | both | CPU | peak memory | database |\n|---|---|---|---|---|---|---|")
    for bases, repeats in ((SMALL, asked.repeats), (LARGE, 1)):
        found = [_in_its_own_process(bases) for _ in range(repeats)]
        _say(_row({name: median(one[name] for one in found) for name in found[0]}))


def _in_its_own_process(bases: int) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.plan", "--bases", str(bases)]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout  # noqa: S603
    found: dict[str, float] = json.loads(printed)
    return found


def _measure(bases: int) -> dict[str, float]:
    catalogue = load_catalogue(None)
    name, profile = find_profile(catalogue, "jev-latest-deep")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "plan.db"
        engine = open_store(str(file))
        clock, started = time.process_time(), time.perf_counter()
        plan = build_plan(
            catalogue, name, narrow_profile(catalogue, name, profile, Narrowing(bases=bases)), seed=1
        )
        planned = time.perf_counter()
        create_run(
            engine,
            plan,
            name="plan",
            driver="local",
            model="none",
            base_url="embedded",
            margin=0.02,
            alpha=0.05,
            settings={},
        )
        stored = time.perf_counter()
        engine.dispose()
        return {
            "probes": len(plan.probes),
            "planned": planned - started,
            "stored": stored - planned,
            "cpu": time.process_time() - clock,
            "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
            "database": file.stat().st_size,
        }


def _row(found: dict[str, float]) -> str:
    both = found["planned"] + found["stored"]
    return (
        f"| {found['probes']:,.0f} | {found['planned']:.2f} s | {found['stored']:.2f} s | {both:.2f} s | "
        f"{found['cpu']:.2f} s | {found['memory'] / 1e6:.0f} MB | {found['database'] / 1e6:.1f} MB |"
    )


def _say(line: str) -> None:
    print(line, flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
