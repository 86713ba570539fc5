"""Decisions at the declared threshold: yes/no questions, a swap beside its anchor."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from jevbias.analysis.cells import Cells
from jevbias.analysis.dataset import Dataset
from jevbias.analysis.figures import figures
from jevbias.analysis.pairs import Pairs
from jevbias.report.comparison import Decisions
from jevbias.stats.arrays import IntArray
from jevbias.stats.decisions import DecidedCells, compare_decisions
from jevbias.stats.ties import TIE

CLOSEST = 0.0005
"""How near to 0 or 1 a mean answer may come in a logit, where no grid of decimals says."""
DecisionFigures = dict[str, float | None]
_COLUMNS = tuple(Decisions.model_fields)


@dataclass(frozen=True, eq=False)
class CellDecisions:
    """A run's cells with their answers at or above the threshold, `favourable` (cells, questions)."""

    dataset: Dataset
    cells: Cells
    favourable: IntArray

    def side(self, chosen: IntArray, question: int) -> DecidedCells:
        """What the cells at these places (comparisons, bases) decided; -1 stands for none."""
        present = chosen >= 0
        return DecidedCells(
            asks=np.where(present, self.cells.count[chosen, question], 0),
            favourable=np.where(present, self.favourable[chosen, question], 0),
            mean=np.where(present, self.cells.mean[chosen, question], np.nan),
        )


def count_decisions(dataset: Dataset, cells: Cells) -> CellDecisions:
    """Count every cell's favourable decisions, for all questions at once; ties with the threshold count."""
    favourable = np.zeros_like(cells.count)
    decided = dataset.probes.favourability >= dataset.facts.threshold - TIE
    for question in range(favourable.shape[1]):
        found = cells.probe_cell[decided[:, question]]
        favourable[:, question] = np.bincount(found, minlength=len(favourable))
    return CellDecisions(dataset, cells, favourable)


def decision_columns(
    decisions: CellDecisions, pairs: Pairs, place: tuple[int, int], step: float | None
) -> list[DecisionFigures | None]:
    """The fields of `Decisions` for every comparison on one question, given as the positions of its scenario
    and itself.

    None without a pair, and throughout where the question is not answered by yes or no. `step` is that of the
    grid its answers lie on: logits stay half a step, else 0.0005, away from certainty.
    """
    scenario, question = place
    dataset = decisions.dataset
    asked = dataset.catalogue.scenarios[dataset.scenarios[scenario]].questions
    if asked[dataset.questions[scenario][question]].kind != "noul":
        return [None] * len(pairs.comparisons)
    compared = compare_decisions(
        decisions.side(pairs.swap_cell[:, :, scenario], question),
        decisions.side(pairs.anchor_cell[:, :, scenario], question),
        CLOSEST if step is None else step / 2.0,
    )
    columns = [figures(getattr(compared, name)) for name in _COLUMNS]
    return [
        None if row[0] is None else dict(zip(_COLUMNS, row, strict=True))
        for row in zip(*columns, strict=True)
    ]
