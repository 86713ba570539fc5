"""What one comparison among many is worth: the two families, pooled and per question, each corrected whole.

Placebos belong to neither. Claim (a) is corrected over all conditions, controls and withheld rows included;
claims (b) and (c) over the visible rows. A row without a p leaves its family.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from jevbias.analysis.noise_claim import NoiseClaim
from jevbias.analysis.people_claim import PeopleClaim
from jevbias.stats.arrays import BoolArray, FloatArray
from jevbias.stats.multiplicity import benjamini_hochberg
from jevbias.stats.power import smallest_noise_effect, smallest_people_effect
from jevbias.stats.two_way import TwoWayLayout


@dataclass(frozen=True)
class FamilySize:
    """How many rows of a family were tested for each claim."""

    noise: int
    people: int


@dataclass(frozen=True, eq=False)
class Corrected:
    """Columns over the comparisons of one block: q and the smallest effects, NaN where there are none.

    `q_general` is None on a question, which does not make claim (c).
    """

    q: FloatArray
    q_people: FloatArray
    q_general: FloatArray | None
    mde_noise: FloatArray
    mde_noise_adjusted: FloatArray
    mde_people: FloatArray
    mde_people_adjusted: FloatArray
    family: FamilySize


def correct_family(
    noise: Sequence[NoiseClaim],
    people: Sequence[PeopleClaim],
    general: Sequence[TwoWayLayout] | None = None,
    *,
    counted: BoolArray,
    visible: BoolArray,
    alpha: float,
) -> list[Corrected]:
    """Correct the blocks of one family; `general` where it makes claim (c). `counted` (comparisons,) leaves
    placebos out, `visible` controls.
    """
    if not noise:
        return []
    q = _corrected([claim.p for claim in noise], counted)
    q_people = _corrected([claim.p for claim in people], counted & visible)
    q_general = _corrected([layout.p_zero for layout in general], counted & visible) if general else None
    size = FamilySize(*(sum(int((~np.isnan(block)).sum()) for block in blocks) for blocks in (q, q_people)))
    return [
        Corrected(
            q[place],
            q_people[place],
            q_general[place] if q_general else None,
            smallest_noise_effect(claim.standard_error, claim.degrees_of_freedom, alpha),
            smallest_noise_effect(claim.standard_error, claim.degrees_of_freedom, alpha / max(size.noise, 1)),
            smallest_people_effect(people[place].sd, people[place].bases, alpha),
            smallest_people_effect(people[place].sd, people[place].bases, alpha / max(size.people, 1)),
            size,
        )
        for place, claim in enumerate(noise)
    ]


def _corrected(p: Sequence[FloatArray], members: BoolArray) -> list[FloatArray]:
    stacked = np.concatenate([np.where(members, block, np.nan) for block in p])
    return np.split(benjamini_hochberg(stacked), len(p))
