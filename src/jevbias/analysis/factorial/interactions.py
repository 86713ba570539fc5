"""Do two levels together do more, or less, than the sum of what each does?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product

import numpy as np

from jevbias.analysis.dataset import Dataset
from jevbias.analysis.factorial.cells import Pair, pair_name
from jevbias.analysis.factorial.levels import Factor
from jevbias.analysis.factorial.person_means import PersonMeans
from jevbias.people.keyed import keyed_bytes
from jevbias.report.factorial import Interaction
from jevbias.stats.arrays import FloatArray
from jevbias.stats.cell_means import tabulate
from jevbias.stats.freedman_lane import CellContrast, freedman_lane_p
from jevbias.stats.multiplicity import benjamini_hochberg

CANDIDATE = 0.01
"""An interaction with a smaller p by t is shuffled as well, and the larger p counts."""
_SIGNS = np.array([1.0, -1.0, -1.0, 1.0])
"""Of both levels, the second only, the first only, and neither."""


@dataclass(frozen=True)
class Interactions:
    """Rows sorted by q, then by p and size; `untested` pairs of levels lack one of their four cells."""

    rows: list[Interaction]
    untested: int


def find_interactions(dataset: Dataset, factors: Sequence[Factor], means: PersonMeans) -> Interactions:
    """Every pair of levels, references apart, of any two attributes that a condition shows.

    p is that of t with the spread within all cells of the two attributes' table; below 0.01 the residuals are
    shuffled, too, and the larger p counts: a cell may be one person, and one odd person is no interaction.
    Benjamini-Hochberg runs over all of them.
    """
    tested: list[_Tested] = []
    untested = 0
    for condition, name in enumerate(dataset.conditions):
        values = means.values[:, means.pooled(condition)]
        whole = np.all([~np.isnan(values), *(factor.codes >= 0 for factor in factors)], axis=0)
        shown = [
            replace(factor, codes=factor.codes[whole])
            for factor in factors
            if factor.attribute.visible_in(name)
        ]
        here = []
        for first, second in combinations(shown, 2):
            found = list(_contrasts(values[whole], name, (first, second)))
            untested += (len(first.levels) - 1) * (len(second.levels) - 1) - len(found)
            here.extend(found)
        key = int.from_bytes(keyed_bytes(dataset.facts.seed, "factorial", "interactions", name)[:16], "big")
        tested.extend(_shuffle_candidates(here, values[whole], key))
    q = benjamini_hochberg(np.array([each.p for each in tested], dtype=np.float64))
    rows = [each.row(value, dataset.facts.alpha) for each, value in zip(tested, q.tolist(), strict=True)]
    return Interactions(sorted(rows, key=_reading_order), untested)


@dataclass(frozen=True, eq=False)
class _Tested:
    """One pair of levels: the people in its four cells, the contrast, half its interval and its p."""

    condition: str
    pair: Pair
    levels: tuple[int, int]
    people: tuple[int, ...]
    estimate: float
    half_width: float
    p: float

    def row(self, q: float, alpha: float) -> Interaction:
        first, second = self.pair
        levels = first.levels[self.levels[0]], second.levels[self.levels[1]]
        whole = not np.isnan(self.half_width)
        return Interaction(
            id=f"interactions/{self.condition}/{pair_name(self.pair, levels)}",
            condition=self.condition,
            levels={first.key: levels[0], second.key: levels[1]},
            people=sum(self.people),
            fewest=min(self.people),
            contrast=self.estimate,
            interval=(self.estimate - self.half_width, self.estimate + self.half_width) if whole else None,
            p=None if np.isnan(self.p) else self.p,
            q=None if np.isnan(q) else q,
            significant=q < alpha,
        )

    @property
    def cell_contrast(self) -> CellContrast:
        """The contrast as signed means of cells."""
        first, second = self.pair
        weights = np.zeros(len(first.levels) * len(second.levels))
        weights[_four_cells(second, self.levels)] = _SIGNS
        return CellContrast(first.codes * len(second.levels) + second.codes, weights)


def _contrasts(values: FloatArray, condition: str, pair: Pair) -> Iterator[_Tested]:
    """The contrasts of two attributes whose four cells have people."""
    first, second = pair
    cells = first.codes * len(second.levels) + second.codes
    table = tabulate(values, cells, len(first.levels) * len(second.levels))
    levels = list(product(range(1, len(first.levels)), range(1, len(second.levels))))
    four = np.array([_four_cells(second, each) for each in levels])
    found = table.contrasts(four, _SIGNS)
    for place in np.flatnonzero(~np.isnan(found.estimate)).tolist():
        yield _Tested(
            condition=condition,
            pair=pair,
            levels=levels[place],
            people=tuple(table.people[four[place]].tolist()),
            estimate=float(found.estimate[place]),
            half_width=float(found.half_width[place]),
            p=float(found.p[place]),
        )


def _shuffle_candidates(tested: list[_Tested], values: FloatArray, key: int) -> list[_Tested]:
    places = [place for place, each in enumerate(tested) if each.p < CANDIDATE]
    shuffled = freedman_lane_p(values, [tested[place].cell_contrast for place in places], key)
    judged = list(tested)
    for place, p in zip(places, shuffled.tolist(), strict=True):
        judged[place] = replace(tested[place], p=max(tested[place].p, p))
    return judged


def _four_cells(second: Factor, levels: tuple[int, int]) -> list[int]:
    """Positions of both, second only, first only and neither in the table of the two attributes."""
    row = levels[0] * len(second.levels)
    return [row + levels[1], levels[1], row, 0]


def _reading_order(row: Interaction) -> tuple[float, float, float, str]:
    q, p = (2.0 if value is None else value for value in (row.q, row.p))
    return q, p, -abs(row.contrast), row.id
