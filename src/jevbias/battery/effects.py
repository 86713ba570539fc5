"""Scores become one effect per axis."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Mapping

import numpy as np

from jevbias.battery.axis_notes import (
    REDUNDANT,
    SMALL,
    estimate_notes,
    influence_notes,
    length_notes,
    set_notes,
)
from jevbias.battery.axis_scores import AxisScores, axis_scores
from jevbias.battery.length import length_confound
from jevbias.battery.lineages import lineages, merged
from jevbias.battery.near_duplicates import NearDuplicates
from jevbias.battery.noise import PooledNoise
from jevbias.battery.scores import Scores
from jevbias.battery.sign_test import family_sign_test
from jevbias.battery.wording import loudness
from jevbias.catalogue.canonical import canonical_hash
from jevbias.report.base import Interval
from jevbias.report.battery import AxisEffect, FamilyMean
from jevbias.stats.arrays import FloatArray, IntArray
from jevbias.stats.effect_size import (
    effect_size,
    family_moments,
    mean_interval,
    mostly_still,
    without_each,
)
from jevbias.stats.effective import effective_n


def axis_effect(scores: Scores, axis: str, near: NearDuplicates, noise: PooledNoise, seed: int) -> AxisEffect:
    """The effect of one axis; `q` and what follows from it are left for the whole report to fill in."""
    found = axis_scores(scores, axis)
    names = lineages(found.pairs)
    families = list(dict.fromkeys(names))
    code = {family: number for number, family in enumerate(families)}
    family = np.array([code[name] for name in names], dtype=np.int64)
    kish = _effective(Counter(names))
    kish_merged = _effective(Counter(merged(found.pairs, near)))
    common: dict[str, object] = {
        "axis": axis,
        "control": scores.pairs.controls.get(axis),
        "about": scores.pairs.about.get(axis),
        "pairs_hash": canonical_hash([pair.content for pair in scores.pairs.by_axis[axis]]),
        "pairs": len(found.pairs),
        "pairs_lost": found.lost,
        "families": len(families),
        "effective_n": kish,
        "effective_n_if_merged": kish_merged,
        "up": int((found.differences > 0).sum()),
        "down": int((found.differences < 0).sum()),
        "ties": int((found.differences == 0).sum()),
        "q": None,
        "significant": False,
        "shown": False,
        "small": len(families) < SMALL,
        "redundant": min(kish, kish_merged) < REDUNDANT * len(found.pairs),
    }
    notes = set_notes(scores, found, families, kish, kish_merged)
    if not found.pairs:
        return _empty(common, notes)
    return _estimated(found, families, family, noise=noise, seed=seed, common=common, notes=notes)


def _estimated(
    found: AxisScores,
    families: list[str],
    family: IntArray,
    *,
    noise: PooledNoise,
    seed: int,
    common: Mapping[str, object],
    notes: list[str],
) -> AxisEffect:
    unit = _unit(found.differences)
    negligible = found.negligible / unit
    scaled = found.differences / unit
    moments = family_moments(scaled, family)
    mean = mean_interval(moments)
    effect = effect_size(moments, negligible)
    d, sd = _known(effect.d), _known(effect.sd)
    varies = sd is not None and sd > negligible
    d_bounds = _bounds(effect.low, effect.high)
    mean_bounds = _bounds(mean.low * unit, mean.high * unit) if varies else None
    still = bool(mostly_still(moments))
    test = family_sign_test(moments.means, seed)
    length = length_confound(found.pairs, scaled, family, negligible)
    notes += estimate_notes(
        found, len(families), sd, varies=varies, still=still, has_interval=d_bounds is not None
    )
    notes += length_notes(length, d)
    if d is not None and d_bounds is not None:
        notes += influence_notes(families, d, without_each(moments, negligible))
    central = float(mean.mean) * unit if abs(float(mean.mean)) > negligible else 0.0
    noise_sd = noise.of_differences(found.repeats)
    counts = np.bincount(family)
    return AxisEffect(
        **common,
        mean=central,
        mean_interval=mean_bounds,
        sd=None if sd is None else sd * unit,
        noise_sd=noise_sd,
        repeats=float(found.repeats.mean()),
        d_without_noise=_without_noise(d, sd, None if noise_sd is None else noise_sd / unit),
        d=d,
        d_interval=d_bounds,
        p=test.p,
        smallest_p=test.smallest,
        sign="0" if central == 0 else "+" if central > 0 else "-",
        loudness=None if d is None else loudness(d),
        reading="",
        length=length,
        by_family=[
            FamilyMean(family=name, pairs=int(number), mean=value, mean_square=square)
            for name, number, value, square in zip(
                families,
                counts,
                (moments.means * unit).tolist(),
                (moments.mean_squares * unit * unit).tolist(),
                strict=True,
            )
        ],
        notes=notes,
    )


def _empty(common: Mapping[str, object], notes: list[str]) -> AxisEffect:
    nothing = dict.fromkeys(
        (
            "mean",
            "mean_interval",
            "sd",
            "noise_sd",
            "repeats",
            "d_without_noise",
            "d",
            "d_interval",
            "p",
            "smallest_p",
            "sign",
            "loudness",
            "length",
        )
    )
    return AxisEffect(**common, **nothing, reading="", by_family=[], notes=notes)


def _unit(differences: FloatArray) -> float:
    """A power of two of the size of the largest difference: squares in it neither overflow nor vanish."""
    largest = float(np.abs(differences).max(initial=0.0))
    return math.ldexp(1.0, max(math.frexp(largest)[1], -1000)) if largest > 0 else 1.0


def _without_noise(d: float | None, sd: float | None, noise: float | None) -> float | None:
    if d is None or sd is None or noise is None or sd <= 0 or 2 * noise**2 > sd**2:
        return None
    return d / math.sqrt(1 - (noise / sd) ** 2)


def _effective(counts: Mapping[Hashable, int]) -> float:
    return float(effective_n(np.array(list(counts.values()), dtype=np.float64)))


def _known(value: FloatArray) -> float | None:
    return None if np.isnan(value) else float(value)


def _bounds(low: FloatArray, high: FloatArray) -> Interval | None:
    return None if np.isnan(low) or np.isnan(high) else (float(low), float(high))
