"""Whether a confirmatory run could confirm anything, before it is planned."""

from __future__ import annotations

from jevbias.errors import UsageError
from jevbias.stats.power import FEWEST_BASES
from jevbias.stats.sign_flips import MOST_EXACT_UNITS, RANDOM_PATTERNS


def check_bases(bases: int, hypotheses: int, alpha: float) -> None:
    """Raises UsageError where so many bases could confirm none of so many hypotheses, whatever they answer.

    Fewer than 3 have no interval over people. The smallest p that Holm's correction starts from is that of
    bases which all go in the frozen direction.
    """
    if bases >= FEWEST_BASES and hypotheses * _least_p(bases) < alpha:
        return
    enough = next(
        (n for n in range(FEWEST_BASES, MOST_EXACT_UNITS + 2) if hypotheses * _least_p(n) < alpha), None
    )
    tested = "1 hypothesis" if hypotheses == 1 else f"{hypotheses} hypotheses"
    few = "1 base" if bases == 1 else f"{bases} bases"
    can = f"{few} cannot confirm any of {tested} at the level {alpha:g}"
    if enough is None:
        raise UsageError(f"{can}, and no number can: name fewer with --comparison, or give a larger --alpha")
    raise UsageError(f"--bases: {can}; give {enough} or more")


def _least_p(bases: int) -> float:
    """The smallest one-sided p that `stats.sign_flips` gives for so many bases."""
    return 2.0**-bases if bases <= MOST_EXACT_UNITS else 1.0 / (1 + RANDOM_PATTERNS)
