"""Whom each variant of a case was asked about: what that alone may add to a question's span.

An anchor and its copies meet one variant of a case, so that a difference between variants is one between
people too.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from jevbias.analysis.cells import Cells
from jevbias.analysis.dataset import Dataset
from jevbias.catalogue.models import VARIANTS
from jevbias.stats.arrays import BoolArray, FloatArray, IntArray
from jevbias.stats.ties import snap_ties


@dataclass(frozen=True)
class Composition:
    """What people make of one question's span, in favourability.

    `bases` says how many bases each variant was asked about. `sd` is the SD between bases that met the same
    variant, pooled over variants; None where no variant met two. `reach` is how far the span may lie from 0
    by whom it was asked about, in 95 of 100 such draws of bases; None without `sd`, or with one variant.
    """

    bases: dict[str, int]
    sd: float | None
    reach: float | None


def compositions(dataset: Dataset, cells: Cells, scenario: int) -> list[Composition]:
    """One per question of a scenario; nobody's who belongs to no base.

    A base adds the same to every variant, so that the span's error is the SD between bases times the root of
    the sum of squared differences between its weights in the two variants; a t interval, with the degrees of
    freedom within variants, and never more than bases less one. A base that met both variants with the same
    weight adds nothing. The SD holds the noise of answers too.
    """
    met = {
        variant: found
        for place, variant in enumerate(VARIANTS)
        if (found := _variant(dataset, cells, (cells.scenario == scenario) & (cells.variant == place)))
    }
    return [
        _composition({variant: (share[:, q], apart[:, q]) for variant, (share, apart) in met.items()})
        for q in range(len(dataset.questions[scenario]))
    ]


def _variant(dataset: Dataset, cells: Cells, chosen: BoolArray) -> tuple[FloatArray, FloatArray] | None:
    """Each base's weight in the variant's mean and its difference from that mean, (bases, questions), over
    conditions equally; None where no base met it.
    """
    base = dataset.base[cells.person]
    chosen = chosen & (base >= 0)
    conditions = np.unique(cells.condition[chosen])
    if not conditions.size:
        return None
    number = int(dataset.base.max()) + 1
    shares, differences = [], []
    for condition in conditions:
        here = chosen & (cells.condition == condition)
        count, total = _sums(cells.mean[here], base[here], number)
        people = np.maximum(count.sum(axis=0), 1)
        shares.append(count / people)
        means = np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)
        differences.append(means - total.sum(axis=0) / people)
    known = [~np.isnan(found) for found in differences]
    asked = np.sum(known, axis=0)
    apart = np.sum([np.where(k, d, 0.0) for k, d in zip(known, differences, strict=True)], axis=0)
    answered = np.maximum(np.sum([k.any(axis=0) for k in known], axis=0), 1)
    share = np.sum(shares, axis=0) / answered
    return share, np.divide(apart, asked, out=np.full(apart.shape, np.nan), where=asked > 0)


def _sums(values: FloatArray, base: IntArray, number: int) -> tuple[FloatArray, FloatArray]:
    """Known values per base and question, and their sum."""
    known = ~np.isnan(values)
    count, total = np.zeros((number, values.shape[1])), np.zeros((number, values.shape[1]))
    np.add.at(count, base, known.astype(np.float64))
    np.add.at(total, base, np.where(known, values, 0.0))
    return count, total


def _composition(met: dict[str, tuple[FloatArray, FloatArray]]) -> Composition:
    known = {variant: apart[~np.isnan(apart)] for variant, (_, apart) in met.items()}
    bases = {variant: found.size for variant, found in known.items() if found.size}
    degrees = sum(found - 1 for found in bases.values())
    if degrees < 1:
        return Composition(bases, None, None)
    squares = sum(float((snap_ties(known[variant] - known[variant].mean()) ** 2).sum()) for variant in bases)
    sd = float(np.sqrt(squares / degrees))
    if len(bases) < 2:
        return Composition(bases, sd, None)
    weakest, *_, strongest = (met[variant][0] for variant in bases)
    everyone = int(((weakest > 0) | (strongest > 0)).sum())
    error = sd * float(np.sqrt((snap_ties(strongest - weakest) ** 2).sum()))
    return Composition(bases, sd, float(stdtrit(min(degrees, everyone - 1), 0.975)) * error)
