"""Every level of an attribute against the reference: difference, permutation p, bootstrap interval, d."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from jevbias.analysis.factorial.levels import Factor
from jevbias.analysis.factorial.person_means import PersonMeans
from jevbias.people.keyed import keyed_bytes
from jevbias.stats.arrays import FloatArray, IntArray
from jevbias.stats.bootstrap import GroupResamples, difference_interval, resample_group
from jevbias.stats.permutation import permutation_p
from jevbias.stats.ties import TIE, snap_ties


@dataclass(frozen=True, eq=False)
class LevelContrast:
    """A level against its reference, on every score; arrays are (scores,), NaN where not estimable.

    `lower` and `upper` are the ends of the 95% interval; `people` and `reference_people` have the score.
    """

    factor: Factor
    level: int
    people: IntArray
    reference_people: IntArray
    delta: FloatArray
    lower: FloatArray
    upper: FloatArray
    cohens_d: FloatArray
    p: FloatArray


def level_contrasts(factors: list[Factor], means: PersonMeans, seed: int) -> Iterator[LevelContrast]:
    """All levels but the references, attribute by attribute. Draws are keyed by run seed and level."""
    for factor in factors:
        reference = means.values[factor.codes == 0]
        resampled = _resample(factor, 0, reference, seed)
        for level in range(1, len(factor.levels)):
            values = means.values[factor.codes == level]
            both = np.concatenate([values, reference])
            first = np.arange(len(both)) < len(values)
            key = _key(seed, "permutation", factor, level)
            lower, upper = difference_interval(_resample(factor, level, values, seed), resampled)
            delta, cohens_d = _difference(values, reference)
            yield LevelContrast(
                factor=factor,
                level=level,
                people=_known(values),
                reference_people=_known(reference),
                delta=delta,
                lower=lower,
                upper=upper,
                cohens_d=cohens_d,
                p=permutation_p(both, first, key),
            )


def _difference(values: FloatArray, reference: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The difference of means and Cohen's d, which is in units of the pooled SD of the two groups.

    Cohen (1988), "Statistical power analysis for the behavioral sciences".
    """
    sizes, means, squares = [], [], []
    for group in (values, reference):
        size, known = _known(group), ~np.isnan(group)
        total = np.where(known, group, 0.0).sum(axis=0)
        mean = np.divide(total, size, out=np.full(size.shape, np.nan), where=size > 0)
        sizes.append(size)
        means.append(mean)
        squares.append(np.square(np.where(known, group - mean, 0.0)).sum(axis=0))
    delta = snap_ties(means[0] - means[1])
    freedom = sizes[0] + sizes[1] - 2
    variance = np.divide(
        squares[0] + squares[1], freedom, out=np.full(delta.shape, np.nan), where=freedom > 0
    )
    sd = np.sqrt(variance)
    return delta, np.divide(delta, sd, out=np.full(delta.shape, np.nan), where=sd > TIE)


def _resample(factor: Factor, level: int, values: FloatArray, seed: int) -> GroupResamples:
    return resample_group(values, _key(seed, "bootstrap", factor, level))


def _key(seed: int, purpose: str, factor: Factor, level: int) -> int:
    drawn = keyed_bytes(seed, "factorial", purpose, factor.key, factor.levels[level])
    return int.from_bytes(drawn[:16], "big")


def _known(values: FloatArray) -> IntArray:
    return np.asarray((~np.isnan(values)).sum(axis=0))
