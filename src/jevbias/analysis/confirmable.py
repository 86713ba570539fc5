"""Whether a confirmatory run could confirm anything, before it is planned."""

from __future__ import annotations

from jevbias.errors import UsageError
from jevbias.stats.power import FEWEST_BASES
from jevbias.stats.sign_flips import MOST_EXACT_UNITS, smallest_one_sided_p


def check_bases(bases: int, hypotheses: int, alpha: float) -> None:
    """Raises UsageError where so many bases could confirm none of so many hypotheses, whatever they answer.

    Fewer than 3 have no interval over people. The smallest p that Holm's correction starts from is that of
    bases which all go in the frozen direction.
    """
    if bases >= FEWEST_BASES and hypotheses * smallest_one_sided_p(bases) < alpha:
        return
    numbers = range(FEWEST_BASES, MOST_EXACT_UNITS + 2)
    enough = next((n for n in numbers if hypotheses * smallest_one_sided_p(n) < alpha), None)
    tested = "1 hypothesis" if hypotheses == 1 else f"{hypotheses} hypotheses"
    few = "1 base" if bases == 1 else f"{bases} bases"
    can = f"{few} cannot confirm any of {tested} at the level {alpha:g}"
    if enough is None:
        raise UsageError(f"{can}, and no number can: name fewer with --comparison, or give a larger --alpha")
    raise UsageError(f"--bases: {can}; give {enough} or more")
