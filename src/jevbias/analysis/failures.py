"""Failures are data: what has no usable answer, and whether that befell one group more often than another."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from jevbias.analysis.cells import Cells
from jevbias.analysis.dataset import Dataset
from jevbias.catalogue.models import VARIANTS
from jevbias.report.comparison import comparison_id
from jevbias.report.failures import FailureRow, Failures
from jevbias.stats.arrays import BoolArray, IntArray
from jevbias.stats.multiplicity import benjamini_hochberg
from jevbias.stats.paired_binary import mcnemar_exact


def judge_failures(dataset: Dataset, cells: Cells) -> Failures:
    """The report's section. Probes that are not finished count nowhere."""
    unusable = dataset.probes.finished & ~dataset.probes.answered
    return Failures(
        by_status=dict(dataset.outcomes.by_status),
        by_kind=dict(dataset.outcomes.by_kind),
        missing_answers=_missing_answers(dataset),
        by_level=_rows_by_level(dataset, cells, unusable) if unusable.any() else [],
    )


def _missing_answers(dataset: Dataset) -> dict[str, int]:
    probes = dataset.probes
    missing: dict[str, int] = {}
    for scenario, key in enumerate(dataset.scenarios):
        chosen = probes.answered & (probes.scenario == scenario)
        numbers = np.isnan(probes.favourability[chosen]).sum(axis=0).tolist()
        missing |= {
            f"{key}.{name}": number
            for name, number in zip(dataset.questions[scenario], numbers, strict=False)
            if number
        }
    return missing


def _rows_by_level(dataset: Dataset, cells: Cells, unusable: BoolArray) -> list[FailureRow]:
    """One row per condition and swap that the model could see there.

    Placebos get a p and stay out of the family that q is adjusted over, as everywhere.
    """
    counts = _count_by_level(dataset, cells, unusable)
    attributes = dataset.catalogue.attributes
    seen = [
        (place, number)
        for place, condition in enumerate(dataset.conditions)
        for number, swap in enumerate(dataset.swaps)
        if attributes[swap.attribute].visible_in(condition)
    ]
    if not seen:
        return []
    columns = [values[tuple(zip(*seen, strict=True))] for values in counts]
    found = _Counts(*columns)
    p = np.where(found.pairs > 0, mcnemar_exact(found.only_swap, found.only_anchor), np.nan)
    placebo = [attributes[dataset.swaps[number].attribute].role == "placebo" for _, number in seen]
    q = benjamini_hochberg(np.where(placebo, np.nan, p))
    rows = []
    for row, (place, number) in enumerate(seen):
        condition, swap = dataset.conditions[place], dataset.swaps[number]
        rows.append(
            FailureRow(
                id=f"failures/{comparison_id(condition, swap.attribute, swap.level)}",
                condition=condition,
                attribute=swap.attribute,
                level=swap.level,
                p=None if np.isnan(p[row]) else float(p[row]),
                q=None if np.isnan(q[row]) else float(q[row]),
                significant=bool(q[row] < dataset.facts.alpha),
                **{key: int(values[row]) for key, values in found._asdict().items()},
            )
        )
    return rows


class _Counts(NamedTuple):
    """Numbers by condition and swap, or row by row, under the names they have in the report."""

    probes: IntArray
    unusable: IntArray
    anchor_probes: IntArray
    anchor_unusable: IntArray
    pairs: IntArray
    only_swap: IntArray
    only_anchor: IntArray


def _count_by_level(dataset: Dataset, cells: Cells, unusable: BoolArray) -> _Counts:
    """Count probes and pairs, (conditions, swaps).

    A swap is usually asked once and its anchor often, so that "every probe of the cell" would be another
    event on either side: a pair compares the first probe of both.
    """
    probes, number = dataset.probes, cells.person.size
    finished = np.bincount(cells.probe_cell[probes.finished], minlength=number)
    lost = np.bincount(cells.probe_cell[unusable], minlength=number)
    first = probes.replicate == 0
    first_finished, first_lost = np.zeros(number, dtype=bool), np.zeros(number, dtype=bool)
    first_finished[cells.probe_cell[first & probes.finished]] = True
    first_lost[cells.probe_cell[first & unusable]] = True

    swaps, anchors = _cell_pairs(dataset, cells)
    both = first_finished[swaps] & first_finished[anchors]
    shape = (len(dataset.conditions), len(dataset.swaps))

    def by_level(cell: IntArray, weights: IntArray | BoolArray) -> IntArray:
        code = cells.condition[cell] * shape[1] + dataset.swap[cells.person[cell]]
        return np.rint(np.bincount(code, weights, shape[0] * shape[1])).astype(np.int64).reshape(shape)

    every_swap = np.flatnonzero(dataset.swap[cells.person] >= 0)
    return _Counts(
        probes=by_level(every_swap, finished[every_swap]),
        unusable=by_level(every_swap, lost[every_swap]),
        anchor_probes=by_level(swaps, finished[anchors]),
        anchor_unusable=by_level(swaps, lost[anchors]),
        pairs=by_level(swaps, both),
        only_swap=by_level(swaps, both & first_lost[swaps] & ~first_lost[anchors]),
        only_anchor=by_level(swaps, both & ~first_lost[swaps] & first_lost[anchors]),
    )


def _cell_pairs(dataset: Dataset, cells: Cells) -> tuple[IntArray, IntArray]:
    """The cells of swaps, each beside its anchor's: same base, scenario, variant and condition."""
    base = np.unique(dataset.base[cells.person], return_inverse=True)[1].ravel()
    keys = (base, cells.scenario, cells.variant, cells.condition)
    sizes = (base.max(initial=0) + 1, len(dataset.scenarios), len(VARIANTS), len(dataset.conditions))
    anchor_cell = np.full(sizes, -1)
    anchors = np.flatnonzero(dataset.is_anchor[cells.person])
    anchor_cell[tuple(key[anchors] for key in keys)] = anchors
    swaps = np.flatnonzero(dataset.swap[cells.person] >= 0)
    beside = anchor_cell[tuple(key[swaps] for key in keys)]
    return swaps[beside >= 0], beside[beside >= 0]
