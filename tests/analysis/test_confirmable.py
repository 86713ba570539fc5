"""A confirmatory run that could confirm nothing is refused before it is planned."""

import numpy as np
import pytest

from jevbias.analysis.confirmable import check_bases
from jevbias.analysis.people_claim import base_patterns
from jevbias.errors import UsageError
from jevbias.stats.sign_flips import one_sided_p


@pytest.mark.parametrize(
    ("bases", "hypotheses", "alpha", "enough"),
    [
        (2, 1, 0.9, 3),
        (4, 1, 0.05, 5),
        (5, 2, 0.0625, 6),  # Exactly alpha is not below it.
        (16, 4_000, 0.05, 17),
        (300, 6_000, 0.05, None),
    ],
)
def test_bases_that_could_confirm_nothing_are_refused_with_how_many_suffice(
    bases: int, hypotheses: int, alpha: float, enough: int | None
) -> None:
    said = "no number can" if enough is None else f"give {enough} or more"
    with pytest.raises(UsageError, match=said):
        check_bases(bases, hypotheses, alpha)
    if enough is not None:
        check_bases(enough, hypotheses, alpha)


@pytest.mark.parametrize("bases", [3, 9, 16, 17, 40])
def test_the_smallest_p_is_the_one_that_the_test_gives(bases: int) -> None:
    """Contributions that all go one way; a level just above their p suffices, and no lower one."""
    p = float(one_sided_p(np.full((1, bases), 0.01), base_patterns(bases, 1))[0])
    check_bases(bases, 1, p * 1.001)
    with pytest.raises(UsageError):
        check_bases(bases, 1, p)
