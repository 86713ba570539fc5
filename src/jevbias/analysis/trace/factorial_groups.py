"""The people of a factorial run, by the levels they have."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from jevbias.analysis.factorial.cells import carried_by_names, cell_means
from jevbias.analysis.factorial.contrasts import level_contrasts
from jevbias.analysis.factorial.levels import Factor, person_factors
from jevbias.analysis.trace.evidence import Listing
from jevbias.analysis.trace.traced_run import TracedRun
from jevbias.analysis.trace.wording import counted, signed
from jevbias.report.factorial import CellMean
from jevbias.report.rounding import round_figure
from jevbias.stats.arrays import BoolArray, FloatArray


@dataclass(frozen=True)
class PersonMean:
    """A person of a group: their mean, less what everybody has who met the same cases, and their probes under
    the condition.
    """

    person: int
    full_name: str
    mean: float
    levels: str
    probes: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Groups:
    """The people of a factorial run by the levels they have."""

    run: TracedRun

    @cached_property
    def factors(self) -> dict[str, Factor]:
        """The run's attributes by their keys."""
        return {factor.key: factor for factor in person_factors(self.run.dataset)}

    @cached_property
    def cells(self) -> list[CellMean]:
        """The report's cells."""
        pair = carried_by_names(list(self.factors.values()))
        return cell_means(self.run.dataset, self.run.person_means, pair) if pair else []

    def column(self, condition: str, question: str | None) -> int | None:
        """The score of a condition, pooled or on one question; None where there is none."""
        conditions = self.run.dataset.conditions
        for place, score in enumerate(self.run.person_means.scores):
            if (conditions[score.condition], score.question) == (condition, question):
                return place
        return None

    def contrast(self, factor: Factor, level: str, column: int) -> dict[str, Any]:
        """The figures of a contrast that it takes nobody else's to compute, as the report has them."""
        code = factor.levels.index(level)
        codes = np.select([factor.codes == 0, factor.codes == code], [0, 1], -1)
        alone = replace(factor, levels=(factor.levels[0], level), codes=codes)
        (found,) = level_contrasts([alone], self.run.person_means, self.run.dataset.facts.seed)
        low, high = _rounded(found.lower[column]), _rounded(found.upper[column])
        return {
            "people": int(found.people[column]),
            "reference_people": int(found.reference_people[column]),
            "delta": _rounded(found.delta[column]),
            "interval": None if low is None or high is None else (low, high),
            "cohens_d": _rounded(found.cohens_d[column]),
            "p": _rounded(found.p[column]),
        }

    def having(self, levels: dict[str, str]) -> BoolArray:
        """Who has all of these levels."""
        found = np.ones(len(self.run.people), dtype=bool)
        for key, level in levels.items():
            factor = self.factors[key]
            found &= factor.codes == factor.levels.index(level)
        return found

    def listing(
        self, title: str, levels: dict[str, str], column: int, kept: BoolArray | None = None
    ) -> Listing:
        """The people with these levels who have the score, those furthest from their mean first."""
        values: FloatArray = self.run.person_means.values[:, column]
        chosen = self.having(levels) & ~np.isnan(values)
        chosen &= True if kept is None else kept
        places = np.flatnonzero(chosen)
        mean = float(values[places].mean()) if places.size else 0.0
        places = places[np.argsort(-np.abs(values[places] - mean), kind="stable")]
        rows = tuple(self._row(int(place), float(values[place]), levels, column) for place in places)
        sums = (f"mean of {counted(len(rows), 'person mean')} = {signed(mean)}",) if rows else ("nobody",)
        return Listing(title, rows, sums)

    def _row(self, place: int, mean: float, levels: dict[str, str], column: int) -> PersonMean:
        score, probes, who = (
            self.run.person_means.scores[column],
            self.run.dataset.probes,
            self.run.people[place],
        )
        first, last = np.searchsorted(probes.person, (place, place + 1)).tolist()
        own = np.arange(first, last)
        own = own[(probes.condition[own] == score.condition) & np.isin(probes.scenario[own], score.scenarios)]
        return PersonMean(
            who.idx, who.full_name, mean, named(levels), tuple(self.run.probe_ids[own].tolist())
        )


def named(levels: dict[str, str], between: str = " + ") -> str:
    """Levels as `gender=woman + religion=muslim`."""
    return between.join(f"{key}={level}" for key, level in levels.items())


def _rounded(value: float) -> float | None:
    return None if np.isnan(value) else round_figure(float(value))
