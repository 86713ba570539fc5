"""The decimal grid that a run's answers lie on, question by question."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from jevbias.analysis.dataset import Dataset
from jevbias.stats.grid import FEWEST_ANSWERS, count_strays, decimal_step, informative, rounding_sd


@dataclass(frozen=True)
class Grid:
    """`step` is that of the run's numbers as they were sent, None without one.

    `steps` holds, per scenario and question, the step behind its answers, and `strays` how many yes/no
    answers lie off the step of their question.
    """

    step: float | None
    steps: tuple[tuple[float | None, ...], ...]
    strays: int

    def rounding_sd(self, scenario: int, questions: Sequence[int]) -> float:
        """The SD that rounding alone gives the mean over these questions; 0 without a grid."""
        steps = [self.steps[scenario][question] for question in questions]
        parts = (rounding_sd(step) for step in steps if step is not None)
        return math.hypot(*parts) / len(steps) if steps else 0.0


def read_grid(dataset: Dataset) -> Grid:
    """Read the grid off the yes/no answers, which come back as the numbers they are.

    Each yes/no question is judged by its own answers. Scores and choices are made of numbers sent in the same
    way, so they take the step of all yes/no answers together, as does a yes/no question whose answers sit at
    0 and 1.
    """
    nouls = {
        (scenario, place): informative(
            dataset.probes.favourability[dataset.probes.scenario == scenario, place]
        )
        for scenario, key in enumerate(dataset.scenarios)
        for place, asked in enumerate(dataset.catalogue.scenarios[key].questions.values())
        if asked.kind == "noul"
    }
    run_step = decimal_step(np.concatenate(list(nouls.values()))) if nouls else None
    own = {place: values for place, values in nouls.items() if values.size >= FEWEST_ANSWERS}
    found = {place: decimal_step(values) for place, values in own.items()}
    return Grid(
        step=run_step,
        steps=tuple(
            tuple(found.get((scenario, question), run_step) for question in range(len(names)))
            for scenario, names in enumerate(dataset.questions)
        ),
        strays=sum(count_strays(own[place], step) for place, step in found.items() if step is not None),
    )
