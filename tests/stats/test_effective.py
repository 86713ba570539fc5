import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jevbias.stats.effective import effective_n


@pytest.mark.parametrize(
    ("rows", "expected"), [([30], 1.0), ([8] * 6, 6.0), ([1, 1, 2], 16 / 6), ([0, 0, 5], 1.0), ([0, 0], 0.0)]
)
def test_effective_n_counts_lineages_not_rows(rows: list[int], expected: float) -> None:
    assert effective_n(np.array(rows, dtype=float)) == pytest.approx(expected, abs=1e-12)


@settings(derandomize=True, deadline=None, max_examples=60)
@given(st.lists(st.integers(1, 50), min_size=1, max_size=20), st.integers(1, 30))
def test_clones_add_nothing(rows: list[int], clones: int) -> None:
    once = effective_n(np.array(rows, dtype=float))
    assert effective_n(np.array(rows, dtype=float) * clones) == pytest.approx(once, rel=1e-12)
    assert 1 <= once <= len(rows) + 1e-9
