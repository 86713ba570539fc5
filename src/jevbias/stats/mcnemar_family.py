"""Two sides of matched pairs on several levels: the exact test of each, corrected over them, never pooled."""

from __future__ import annotations

from dataclasses import dataclass

from jevbias.stats.arrays import BoolArray, FloatArray, IntArray
from jevbias.stats.multiplicity import holm
from jevbias.stats.paired_binary import mcnemar_exact
from jevbias.stats.paired_power import FEWEST_DISCORDANT


@dataclass(frozen=True, eq=False)
class McNemarFamily:
    """Columns over levels: p, p after Holm, and whether the level is significant."""

    p: FloatArray
    adjusted: FloatArray
    significant: BoolArray


def mcnemar_family(only_first: IntArray, only_second: IntArray, alpha: float = 0.05) -> McNemarFamily:
    """Test every level, corrected over all of them; the arguments count each level's discordant pairs.

    Significant is an adjusted p below alpha on at least FEWEST_DISCORDANT discordant pairs, so the chance of
    any false one in the family is at most alpha. Levels without discordant pairs have p = 1 and count as
    tested.
    """
    p = mcnemar_exact(only_first, only_second)
    adjusted = holm(p)
    enough = only_first + only_second >= FEWEST_DISCORDANT
    return McNemarFamily(p, adjusted, (adjusted < alpha) & enough)
