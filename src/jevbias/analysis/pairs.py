"""Swaps beside their anchors: the same base, scenario, variant and condition, one difference per question."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jevbias.analysis.cells import Cells
from jevbias.analysis.dataset import Dataset, Swap
from jevbias.catalogue.models import Condition

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Pairs:
    """Every comparison of a run (a condition and a swap) against its anchors.

    The arrays are (comparisons, bases, scenarios, questions): `difference` is the swap's cell mean minus the
    anchor's in favourability (NaN unless both answered), `swap_asks` and `anchor_asks` how many probes stand
    behind each. `bases` holds the anchors' numbers, ascending.
    """

    comparisons: tuple[tuple[Condition, Swap], ...]
    bases: tuple[int, ...]
    difference: FloatArray
    swap_asks: IntArray
    anchor_asks: IntArray


def pair_cells(dataset: Dataset, cells: Cells) -> Pairs:
    """Put every swap's cell beside its anchor's. A base faces one variant per scenario, as planned."""
    comparisons = tuple((condition, swap) for condition in dataset.conditions for swap in dataset.swaps)
    bases = np.unique(dataset.base[dataset.base >= 0])
    sizes = (len(dataset.conditions), bases.size, len(dataset.scenarios))
    base = np.searchsorted(bases, dataset.base[cells.person])
    is_swap = dataset.swap[cells.person] >= 0
    is_anchor = dataset.is_anchor[cells.person]

    anchor_cell = np.full((*sizes, int(cells.variant.max(initial=0)) + 1), -1)
    anchor_cell[
        cells.condition[is_anchor], base[is_anchor], cells.scenario[is_anchor], cells.variant[is_anchor]
    ] = np.flatnonzero(is_anchor)
    swaps = np.flatnonzero(is_swap)
    anchors = anchor_cell[cells.condition[swaps], base[swaps], cells.scenario[swaps], cells.variant[swaps]]
    swaps, anchors = swaps[anchors >= 0], anchors[anchors >= 0]

    comparison = cells.condition[swaps] * len(dataset.swaps) + dataset.swap[cells.person[swaps]]
    place = (comparison, base[swaps], cells.scenario[swaps])
    shape = (len(comparisons), *sizes[1:], cells.mean.shape[1])
    difference = np.full(shape, np.nan)
    swap_asks, anchor_asks = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    difference[place] = cells.mean[swaps] - cells.mean[anchors]
    swap_asks[place], anchor_asks[place] = cells.count[swaps], cells.count[anchors]
    return Pairs(comparisons, tuple(bases.tolist()), difference, swap_asks, anchor_asks)
