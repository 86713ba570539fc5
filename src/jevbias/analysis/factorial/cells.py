"""Two attributes at once: the mean of everyone who has both levels, and the pairs that nobody has."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np

from jevbias.analysis.dataset import Dataset
from jevbias.analysis.factorial.levels import Factor
from jevbias.analysis.factorial.person_means import PersonMeans
from jevbias.report.factorial import CellMean
from jevbias.stats.cell_means import tabulate

Pair = tuple[Factor, Factor]


def carried_by_names(factors: Sequence[Factor]) -> Pair | None:
    """The two attributes that a name carries: gender and name culture. None without both."""
    by_carrier = {factor.attribute.carried_by: factor for factor in factors}
    if "name" not in by_carrier or "name_and_field" not in by_carrier:
        return None
    return by_carrier["name_and_field"], by_carrier["name"]


def cell_means(dataset: Dataset, means: PersonMeans, pair: Pair) -> list[CellMean]:
    """The pooled favourability of every pair of levels, in every condition, empty cells included.

    Intervals are by t, from the spread of people within all cells of the condition.
    """
    first, second = pair
    rows = []
    for condition, name in enumerate(dataset.conditions):
        column = means.pooled(condition)
        values = means.values[:, column]
        known = ~np.isnan(values) & (first.codes >= 0) & (second.codes >= 0)
        cells = first.codes[known] * len(second.levels) + second.codes[known]
        table = tabulate(values[known], cells, len(first.levels) * len(second.levels))
        centre, half = table.mean + means.level[column], table.half_width
        for cell, levels in enumerate(product(first.levels, second.levels)):
            whole = not np.isnan(half[cell])
            rows.append(
                CellMean(
                    id=f"cells/{name}/{pair_name(pair, levels)}",
                    condition=name,
                    levels={first.key: levels[0], second.key: levels[1]},
                    people=int(table.people[cell]),
                    mean=float(centre[cell]) if table.people[cell] else None,
                    interval=(centre[cell] - half[cell], centre[cell] + half[cell]) if whole else None,
                )
            )
    return rows


def empty_cells(pair: Pair) -> list[str]:
    """The pairs of levels that nobody of the run has."""
    first, second = pair
    have = set(zip(first.codes.tolist(), second.codes.tolist(), strict=True))
    coded = product(enumerate(first.levels), enumerate(second.levels))
    return [pair_name(pair, (one, other)) for (i, one), (j, other) in coded if (i, j) not in have]


def pair_name(pair: Pair, levels: tuple[str, str]) -> str:
    """`gender=woman+name_culture=jewish`."""
    return "+".join(f"{factor.key}={level}" for factor, level in zip(pair, levels, strict=True))
