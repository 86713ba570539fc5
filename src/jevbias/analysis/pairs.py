"""Swaps beside their anchors: the same base, scenario, variant and condition, one difference per question."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from jevbias.analysis.cells import Cells
from jevbias.analysis.dataset import Dataset, Swap
from jevbias.catalogue.models import Condition
from jevbias.report.comparison import comparison_id
from jevbias.stats.arrays import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Pairs:
    """Every comparison of a run (a condition and a swap) against its anchors.

    The arrays are (comparisons, bases, scenarios, questions): `difference` is the swap's cell mean minus the
    anchor's in favourability (NaN unless both answered), `swap_asks` and `anchor_asks` how many probes stand
    behind each. `swap_cell` and `anchor_cell` (comparisons, bases, scenarios) are the two cells of a pair, -1
    where one of them was never planned. `bases` holds the anchors' numbers, ascending. `visible` and
    `placebo` (comparisons,) say whether the model could see the swap and whether it is one of the irrelevant
    ones.
    """

    comparisons: tuple[tuple[Condition, Swap], ...]
    visible: BoolArray
    placebo: BoolArray
    bases: tuple[int, ...]
    difference: FloatArray
    swap_asks: IntArray
    anchor_asks: IntArray
    swap_cell: IntArray
    anchor_cell: IntArray

    @property
    def ids(self) -> tuple[str, ...]:
        """The comparisons' ids in the report, pooled."""
        return tuple(comparison_id(condition, *swap) for condition, swap in self.comparisons)


def pair_cells(dataset: Dataset, cells: Cells) -> Pairs:
    """Put every swap's cell beside its anchor's. A base faces one variant per scenario, as planned."""
    attributes = dataset.catalogue.attributes
    comparisons = tuple(
        (condition, swap)
        for condition in dataset.conditions
        for swap in dataset.swaps
        if attributes[swap.attribute].role == "person" or attributes[swap.attribute].visible_in(condition)
    )
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

    row = np.full((len(dataset.conditions), len(dataset.swaps)), -1)
    for number, (condition, swap) in enumerate(comparisons):
        row[dataset.conditions.index(condition), dataset.swaps.index(swap)] = number
    comparison = row[cells.condition[swaps], dataset.swap[cells.person[swaps]]]
    # A placebo may have been asked where nobody sees it; such a cell is no part of any comparison.
    swaps, anchors, comparison = (column[comparison >= 0] for column in (swaps, anchors, comparison))
    place = (comparison, base[swaps], cells.scenario[swaps])
    shape = (len(comparisons), *sizes[1:], cells.mean.shape[1])
    difference = np.full(shape, np.nan)
    swap_asks, anchor_asks = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    swap_cell, anchor_of_swap = np.full(shape[:-1], -1), np.full(shape[:-1], -1)
    swap_cell[place], anchor_of_swap[place] = swaps, anchors
    difference[place] = cells.mean[swaps] - cells.mean[anchors]
    swap_asks[place], anchor_asks[place] = cells.count[swaps], cells.count[anchors]
    visible = [attributes[swap.attribute].visible_in(condition) for condition, swap in comparisons]
    placebo = [attributes[swap.attribute].role == "placebo" for _, swap in comparisons]
    return Pairs(
        comparisons=comparisons,
        visible=np.array(visible, dtype=bool),
        placebo=np.array(placebo, dtype=bool),
        bases=tuple(bases.tolist()),
        difference=difference,
        swap_asks=swap_asks,
        anchor_asks=anchor_asks,
        swap_cell=swap_cell,
        anchor_cell=anchor_of_swap,
    )
