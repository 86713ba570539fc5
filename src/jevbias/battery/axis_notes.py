"""What a reader of one axis has to know: what is small, redundant, lost, tied or read off beyond the data."""

from __future__ import annotations

import numpy as np

from jevbias.battery.axis_scores import AxisScores
from jevbias.battery.scores import Scores
from jevbias.report.battery import LengthConfound
from jevbias.stats.arrays import FloatArray
from jevbias.stats.effect_size import FEWEST_FAMILIES_FOR_D, FEWEST_FAMILIES_FOR_MEAN, FEWEST_MOVING

SMALL = 10
"""Families below which an axis is called small."""
REDUNDANT = 1 / 3
"""Effective n per pair below which an axis is called redundant."""
INFLUENCE = 0.25
"""How far d may move, in itself and in parts of itself, when one family is left out, before that is said."""


def set_notes(
    scores: Scores, found: AxisScores, families: list[str], kish: float, kish_merged: float
) -> list[str]:
    """What is lost, small, redundant or repeated; `kish_merged` counts near-duplicates once."""
    notes = []
    if not found.pairs:
        notes.append("no pair has a score on both sides: nothing can be estimated")
    elif found.lost:
        every = {pair.family for pair in scores.pairs.by_axis[found.axis]}
        gone = sorted(every - {pair.family for pair in found.pairs})
        whole = f", {_counted(len(gone), 'whole family', 'whole families')} with them" if gone else ""
        notes.append(f"{_counted(found.lost, 'pair')} left out for want of a score on a side{whole}")
    declared = len({pair.family for pair in found.pairs})
    if declared > len(families):
        notes.append(
            f"{declared} families are named and {declared - len(families)} of them repeat another word for "
            "word: they count with it"
        )
    if found.pairs and len(families) < SMALL:
        notes.append(
            f"small: {_counted(len(families), 'family', 'families')}; other prompts may say otherwise"
        )
    if found.pairs and kish < REDUNDANT * len(found.pairs):
        notes.append(f"redundant: {len(found.pairs)} pairs are worth {kish:.3g} independent ones")
    if kish_merged < kish - 1e-9:
        notes.append(
            f"families that say nearly the same inflate n: counted once they leave {kish_merged:.3g} of "
            f"{kish:.3g}"
        )
    return notes


def estimate_notes(
    found: AxisScores, families: int, sd: float | None, *, varies: bool, still: bool, has_interval: bool
) -> list[str]:
    """Why something could not be estimated, and how many pairs do not move. `still`: most families do not."""
    notes = []
    if families == 1:
        notes.append(
            "one family is one piece of evidence: there is no spread between families, so no d, no interval "
            "and no p"
        )
    elif not varies and sd is not None:
        same = float(found.differences[0])
        which = "no pair's score moves" if same == 0 else f"every pair moves by the same {same:.6g}"
        notes.append(f"{which}: without a spread there is no effect in standard deviations and no interval")
    elif families < FEWEST_FAMILIES_FOR_MEAN:
        notes.append(f"no interval from {families} families: the mean's takes {FEWEST_FAMILIES_FOR_MEAN}")
    if varies and families > 1 and not has_interval:
        if families < FEWEST_FAMILIES_FOR_D:
            notes.append(f"no interval of d below {FEWEST_FAMILIES_FOR_D} families")
        elif still:
            notes.append(
                f"no interval of d: most families do not move and fewer than {FEWEST_MOVING} do, too few to "
                "say how far d reaches"
            )
        else:
            notes.append(
                "no interval of d: one family alone differs, and without it there is no spread to hold the "
                "mean against"
            )
    ties = int((found.differences == 0).sum())
    if varies and ties * 2 >= len(found.pairs):
        notes.append(f"{ties} of {len(found.pairs)} pairs do not move at all")
    return notes


def influence_notes(families: list[str], d: float, without: FloatArray) -> list[str]:
    """Said where one family carries much of the effect or hides it: the interval is wide because of it."""
    farthest = int(np.abs(without - d).argmax())
    if abs(float(without[farthest]) - d) <= max(INFLUENCE, INFLUENCE * abs(d)):
        return []
    return [f"family {families[farthest]} alone decides much: without it d is {without[farthest]:+.2f}"]


def length_notes(length: LengthConfound | None, d: float | None) -> list[str]:
    """What the effect at no change in length rests on."""
    if length is None:
        return []
    if not length.changes:
        return ["the sides are equally long in every pair: length explains nothing here"]
    notes = []
    if length.d is None and d is not None:
        notes.append("no d at no change in length: too few families, or the change is always the same")
    if length.extrapolated and length.d is not None:
        notes.append(
            "no pair is near no change in words and in characters at once, so the effect there is read off "
            "beyond the data"
        )
    return notes


def _counted(number: int, noun: str, plural: str | None = None) -> str:
    return f"1 {noun}" if number == 1 else f"{number} {plural or noun + 's'}"
