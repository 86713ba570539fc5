"""Differences of two runs from the deltas of their bases: the same bases, or two independent sets of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from jevbias.analysis.compared_pairs import Taken, taken_rows
from jevbias.analysis.figures import figures, intervals
from jevbias.analysis.paired import estimate
from jevbias.analysis.people_claim import base_patterns, claim_people
from jevbias.report.run_report import RunReport
from jevbias.stats.arrays import FloatArray
from jevbias.stats.multiplicity import benjamini_hochberg
from jevbias.stats.power import FEWEST_BASES
from jevbias.stats.student import two_sided_p, two_sided_quantile
from jevbias.stats.ties import snap_ties


def differences_of_bases(one: RunReport, two: RunReport) -> dict[str, Taken]:
    """Pooled comparisons of two reports of one plan, base by base."""
    there = {row.id: row.by_base for row in two.comparisons if row.by_base}
    rows = [row for row in one.comparisons if row.by_base and row.id in there]
    if not rows:
        return {}
    bases = list(dict.fromkeys(base for row in rows for base in row.by_base or {}))
    values = np.full((len(rows), len(bases), 1), np.nan)
    for number, row in enumerate(rows):
        for place, base in enumerate(bases):
            here, other = (row.by_base or {}).get(base), there[row.id].get(base)
            if here is not None and other is not None:
                values[number, place] = other - here
    family = np.array([row.visible for row in rows])
    difference = estimate(values)
    (claim,) = claim_people([difference], base_patterns(len(bases), one.run.seed), family)
    q = benjamini_hochberg(np.where(family, claim.p, np.nan))
    return {
        row.id: taken
        for row, taken in zip(rows, taken_rows(difference, claim, q, general=False), strict=True)
    }


def differences_of_other_bases(
    first: Mapping[str, Sequence[float]], second: Mapping[str, Sequence[float]], report: RunReport
) -> dict[str, Taken]:
    """Comparisons whose bases are two independent sets, from the deltas of the bases; `report` says which
    rows are visible, and of which family.

    The interval and p are Welch's: the error is the root of the sum of both squared errors, its degrees of
    freedom Satterthwaite's. Fewer than three bases on either side give none, and bases that do not differ at
    all on either side no p, unless the difference is zero; difference and error are zero where they are
    closer to it than 1e-9. Welch (1947), "The generalization of Student's problem when several different
    population variances are involved".
    """
    rows = [row for row in report.comparisons if row.id in first and row.id in second]
    sides = [[np.array(side[row.id]) for row in rows] for side in (first, second)]
    number = np.array([[values.size for values in side] for side in sides]).reshape(2, -1)
    mean = np.array([[_mean(values) for values in side] for side in sides]).reshape(2, -1)
    squared = np.array([[_squared_error(values) for values in side] for side in sides]).reshape(2, -1)
    difference, error = snap_ties(mean[1] - mean[0]), snap_ties(np.sqrt(squared.sum(axis=0)))
    degrees = _satterthwaite(squared, number)
    half, half_90 = (
        error * two_sided_quantile(np.full(error.shape, alpha), degrees) for alpha in (0.05, 0.1)
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        p = two_sided_p(np.where(difference == 0, 0.0 * error, difference / error), degrees)
    p = np.where((error == 0) & (difference != 0), np.nan, p)
    q = np.full(len(rows), np.nan)
    for pooled in (True, False):
        members = [row.visible and (row.question is None) is pooled for row in rows]
        q = np.where(members, benjamini_hochberg(np.where(members, p, np.nan)), q)
    columns = zip(
        figures(difference),
        number.min(axis=0, initial=np.iinfo(np.int64).max).tolist(),
        intervals(difference, half),
        intervals(difference, half_90),
        figures(p),
        [None] * len(rows),
        figures(q),
        strict=True,
    )
    return {row.id: Taken(*taken) for row, taken in zip(rows, columns, strict=True)}


def _mean(values: FloatArray) -> float:
    return float(values.mean()) if values.size else np.nan


def _squared_error(values: FloatArray) -> float:
    return float(values.var(ddof=1) / values.size) if values.size >= FEWEST_BASES else np.nan


def _satterthwaite(squared: FloatArray, number: FloatArray) -> FloatArray:
    total = squared.sum(axis=0)
    parts = (np.square(squared) / np.maximum(number - 1, 1)).sum(axis=0)
    pooled = (number - 1).sum(axis=0).astype(np.float64)
    degrees: FloatArray = np.divide(np.square(total), parts, out=pooled, where=parts > 0)
    return degrees
