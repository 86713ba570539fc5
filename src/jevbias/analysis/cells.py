"""Probes become cells: one person × one scenario × one variant × one condition."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from jevbias.analysis.dataset import Dataset
from jevbias.stats.arrays import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Cells:
    """Columns over cells in canonical order; `probe_cell` (probes,) says where each probe belongs.

    `mean` and `count` are (cells, questions): the mean favourability of the probes that answered the question
    (NaN for none) and their number. `control` marks the cells of swaps that the model could not see.
    """

    person: IntArray
    scenario: IntArray
    variant: IntArray
    condition: IntArray
    mean: FloatArray
    count: IntArray
    control: BoolArray
    probe_cell: IntArray


def build_cells(dataset: Dataset) -> Cells:
    """Gather the replicates of every cell; each question is averaged over the probes that answered it."""
    probes = dataset.probes
    keys = np.stack([probes.person, probes.scenario, probes.variant, probes.condition])
    starts = np.ones(keys.shape[1], dtype=bool)
    starts[1:] = np.any(keys[:, 1:] != keys[:, :-1], axis=0)
    probe_cell = np.cumsum(starts) - 1
    number = int(starts.sum())
    count = np.zeros((number, probes.favourability.shape[1]), dtype=np.int64)
    total = np.zeros(count.shape)
    for column in range(count.shape[1]):
        values = probes.favourability[:, column]
        known = ~np.isnan(values)
        count[:, column] = np.bincount(probe_cell[known], minlength=number)
        total[:, column] = np.bincount(probe_cell[known], weights=values[known], minlength=number)
    mean = np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)
    person, scenario, variant, condition = keys[:, starts]
    return Cells(
        person, scenario, variant, condition, mean, count, _controls(dataset, person, condition), probe_cell
    )


def _controls(dataset: Dataset, person: IntArray, condition: IntArray) -> BoolArray:
    hidden = np.zeros((len(dataset.swaps) + 1, len(dataset.conditions)), dtype=bool)
    for row, swap in enumerate(dataset.swaps):
        attribute = dataset.catalogue.attributes[swap.attribute]
        hidden[row] = [not attribute.visible_in(condition) for condition in dataset.conditions]
    # The last row, which -1 finds, stands for people who are no swap.
    return np.asarray(hidden[dataset.swap[person], condition], dtype=bool)
