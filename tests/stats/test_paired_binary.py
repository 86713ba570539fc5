import numpy as np
import pytest
from statsmodels.stats.contingency_tables import mcnemar

from jevbias.stats.paired_binary import mcnemar_exact


def test_mcnemar_is_that_of_statsmodels() -> None:
    first, second = (grid.ravel() for grid in np.meshgrid(np.arange(0, 60, 3), np.arange(0, 500, 17)))
    expected = [mcnemar([[5, a], [b, 7]], exact=True).pvalue for a, b in zip(first, second, strict=True)]
    assert mcnemar_exact(first, second) == pytest.approx(expected, rel=1e-12, abs=1e-300)


def test_pairs_that_agree_say_nothing() -> None:
    assert mcnemar_exact(np.array([0, 3]), np.array([0, 3])).tolist() == [1.0, 1.0]


def test_which_side_is_called_first_does_not_matter() -> None:
    first, second = np.array([0, 1, 9]), np.array([6, 8, 2])
    assert mcnemar_exact(first, second).tolist() == mcnemar_exact(second, first).tolist()
    assert mcnemar_exact(first, second)[0] == pytest.approx(2 / 2**6, rel=1e-12)
