"""The noise floor: how far identical requests differ, per question and per scenario's pooled score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from jevbias.analysis.cells import Cells
from jevbias.analysis.dataset import Dataset
from jevbias.analysis.grid import Grid, read_grid
from jevbias.report import noise as report_noise
from jevbias.stats.pools import Pool, pool_cells
from jevbias.stats.ties import TIE

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

FEWEST_DEGREES = 8
"""Pools with fewer degrees of freedom give no p, and no model is called exact on fewer."""


@dataclass(frozen=True, eq=False)
class Noise:
    """Pools of repeats, over all conditions together; controls never enter.

    `exact`: every repeat of the whole run agreed, and there were enough of them to say so. `repeats` counts
    the degrees of freedom of repeated asks. `grid` is what the answers' decimals say.
    """

    dataset: Dataset
    cells: Cells
    grid: Grid
    exact: bool
    repeats: int
    _pools: dict[tuple[int, tuple[int, ...], bool], Pool] = field(default_factory=dict, repr=False)

    def question_pool(self, scenario: int, question: int) -> Pool:
        """Repeats of one question, given as positions."""
        return self.score_pool(scenario, (question,))

    def score_pool(self, scenario: int, questions: Sequence[int]) -> Pool:
        """Repeats of the mean over these questions, of the probes that answered all of them.

        Where answers lie on a grid, the SD is at least what rounding makes of it, except for an exact model.
        """
        return self._pool(scenario, tuple(questions), floored=not self.exact)

    def measured_pool(self, scenario: int, questions: Sequence[int]) -> Pool:
        """The same without the floor."""
        return self._pool(scenario, tuple(questions), floored=False)

    def testable(self, scenario: int, questions: Sequence[int]) -> tuple[int, ...]:
        """The questions whose mean has a pool of 8 degrees of freedom: these, but for those answered least.

        All of them where no part has such a pool, or where the model is exact and nothing is tested.
        """
        left = tuple(questions)
        if self.exact:
            return left
        values = self.dataset.probes.favourability[self.dataset.probes.scenario == scenario]
        answers = (~np.isnan(values)).sum(axis=0)
        while left:
            if self.measured_pool(scenario, left).degrees_of_freedom >= FEWEST_DEGREES:
                return left
            rarest = min(left, key=lambda question: (answers[question], -question))
            left = tuple(question for question in left if question != rarest)
        return tuple(questions)

    def _pool(self, scenario: int, questions: tuple[int, ...], *, floored: bool) -> Pool:
        key = (scenario, questions, floored)
        if key not in self._pools:
            if floored:
                pool = self._pool(scenario, questions, floored=False)
                pool = pool.at_least(self.grid.rounding_sd(scenario, questions))
            else:
                probes, cells = self.dataset.probes, self.cells
                values = probes.favourability[:, questions]
                kept = (probes.scenario == scenario) & ~cells.control[cells.probe_cell]
                kept &= ~np.isnan(values).any(axis=1)
                pool = pool_cells(values[kept].mean(axis=1), cells.probe_cell[kept])
            self._pools[key] = pool
        return self._pools[key]


def measure_noise(dataset: Dataset, cells: Cells) -> Noise:
    """Find the answers' grid and whether the model varies at all; pools are made when they are asked for."""
    probes = dataset.probes
    apart = (
        np.abs(probes.favourability - cells.mean[cells.probe_cell]) > TIE
    )  # False where an answer is missing
    repeats = int(np.maximum(_cell_sizes(dataset, cells) - 1, 0).sum())
    return Noise(
        dataset=dataset,
        cells=cells,
        grid=read_grid(dataset),
        exact=not apart.any() and repeats >= FEWEST_DEGREES,
        repeats=repeats,
    )


def noise_floor(noise: Noise, pooled: Sequence[Sequence[int]]) -> report_noise.NoiseFloor:
    """The report's section; `pooled` lists, per scenario, the questions that enter its pooled score."""
    dataset = noise.dataset
    by_question, by_scenario = {}, {}
    answer_pools, probe_pools = [], []
    measured_answers, measured_probes = [], []
    for scenario, key in enumerate(dataset.scenarios):
        for question, name in enumerate(dataset.questions[scenario]):
            pool = noise.question_pool(scenario, question)
            measured = noise.measured_pool(scenario, (question,))
            by_question[f"{key}.{name}"] = _row(f"noise/{key}.{name}", pool, measured)
            answer_pools.append(pool)
            measured_answers.append(measured)
        if pooled[scenario]:
            questions = noise.testable(scenario, pooled[scenario])
            pool = noise.score_pool(scenario, questions)
            measured = noise.measured_pool(scenario, questions)
            by_scenario[key] = _row(f"noise/{key}", pool, measured)
            probe_pools.append(pool)
            measured_probes.append(measured)
    question_cells = sum(pool.cells for pool in answer_pools)
    mean_sd = sum(pool.mean_sd * pool.cells for pool in answer_pools if pool.mean_sd is not None)
    return report_noise.NoiseFloor(
        answer_sd=_joint_sd(answer_pools),
        probe_sd=_joint_sd(probe_pools),
        mean_sd=mean_sd / question_cells if question_cells else None,
        cells=int((_cell_sizes(dataset, noise.cells) >= 2).sum()),
        degrees_of_freedom=noise.repeats,
        exact=noise.exact,
        grid_step=noise.grid.step,
        measured_answer_sd=_joint_sd(measured_answers),
        measured_probe_sd=_joint_sd(measured_probes),
        by_question=by_question,
        by_scenario=by_scenario,
    )


def _cell_sizes(dataset: Dataset, cells: Cells) -> IntArray:
    """How many probes of each cell were answered; 0 for controls."""
    counted = dataset.probes.answered & ~cells.control[cells.probe_cell]
    return np.bincount(cells.probe_cell[counted], minlength=cells.person.size)


def _joint_sd(pools: Sequence[Pool]) -> float | None:
    degrees = sum(pool.degrees_of_freedom for pool in pools)
    squares = sum(pool.sd**2 * pool.degrees_of_freedom for pool in pools if pool.sd is not None)
    return float(np.sqrt(squares / degrees)) if degrees else None


def _row(identifier: str, pool: Pool, measured: Pool) -> report_noise.NoisePool:
    return report_noise.NoisePool(
        id=identifier,
        sd=pool.sd,
        measured_sd=measured.sd,
        mean_sd=pool.mean_sd,
        cells=pool.cells,
        degrees_of_freedom=pool.degrees_of_freedom,
    )
