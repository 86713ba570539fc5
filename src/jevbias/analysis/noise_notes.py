"""Sentences about the noise: where one pool does not stand for all, and where the model moved."""

from __future__ import annotations

from collections.abc import Iterator

from jevbias.report.base import Interval
from jevbias.report.noise import ConditionRatio, Drift, ModelShift, NoiseFloor, NoiseRatio
from jevbias.stats.spread_ratio import FEWEST_CELLS


def noise_notes(floor: NoiseFloor, margin: float) -> Iterator[str]:
    """What the checks of the null found, and which of them could not be made.

    Nothing for a model that does not vary or was never asked twice: there is no null to check.
    """
    if floor.exact or not floor.degrees_of_freedom:
        return
    for ratio in floor.condition_ratios:
        yield from _about_condition(ratio)
    if floor.swapped_against_anchor is not None:
        yield from _about_swapped(floor.swapped_against_anchor)
    if floor.drift is not None:
        yield from _about_drift(floor.drift, margin)
    for shift in floor.models:
        yield from _about_model(shift)


def _about_condition(row: ConditionRatio) -> Iterator[str]:
    if _covers(row.interval, 1.0):
        return
    quiet, loud = (row.condition, row.against) if row.ratio < 1 else (row.against, row.condition)
    yield (
        f"The noise under {row.condition} is {row.ratio:.3g} times that under {row.against} "
        f"(95% {_between(row.interval)}), and the tests join their pools: p_noise is too large under {quiet} "
        f"and too small under {loud}."
    )


def _about_swapped(row: NoiseRatio) -> Iterator[str]:
    if row.ratio is None or row.interval is None:
        yield (
            "Whether the model is as noisy about swapped people as about anchors could not be told: it takes "
            f"{FEWEST_CELLS} cells of each that were asked twice under {row.condition} and vary (swaps "
            f"{row.swap_cells}, anchors {row.anchor_cells})."
        )
    elif not _covers(row.interval, 1.0):
        yield (
            f"Repeats about swapped people differ {row.ratio:.3g} times as much as those about anchors under "
            f"{row.condition} (95% {_between(row.interval)}); the tests take them for equal, so p_noise is "
            f"too {'small' if row.ratio > 1 else 'large'}."
        )


def _about_drift(row: Drift, margin: float) -> Iterator[str]:
    if row.total is None or row.hours is None:
        yield (
            "Whether the model moved during the run could not be told: it takes repeats of the same asks "
            "with known send times and 8 degrees of freedom."
        )
    elif row.interval is not None and not _covers(row.interval, 0.0):
        size = f", {abs(row.total) / margin:.2g} times the margin" if margin > 0 else ""
        yield (
            f"The model moved: answers to the same asks changed by {row.total:+.3g} over the run's "
            f"{_duration(row.hours)} (95% {_between(row.interval)}, p {row.p:.2g}){size}. Calls go out in a "
            "shuffled order, so that this widens the noise and favours nobody."
        )


def _about_model(row: ModelShift) -> Iterator[str]:
    if row.shift is None or row.interval is None:
        yield (
            f"How far the answers of {row.model} lie from those of the other models could not be told: too "
            "few of the same asks were answered by both."
        )
    elif not _covers(row.interval, 0.0):
        yield (
            f"The answers of {row.model} lie {row.shift:+.3g} from those of the other models to the same "
            f"asks (95% {_between(row.interval)})."
        )


def _covers(interval: Interval, value: float) -> bool:
    return interval[0] <= value <= interval[1]


def _between(interval: Interval) -> str:
    return f"{interval[0]:.3g} to {interval[1]:.3g}"


def _duration(hours: float) -> str:
    for unit, size in (("hours", 1.0), ("minutes", 60.0)):
        if hours * size >= 1.0:
            return f"{hours * size:.2g} {unit}"
    return f"{hours * 3600.0:.2g} seconds"
