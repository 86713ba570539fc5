"""A factorial run becomes its part of the report."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from jevbias.analysis.cells import Cells
from jevbias.analysis.dataset import Dataset
from jevbias.analysis.factorial.adjusted import AdjustedLevels, adjusted_levels
from jevbias.analysis.factorial.cells import carried_by_names, cell_means, empty_cells
from jevbias.analysis.factorial.contrasts import LevelContrast, level_contrasts
from jevbias.analysis.factorial.interactions import find_interactions
from jevbias.analysis.factorial.levels import person_factors, shown_by_the_case
from jevbias.analysis.factorial.person_means import PersonMeans, person_means
from jevbias.analysis.validity import Validity
from jevbias.report.comparison import comparison_id
from jevbias.report.factorial import Contrast, ContrastCounts, Factorial
from jevbias.report.validity_rule import WITHHELD
from jevbias.stats.arrays import FloatArray
from jevbias.stats.bootstrap import RESAMPLES
from jevbias.stats.multiplicity import benjamini_hochberg
from jevbias.stats.permutation import MOST_SHUFFLES, SHUFFLES

NOMINAL = 0.05


def analyse_factorial(dataset: Dataset, cells: Cells, validity: Validity) -> Factorial:
    """Contrasts of every level, adjusted and not, cell means and interactions.

    Random draws are keyed by the run's seed and what they are for, so that two analyses are byte-identical.
    """
    means = person_means(dataset, cells, validity)
    factors = person_factors(dataset)
    found = list(level_contrasts(factors, means, dataset.facts.seed))
    adjusted = adjusted_levels(factors, means)
    contrasts = sorted(_rows(dataset, validity, means, found, adjusted), key=_reading_order)
    pair = carried_by_names(factors)
    interactions = find_interactions(dataset, factors, means)
    fullest = [means.pooled(condition) for condition in range(len(dataset.conditions))][-1:]
    return Factorial(
        people=len(dataset.levels),
        permutations=SHUFFLES,
        most_permutations=MOST_SHUFFLES,
        bootstrap=RESAMPLES,
        parameters=int(adjusted.parameters[fullest].sum()),
        degrees_of_freedom=int(adjusted.degrees_of_freedom[fullest].sum()),
        contrasts=contrasts,
        cells=cell_means(dataset, means, pair) if pair else [],
        empty_cells=empty_cells(pair) if pair else [],
        interactions=interactions.rows,
        interactions_untested=interactions.untested,
        **_counts(contrasts, dataset.facts.alpha),
    )


def _rows(
    dataset: Dataset,
    validity: Validity,
    means: PersonMeans,
    found: Sequence[LevelContrast],
    adjusted: AdjustedLevels,
) -> Iterator[Contrast]:
    pooled = np.array([score.question is None for score in means.scores], dtype=bool)
    shape = (len(found), len(means.scores))
    q = _by_family(np.array([contrast.p for contrast in found]).reshape(shape), pooled)
    adjusted_q = _by_family(adjusted.p, pooled)
    withheld = {row.question for row in validity.rows if row.flag in WITHHELD}
    for row, contrast in enumerate(found):
        factor, level = contrast.factor, contrast.factor.levels[contrast.level]
        for column, score in enumerate(means.scores):
            condition = dataset.conditions[score.condition]
            visible = factor.attribute.visible_in(condition)
            yield Contrast(
                id=comparison_id(condition, factor.key, level, score.question),
                condition=condition,
                question=score.question,
                attribute=factor.key,
                attribute_label=factor.attribute.label,
                level=level,
                reference=factor.attribute.reference,
                protected=factor.attribute.protected,
                visible=visible,
                in_case=not visible and shown_by_the_case(dataset, factor, level, score.scenarios),
                withheld=score.question in withheld,
                people=int(contrast.people[column]),
                reference_people=int(contrast.reference_people[column]),
                delta=_or_none(contrast.delta[column]),
                interval=_interval(contrast.lower[column], contrast.upper[column]),
                cohens_d=_or_none(contrast.cohens_d[column]),
                p=_or_none(contrast.p[column]),
                q=_or_none(q[row, column]),
                significant=bool(q[row, column] < dataset.facts.alpha),
                adjusted=_or_none(adjusted.estimate[row, column]),
                adjusted_error=_or_none(adjusted.error[row, column]),
                adjusted_p=_or_none(adjusted.p[row, column]),
                adjusted_q=_or_none(adjusted_q[row, column]),
            )


def _by_family(p: FloatArray, pooled: NDArray[np.bool_]) -> FloatArray:
    """Benjamini-Hochberg over the pooled columns of `p` (contrasts, scores) and over the others."""
    q = np.full(p.shape, np.nan)
    for family in (pooled, ~pooled):
        members = p[:, family]
        q[:, family] = benjamini_hochberg(members.ravel()).reshape(members.shape)
    return q


def _counts(contrasts: Sequence[Contrast], alpha: float) -> dict[str, ContrastCounts]:
    """Tests that the model could see, and those that neither condition nor case showed it, by family."""
    counts = {}
    for family, pooled in (("", True), ("_per_question", False)):
        rows = [row for row in contrasts if (row.question is None) == pooled and not row.in_case]
        for seen in (True, False):
            some = [row for row in rows if row.visible == seen]
            name = f"{'visible' if seen else 'hidden'}{family}"
            counts[name] = _count(((row.p, row.q) for row in some), alpha)
            counts[f"adjusted_{name}"] = _count(((row.adjusted_p, row.adjusted_q) for row in some), alpha)
    return counts


def _count(tests: Iterable[tuple[float | None, float | None]], alpha: float) -> ContrastCounts:
    """How many of some tests, each a p and its q, came out; those without a p are no tests."""
    known = [(p, q) for p, q in tests if p is not None and q is not None]
    return ContrastCounts(
        tests=len(known),
        significant=sum(q < alpha for _, q in known),
        raw_below_05=sum(p < NOMINAL for p, _ in known),
    )


def _or_none(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


def _interval(lower: float, upper: float) -> tuple[float, float] | None:
    return None if math.isnan(lower) else (float(lower), float(upper))


def _reading_order(row: Contrast) -> tuple[float, float, bool, str]:
    q = 2.0 if row.q is None else row.q
    return q, -abs(row.delta or 0.0), row.delta is None, row.id
