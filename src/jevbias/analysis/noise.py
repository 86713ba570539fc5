"""Pools of noise: how far identical requests differ, per question and per scenario's pooled score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from jevbias.analysis.cells import Cells
from jevbias.analysis.dataset import Dataset
from jevbias.analysis.grid import Grid, read_grid
from jevbias.stats.pools import FEWEST_DEGREES, Pool, pool_cells
from jevbias.stats.ties import TIE


@dataclass(frozen=True, eq=False)
class Noise:
    """Pools of repeats, over all conditions together; controls never enter.

    `exact`: every repeat of the whole run agreed, and there were enough of them to say so. `repeats` counts
    the degrees of freedom of the `repeated_cells`. `grid` is what the answers' decimals say.
    """

    dataset: Dataset
    cells: Cells
    grid: Grid
    exact: bool
    repeats: int
    repeated_cells: int
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
    counted = probes.answered & ~cells.control[cells.probe_cell]
    sizes = np.bincount(cells.probe_cell[counted], minlength=cells.person.size)
    repeats = int(np.maximum(sizes - 1, 0).sum())
    return Noise(
        dataset=dataset,
        cells=cells,
        grid=read_grid(dataset),
        exact=not apart.any() and repeats >= FEWEST_DEGREES,
        repeats=repeats,
        repeated_cells=int((sizes >= 2).sum()),
    )
