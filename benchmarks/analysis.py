"""Time and memory of an analysis: `python -m benchmarks.analysis`.

Analyses runs made in memory, of the deep profile's shape (12,000 probes, 52,500 answers, 7,920 comparisons),
once complete and once with 2% of the probes missing, and one of a million answers. CPU seconds are of one
process, start-up and loading apart; each figure is the best of `--repeats`. `--million` makes the large run
alone, as its memory only means something in a process of its own.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time

import numpy as np

from benchmarks.simulated_runs import Shape, World, deep, simulate_run
from jevbias.analysis.analyse import analyse

MILLION = 119
"""Bases of the deep profile that make a million answers."""


def main() -> None:
    """Measure and print Markdown."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--million", action="store_true", help="only the run of a million answers")
    asked = parser.parse_args()
    if asked.million:
        _say(_measure("a million answers", deep(MILLION), World(decimals=2), 1))
        return
    _say("| run | answers | comparisons | CPU | wall | peak memory |\n|---|---|---|---|---|---|")
    _say(_measure("deep", deep(6), World(decimals=2), asked.repeats))
    _say(_measure("deep, 2% missing", deep(6), World(decimals=2, probes_missing=0.02), asked.repeats))
    command = [sys.executable, "-m", "benchmarks.analysis", "--million"]
    _say(subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip())  # noqa: S603


def _measure(name: str, shape: Shape, world: World, repeats: int) -> str:
    dataset = simulate_run(shape, world, seed=1).dataset
    answers = int((~np.isnan(dataset.probes.favourability)).sum())
    cpu, wall, rows = [], [], 0
    for _ in range(repeats):
        started, clock = time.process_time(), time.perf_counter()
        rows = len(analyse(dataset).comparisons)
        cpu.append(time.process_time() - started)
        wall.append(time.perf_counter() - clock)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    return f"| {name} | {answers:,} | {rows:,} | {min(cpu):.2f} s | {min(wall):.2f} s | {peak:.2f} GB |"


def _say(line: str) -> None:
    print(line, flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
