"""The method held against worlds whose truth is known: `python -m benchmarks.calibration`.

Prints, as Markdown, one row per kind of world and number of bases: how often null swaps are called worse or
better, how often intervals hold their targets, what power there is at the smallest detectable effects, and
the share of false discoveries when a tenth of the swaps is real. `--runs` and `--discovery-runs` set the
number of simulated runs, `--seed` where they start.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import sqrt
from multiprocessing import Pool
from typing import TypeVar

import numpy as np

from benchmarks.measured_runs import AnalysedRun, Figures, Verdicts
from benchmarks.simulated_runs import Shape, World, simulate_run

T = TypeVar("T")

BASES = (2, 3, 6, 16)
REAL = -0.06
"""The effect of the tenth of the swaps that is real: one of the three that show in the name, two others."""


@dataclass(frozen=True)
class Null:
    """A world in which no swap has an effect on people and cases in general.

    `on_questions`: nor on single questions, all people considered, so that their rows are null too.
    """

    name: str
    world: World
    on_questions: bool = True


SMALLEST_POOLS = Null("equal noise", World())
"""The null that is also tried with pools of 8 degrees of freedom per question, the fewest that give a p."""
_SMALL = Shape(2, anchor_replicates=3)

NULLS = (
    SMALLEST_POOLS,
    Null("noise by question", World(noise_by_question=True)),
    Null("unequal cell noise", World(unequal_cells=True)),
    Null("two decimals", World(noise=0.006, decimals=2)),
    Null("drift 0.03 over the run", World(drift=0.03)),
    Null("5% of answers, 5% of probes missing", World(missing=0.05, probes_missing=0.05)),
    Null("base × swap 0.01", World(base_swap=0.01)),
    Null("base × swap × scenario 0.01", World(base_swap_scenario=0.01)),
    Null("base × swap × scenario 0.02", World(base_swap_scenario=0.02)),
    Null("swap × scenario 0.02", World(swap_scenario=0.02), on_questions=False),
    Null("swap × scenario 0.05", World(swap_scenario=0.05), on_questions=False),
    Null("swap × scenario × variant 0.02", World(swap_scenario_variant=0.02), on_questions=False),
)


@dataclass
class Share:
    """How often something happened, of how many tries; the tries of one run stand together."""

    happened: float = 0.0
    tries: int = 0

    def add(self, outcomes: Iterable[float]) -> None:
        """Count the outcomes that are known."""
        values = np.asarray(outcomes, dtype=float)
        known = values[~np.isnan(values)]
        self.happened += float(known.sum())
        self.tries += known.size

    @property
    def share(self) -> float | None:
        """The share, None without tries."""
        return self.happened / self.tries if self.tries else None


@dataclass
class Row:
    """What one world showed at one number of bases, per family: index 0 pooled, 1 per question."""

    claimed: list[Share] = field(default_factory=lambda: [Share(), Share()])
    covered_noise: list[Share] = field(default_factory=lambda: [Share(), Share()])
    covered_people: list[Share] = field(default_factory=lambda: [Share(), Share()])
    covered_general: Share = field(default_factory=Share)
    power_noise: list[Share] = field(default_factory=lambda: [Share(), Share()])
    power_people: Share = field(default_factory=Share)
    power_people_adjusted: Share = field(default_factory=Share)
    below_05: list[Share] = field(default_factory=lambda: [Share(), Share()])
    below_1e4: list[Share] = field(default_factory=lambda: [Share(), Share()])

    def add(self, verdicts: Sequence[Verdicts], figures: Sequence[Figures]) -> None:
        """Count one run."""
        for number, (verdict, figure) in enumerate(zip(verdicts, figures, strict=True)):
            family = min(number, 1)
            self.claimed[family].add(verdict.claimed)
            self.covered_noise[family].add(figure.covered_noise)
            self.covered_people[family].add(figure.covered_people)
            self.covered_general.add(figure.covered_general)
            self.power_noise[family].add(figure.power_noise)
            self.power_people.add(figure.power_people)
            self.power_people_adjusted.add(figure.power_people_adjusted)
            known = figure.p_noise[~np.isnan(figure.p_noise)]
            self.below_05[family].add(known < 0.05)
            self.below_1e4[family].add(known < 1e-4)


@dataclass
class Discoveries:
    """False discovery proportions of worse and better, one per run, and how many real swaps were found."""

    proportions: list[float] = field(default_factory=list)
    power: Share = field(default_factory=Share)

    def add(self, blocks: Sequence[Verdicts]) -> None:
        """Count one family of one run."""
        found = np.concatenate([block.claimed for block in blocks])
        right = np.concatenate([block.right for block in blocks])
        real = np.concatenate([block.real for block in blocks])
        self.proportions.append(float((found & ~right).sum() / max(found.sum(), 1)))
        self.power.add(right[real])

    @property
    def mean(self) -> float:
        """The mean false discovery proportion."""
        return float(np.mean(self.proportions))

    @property
    def standard_error(self) -> float:
        """Its standard error over runs."""
        return float(np.std(self.proportions, ddof=1)) / sqrt(len(self.proportions))


Task = tuple[Shape, World, int]


def measure_null(shape: Shape, world: World, seeds: Iterable[int], workers: int) -> Row:
    """A world without real effects, over the seeds."""
    row = Row()
    for verdicts, figures in _over_seeds(_measure, shape, world, seeds, workers):
        row.add(verdicts, figures)
    return row


def measure_discoveries(
    shape: Shape, world: World, seeds: Iterable[int], workers: int
) -> tuple[Discoveries, Discoveries]:
    """A world in which a tenth of the swaps is real: pooled, per question."""
    pooled, per_question = Discoveries(), Discoveries()
    for verdicts in _over_seeds(_judge, shape, world, seeds, workers):
        pooled.add(verdicts[:1])
        per_question.add(verdicts[1:])
    return pooled, per_question


def _over_seeds(
    measure: Callable[[Task], T], shape: Shape, world: World, seeds: Iterable[int], workers: int
) -> Iterator[T]:
    tasks = [(shape, world, seed) for seed in seeds]
    if workers == 1:
        yield from map(measure, tasks)
        return
    with Pool(workers) as pool:
        yield from pool.imap_unordered(measure, tasks, chunksize=4)


def _measure(task: Task) -> tuple[list[Verdicts], list[Figures]]:
    analysed = AnalysedRun(simulate_run(*task))
    return analysed.verdicts(), analysed.figures()


def _judge(task: Task) -> list[Verdicts]:
    return AnalysedRun(simulate_run(*task)).verdicts()


def main() -> None:
    """Run the table and print it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--runs", type=int, default=400, help="simulated runs per null and number of bases")
    parser.add_argument("--discovery-runs", type=int, default=2000, help="runs with a tenth of swaps real")
    parser.add_argument("--bases", type=int, nargs="+", default=list(BASES))
    parser.add_argument("--nulls", default="", help="only those whose name holds this")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    asked = parser.parse_args()
    nulls = [null for null in NULLS if asked.nulls in null.name]
    seeds = range(asked.seed, asked.seed + asked.runs)
    if seeds:
        _say(_NULL_HEADINGS)
    for null in nulls if seeds else ():
        for bases in asked.bases:
            _say(_null_row(null, bases, measure_null(Shape(bases), null.world, seeds, asked.workers)))
    if seeds and SMALLEST_POOLS in nulls:
        found = measure_null(_SMALL, SMALLEST_POOLS.world, seeds, asked.workers)
        _say(_null_row(replace(SMALLEST_POOLS, name="equal noise, pools of 8"), _SMALL.bases, found))
    seeds = range(asked.seed, asked.seed + asked.discovery_runs)
    if seeds:
        _say(f"\n{_DISCOVERY_HEADINGS}")
    for null in nulls if seeds else ():
        world = replace(null.world, real=REAL)
        for bases in asked.bases:
            found_real = measure_discoveries(Shape(bases, questions=(1,) * 8), world, seeds, asked.workers)
            _say(_discovery_row(null, bases, found_real))


_NULL_HEADINGS = (
    "| null | bases | worse or better, pooled | per question | ci_noise | per question | ci_people | "
    "per question | ci_general | power at mde_noise | at mde_people | adjusted | p < .05 | p < 1e-4 |\n"
    "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|"
)
_DISCOVERY_HEADINGS = (
    "| null, with a tenth of the swaps at -0.06 | bases | FDP pooled | found | FDP per question | found |\n"
    "|---|---|---|---|---|---|"
)


def _null_row(null: Null, bases: int, row: Row) -> str:
    figures = (
        row.claimed[0],
        row.claimed[1] if null.on_questions else None,
        row.covered_noise[0],
        row.covered_noise[1],
        row.covered_people[0],
        row.covered_people[1],
        row.covered_general,
        row.power_noise[0],
        row.power_people,
        row.power_people_adjusted,
        row.below_05[0] if not null.world.has_effects else None,
        row.below_1e4[0] if not null.world.has_effects else None,
    )
    return f"| {null.name} | {bases} | {' | '.join(_percent(figure) for figure in figures)} |"


def _discovery_row(null: Null, bases: int, found: tuple[Discoveries, Discoveries]) -> str:
    cells = [
        cell
        for family, discoveries in enumerate(found)
        for cell in (
            (
                f"{100 * discoveries.mean:.2f}% ± {100 * discoveries.standard_error:.2f}",
                _percent(discoveries.power),
            )
            if family == 0 or null.on_questions
            else ("–", "–")
        )
    ]
    return f"| {null.name} | {bases} | {' | '.join(cells)} |"


def _percent(figure: Share | None) -> str:
    return "–" if figure is None or figure.share is None else f"{100 * figure.share:.2f}%"


def _say(line: str) -> None:
    print(line, flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
