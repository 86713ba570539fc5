"""Every level with all other attributes held fixed: a linear model of the person means."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from jevbias.analysis.factorial.levels import Factor
from jevbias.analysis.factorial.person_means import PersonMeans
from jevbias.stats.arrays import FloatArray, IntArray
from jevbias.stats.linear_model import fit_linear_models


@dataclass(frozen=True, eq=False)
class AdjustedLevels:
    """Coefficients of the levels, with classical standard errors and p; each (levels, scores).

    Levels stand in the order of the factors, references left out. `parameters` and `degrees_of_freedom` (the
    people less the parameters) are (scores,).
    """

    estimate: FloatArray
    error: FloatArray
    p: FloatArray
    parameters: IntArray
    degrees_of_freedom: IntArray


def adjusted_levels(factors: list[Factor], means: PersonMeans) -> AdjustedLevels:
    """Regress every score on an intercept, a dummy for every level but the references, and the variants met.

    Errors are classical: with about as many parameters as people left over, errors that are clustered or
    robust are far too small. The variants take part because person means are adjusted for them: without
    their columns the model would overstate its degrees of freedom and shrink every coefficient a little.
    People of whom a level is unknown are left out.
    """
    people, scores = means.values.shape
    dummies = [factor.codes == level for factor in factors for level in range(1, len(factor.levels))]
    levels = np.stack([np.ones(people, dtype=bool), *dummies], axis=1).astype(np.float64)
    whole = np.all([factor.codes >= 0 for factor in factors], axis=0) & np.ones(people, dtype=bool)
    outcomes = np.where(whole[:, None], means.values, np.nan)
    estimate, error, p = np.full((3, len(dummies), scores), np.nan)
    parameters, freedom = np.zeros((2, scores), dtype=np.int64)
    for scenarios in dict.fromkeys(tuple(score.scenarios) for score in means.scores):
        columns = [c for c, score in enumerate(means.scores) if tuple(score.scenarios) == scenarios]
        variants = means.shares[:, list(scenarios)].reshape(people, -1)
        fit = fit_linear_models(np.hstack([levels, variants]), outcomes[:, columns])
        estimate[:, columns] = fit.coefficients[1 : 1 + len(dummies)]
        error[:, columns] = fit.errors[1 : 1 + len(dummies)]
        p[:, columns] = fit.p[1 : 1 + len(dummies)]
        parameters[columns], freedom[columns] = fit.rank, fit.degrees_of_freedom
    return AdjustedLevels(estimate, error, p, parameters, freedom)
