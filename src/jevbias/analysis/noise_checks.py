"""Whether one pool of noise may stand for all: by condition, and for swapped people as for anchors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from jevbias.analysis.noise import Noise
from jevbias.report.noise import ConditionRatio, NoisePool, NoiseRatio
from jevbias.stats.arrays import BoolArray, FloatArray
from jevbias.stats.pools import joint_mean_sd, joint_sd, pool_cells
from jevbias.stats.spread_ratio import CellSpreads, cell_spreads, spread_ratio


def probe_scores(noise: Noise, questions: Sequence[Sequence[int]]) -> FloatArray:
    """Every probe's mean over the questions (positions, per scenario) given for its scenario; (probes,).

    NaN unless it answered all of them.
    """
    probes = noise.dataset.probes
    scores = np.full(probes.scenario.size, np.nan)
    for scenario, chosen in enumerate(questions):
        if chosen:
            here = probes.scenario == scenario
            scores[here] = probes.favourability[np.ix_(here, list(chosen))].mean(axis=1)
    return scores


def noise_by_condition(
    noise: Noise, scores: FloatArray, questions: Sequence[Sequence[int]]
) -> dict[str, NoisePool]:
    """Noise of the probes' `scores` within each condition, over all scenarios; controls never enter.

    As elsewhere, `sd` is raised scenario by scenario to what rounding makes, except for an exact model.
    """
    dataset, cells = noise.dataset, noise.cells
    rows: dict[str, NoisePool] = {}
    for place, condition in enumerate(dataset.conditions):
        pools, raised = [], []
        for scenario, chosen in enumerate(questions):
            kept = _repeats(noise, scores, place) & (dataset.probes.scenario == scenario)
            pool = pool_cells(scores[kept], cells.probe_cell[kept])
            floor = 0.0 if noise.exact else noise.grid.rounding_sd(scenario, chosen)
            pools.append(pool)
            raised.append(pool.at_least(floor))
        rows[condition] = NoisePool(
            id=f"noise/condition/{condition}",
            sd=joint_sd(raised),
            measured_sd=joint_sd(pools),
            mean_sd=joint_mean_sd(pools),
            cells=sum(pool.cells for pool in pools),
            degrees_of_freedom=sum(pool.degrees_of_freedom for pool in pools),
        )
    return rows


def condition_ratios(noise: Noise, scores: FloatArray) -> list[ConditionRatio]:
    """The measured noise of every condition against that of the richest, where both can be told."""
    dataset = noise.dataset
    spreads = []
    for place in range(len(dataset.conditions)):
        spreads.append(_spreads(noise, scores, _repeats(noise, scores, place)))
    ratios = []
    for condition, spread in zip(dataset.conditions[:-1], spreads, strict=False):
        found = spread_ratio(spread, spreads[-1])
        if found is not None:
            ratios.append(
                ConditionRatio(
                    id=f"noise/condition/{condition}/ratio",
                    condition=condition,
                    against=dataset.conditions[-1],
                    ratio=found.ratio,
                    interval=found.interval,
                )
            )
    return ratios


def swapped_against_anchor(noise: Noise, scores: FloatArray) -> NoiseRatio | None:
    """The noise of swaps' repeats against that of anchors' repeats in the richest condition, over the
    scenarios in which both were repeated. None where nobody is a swap or nothing was planned.

    The ratio is None with fewer than 3 cells on a side, and where one side does not vary.
    """
    dataset = noise.dataset
    if not dataset.swaps or not dataset.conditions:
        return None
    people = dataset.probes.person
    swapped = dataset.swap[people] >= 0
    anchored = dataset.is_anchor[people]
    swaps, anchors = [], []
    for scenario in range(len(dataset.scenarios)):
        kept = _repeats(noise, scores, len(dataset.conditions) - 1) & (dataset.probes.scenario == scenario)
        swap, anchor = (_spreads(noise, scores, kept & who) for who in (swapped, anchored))
        if swap.cells and anchor.cells:
            swaps.append(swap)
            anchors.append(anchor)
    joined_swaps, joined_anchors = CellSpreads.joined(swaps), CellSpreads.joined(anchors)
    found = spread_ratio(joined_swaps, joined_anchors)
    return NoiseRatio(
        id="noise/swapped",
        condition=dataset.conditions[-1],
        ratio=found.ratio if found else None,
        interval=found.interval if found else None,
        swap_cells=joined_swaps.cells,
        anchor_cells=joined_anchors.cells,
    )


def _repeats(noise: Noise, scores: FloatArray, condition: int) -> BoolArray:
    """The scored probes of this condition, controls apart."""
    cells = noise.cells
    kept: BoolArray = (noise.dataset.probes.condition == condition) & ~np.isnan(scores)
    return kept & ~cells.control[cells.probe_cell]


def _spreads(noise: Noise, scores: FloatArray, kept: BoolArray) -> CellSpreads:
    return cell_spreads(scores[kept], noise.cells.probe_cell[kept])
