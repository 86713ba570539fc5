"""Sentences about checks of the noise null that could not be made; what they found stands in the report."""

from __future__ import annotations

from collections.abc import Iterator

from jevbias.report.noise import NoiseFloor
from jevbias.stats.pools import FEWEST_DEGREES
from jevbias.stats.spread_ratio import FEWEST_CELLS


def noise_notes(floor: NoiseFloor) -> Iterator[str]:
    """Which checks of the null could not be made, and why.

    Nothing for a model that does not vary or was never asked twice: there is no null to check.
    """
    if floor.exact or not floor.degrees_of_freedom:
        return
    swapped, drift = floor.swapped_against_anchor, floor.drift
    if swapped is not None and swapped.interval is None:
        yield (
            "Whether the model is as noisy about swapped people as about anchors could not be told: it takes "
            f"{FEWEST_CELLS} cells of each that were asked twice under {swapped.condition} and vary (swaps "
            f"{swapped.swap_cells}, anchors {swapped.anchor_cells})."
        )
    if drift is not None and drift.total is None:
        yield (
            "Whether the model moved during the run could not be told: it takes repeats of the same asks "
            f"with known send times and {FEWEST_DEGREES} degrees of freedom."
        )
    for row in floor.models:
        if row.interval is None:
            yield (
                f"How far the answers of {row.model} lie from those of the other models could not be told: "
                "too few of the same asks were answered by both."
            )
