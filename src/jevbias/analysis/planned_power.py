"""The smallest effects that a plan can be expected to find, before a call is made."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from jevbias.catalogue.models import Profile
from jevbias.plan.shape import ContrastShape, SwapShape
from jevbias.report.power import PowerBasis
from jevbias.stats.arrays import FloatArray
from jevbias.stats.permutation import MOST_SHUFFLES
from jevbias.stats.pools import FEWEST_DEGREES
from jevbias.stats.power import bases_needed, smallest_noise_effect, smallest_people_effect
from jevbias.stats.ties import TIE


@dataclass(frozen=True)
class Spreads:
    """SDs in favourability that a plan is judged by; the defaults stand in until something is measured.

    `answer` and `probe` are the noise of one answer and of a probe's mean, `base` the SD over bases of a
    swap's true effect, `rest` that of what is left per base and scenario.
    """

    answer: float = 0.016
    probe: float = 0.012
    base: float = 0.02
    rest: float = 0.02

    def measured(self, basis: PowerBasis) -> tuple[Spreads, list[str]]:
        """These spreads with what a run measured in their place, and the names of those it could not tell.

        Where single answers do not vary, neither does a probe's mean of them.
        """
        found = {name: getattr(basis, f"{name}_sd") for name in ("answer", "probe", "base", "rest")}
        if found["answer"] == 0 and found["probe"] is None:
            found["probe"] = 0.0
        known = {name: sd for name, sd in found.items() if sd is not None}
        return replace(self, **known), [name for name in found if name not in known]


@dataclass(frozen=True)
class SmallestEffect:
    """The difference in favourability that a typical test finds in four runs of five.

    `alone` at the level alpha, `adjusted` as the one discovery among `tests`; None where no difference is
    large enough. `bases_adjusted` is the number of bases from which sign flips can find one at all after the
    adjustment: None where they decide nothing, or where no number suffices.
    """

    tests: int
    alone: float | None
    adjusted: float | None
    bases_adjusted: int | None = None


@dataclass(frozen=True)
class FamilyEffects:
    """One claim, pooled and on single questions."""

    pooled: SmallestEffect
    per_question: SmallestEffect


@dataclass(frozen=True)
class PlannedEffects:
    """Claims (a), beyond the model's noise, and (b), for other people, of one profile.

    `noise` is None for a factorial profile, whose contrasts are between people. `people_compared` is then
    the median number who have a level and who have its reference.
    """

    noise: FamilyEffects | None
    people: FamilyEffects
    people_compared: tuple[int, int] | None = None


@dataclass(frozen=True)
class ConfirmedEffect:
    """The effect that a confirmatory run of so many bases finds in the strictest of its `hypotheses`."""

    bases: int
    hypotheses: int
    effect: float | None


def planned_effects(shape: SwapShape | ContrastShape, spreads: Spreads, alpha: float) -> PlannedEffects:
    """The smallest effects of a plan. A typical test is the median over those whose swap can be seen."""
    if isinstance(shape, SwapShape):
        return _swaps(shape, spreads, alpha)
    return _contrasts(shape, spreads, alpha)


def confirmed_effects(
    profile: Profile, spreads: Spreads, alpha: float, numbers: tuple[int, ...] = (1, 10)
) -> list[ConfirmedEffect]:
    """What `jevbias confirm` finds with this profile, for these numbers of hypotheses.

    Its test is one-sided; Holm's correction gives the strictest hypothesis alpha / number. One side at a
    level is two sides at twice the level, but for errors of sign, which are out of reach at this power.
    """
    noise = spreads.probe**2 * (1.0 + 1.0 / profile.anchor_replicates)
    sd = math.sqrt(spreads.base**2 + (spreads.rest**2 + noise) / len(profile.scenarios))
    bases = profile.bases or 0
    return [
        ConfirmedEffect(bases, number, _typical(smallest_people_effect([sd], [bases], 2.0 * alpha / number)))
        for number in numbers
    ]


def _swaps(shape: SwapShape, spreads: Spreads, alpha: float) -> PlannedEffects:
    comparisons, bases, scenarios = shape.swap_asks.shape
    # The variance of a difference is this times that of one answer or one probe.
    asks = 1.0 / shape.swap_asks + 1.0 / shape.anchor_asks
    visible, seen = shape.visible, int(shape.visible.sum())
    questions = int(shape.questions.sum())

    enough = shape.repeats >= FEWEST_DEGREES
    pooled_error = spreads.probe * np.sqrt(asks.sum(axis=(1, 2))) / (bases * scenarios)
    question_error = spreads.answer * np.sqrt(asks.sum(axis=1)) / bases
    pooled_freedom = float(shape.repeats.sum()) if enough.all() else math.nan
    question_freedom = np.where(enough, shape.repeats, np.nan)

    def noise_pooled(level: float) -> FloatArray:
        return smallest_noise_effect(pooled_error, pooled_freedom, level)[visible]

    def noise_question(level: float) -> FloatArray:
        effects = smallest_noise_effect(question_error, question_freedom, level)[visible]
        return np.repeat(effects, shape.questions, axis=1)

    rest = np.square(spreads.rest) + np.square(spreads.probe) * asks
    pooled_sd = np.sqrt(np.square(spreads.base) + (rest.sum(axis=2) / scenarios**2).mean(axis=1))
    rest = np.square(spreads.rest) + np.square(spreads.answer) * asks
    question_sd = np.sqrt(np.square(spreads.base) + rest.mean(axis=1))

    def people_pooled(level: float) -> FloatArray:
        return smallest_people_effect(pooled_sd, bases, level)[visible]

    def people_question(level: float) -> FloatArray:
        effects = smallest_people_effect(question_sd, bases, level)[visible]
        return np.repeat(effects, shape.questions, axis=1)

    return PlannedEffects(
        noise=FamilyEffects(
            _smallest(noise_pooled, alpha, comparisons),
            _smallest(noise_question, alpha, comparisons * questions),
        ),
        people=FamilyEffects(
            _with_bases(_smallest(people_pooled, alpha, seen), alpha),
            _with_bases(_smallest(people_question, alpha, seen * questions), alpha),
        ),
    )


def _contrasts(shape: ContrastShape, spreads: Spreads, alpha: float) -> PlannedEffects:
    """A two-sample t test between people who have a level and people who have its reference.

    How far people's own means lie apart is not known before a run: as far as bases' effects do, is assumed.
    """
    scenarios = shape.questions.size
    pooled_sd = math.sqrt(spreads.base**2 + (spreads.rest**2 + spreads.probe**2) / scenarios)
    question_sd = math.sqrt(spreads.base**2 + spreads.rest**2 + spreads.answer**2)
    people, others = shape.people[shape.visible], shape.reference_people[shape.visible]
    with np.errstate(divide="ignore"):
        errors = np.sqrt(1.0 / people + 1.0 / others)
    errors[~np.isfinite(errors)] = np.nan

    def between(sd: float) -> Callable[[float], FloatArray]:
        def effects(level: float) -> FloatArray:
            if level * (MOST_SHUFFLES + 1) < 1.0:
                return np.full(errors.shape, np.nan)
            return smallest_noise_effect(sd * errors, people + others - 2, level)

        return effects

    tests = shape.visible.size
    return PlannedEffects(
        noise=None,
        people=FamilyEffects(
            _smallest(between(pooled_sd), alpha, tests),
            _smallest(between(question_sd), alpha, tests * int(shape.questions.sum())),
        ),
        people_compared=(int(np.median(people)), int(np.median(others))) if people.size else None,
    )


def _smallest(effects: Callable[[float], FloatArray], alpha: float, tests: int) -> SmallestEffect:
    return SmallestEffect(tests, _typical(effects(alpha)), _typical(effects(alpha / max(tests, 1))))


def _typical(effects: FloatArray) -> float | None:
    """The median; None where most tests find nothing, or where nothing varies."""
    if not effects.size:
        return None
    median = float(np.median(np.where(np.isnan(effects), np.inf, effects)))
    return median if TIE < median < math.inf else None


def _with_bases(effect: SmallestEffect, alpha: float) -> SmallestEffect:
    return replace(effect, bases_adjusted=bases_needed(alpha / max(effect.tests, 1)))
