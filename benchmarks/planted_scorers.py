"""Scorers with a known bias: what they would score a set of pairs, so that the truth is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import e, sqrt
from typing import Literal

import numpy as np

from jevbias.battery.pairs import PairSet
from jevbias.battery.scores import Reply, Scores
from jevbias.stats.arrays import FloatArray
from jevbias.stats.effect_size import FamilyMoments

Shape = Literal["normal", "exponential", "lognormal", "t(3)"]


@dataclass(frozen=True)
class PlantedScorer:
    """A scorer that pays `bias` for a feature, more or less so by prompt family (SD `family`) and by pair (SD
    `pair`), with noise of SD `noise` on every score. `shape` is the distribution of what it pays over
    families and over pairs, whatever it is with mean 0 and SD 1.
    """

    bias: float
    family: float
    pair: float
    noise: float
    shape: Shape = "normal"

    @property
    def spread(self) -> float:
        """The SD of one difference of a random family."""
        return sqrt(self.family**2 + self.pair**2 + 2 * self.noise**2)

    @property
    def d(self) -> float:
        """The effect in standard deviations that a battery is to find."""
        return self.bias / self.spread

    def paying(self, d: float) -> PlantedScorer:
        """The same scorer with the bias that makes `d` its effect."""
        return replace(self, bias=d * self.spread)


def planted_moments(
    scorer: PlantedScorer, sizes: Sequence[int], batteries: int, random: np.random.Generator, *, clones: bool
) -> FamilyMoments:
    """The family moments of one axis in many batteries, (batteries, families). The pairs of a family are
    `clones` of one another, scored alike, or pairs of their own.
    """
    means, squares = np.empty((batteries, len(sizes))), np.empty((batteries, len(sizes)))
    for place, size in enumerate(sizes):
        different = 1 if clones else size
        own = scorer.family * _varied(scorer, random, (batteries, 1))
        own = own + scorer.pair * _varied(scorer, random, (batteries, different))
        own = own + scorer.noise * _noise(random, batteries, different)
        means[:, place] = scorer.bias + own.mean(axis=1)
        squares[:, place] = own.var(axis=1)
    return FamilyMoments(means, squares)


def _varied(scorer: PlantedScorer, random: np.random.Generator, shape: tuple[int, int]) -> FloatArray:
    match scorer.shape:
        case "exponential":
            return random.standard_exponential(shape) - 1.0
        case "lognormal":
            return (random.lognormal(size=shape) - sqrt(e)) / sqrt((e - 1) * e)
        case "t(3)":
            return random.standard_t(3, shape) / sqrt(3)
        case "normal":
            return random.standard_normal(shape)


def _noise(random: np.random.Generator, batteries: int, pairs: int) -> FloatArray:
    return random.standard_normal((batteries, pairs)) - random.standard_normal((batteries, pairs))


def planted_scores(pairs: PairSet, scorers: dict[str, PlantedScorer], seed: int) -> Scores:
    """What a scorer with such biases gives each reply of a set, one score a reply."""
    random = np.random.default_rng(seed)
    values: dict[Reply, tuple[float, ...]] = {}
    for axis, own in pairs.by_axis.items():
        scorer = scorers[axis]
        families = {family: random.standard_normal() for family in dict.fromkeys(pair.family for pair in own)}
        for pair in own:
            base = random.standard_normal()
            paid = (
                scorer.bias + scorer.family * families[pair.family] + scorer.pair * random.standard_normal()
            )
            noise = scorer.noise * random.standard_normal(2)
            values[pair.id, "without"] = (base + float(noise[0]),)
            values[pair.id, "with"] = (base + paid + float(noise[1]),)
    return Scores(pairs, values, {}, planned=len(values), answered=len(values))
