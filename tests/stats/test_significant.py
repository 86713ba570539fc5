"""Six significant digits, the same whether one number or a column is rounded."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from jevbias.report.rounding import round_figure
from jevbias.stats.significant import round_to_digits


@settings(derandomize=True, deadline=None, max_examples=150)
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=30))
def test_a_column_is_rounded_as_its_figures_are(values: list[float]) -> None:
    rounded = round_to_digits(np.array(values)).tolist()
    for value, own in zip(values, rounded, strict=True):
        single = round_figure(value)
        # Where binary and decimal disagree on which side of a tie a value lies, either neighbour is right.
        assert own == single or abs(own - value) <= abs(single - value) * (1 + 1e-9)
        assert round_figure(own) == own


def test_what_figures_look_like_comes_out_the_same() -> None:
    stream = np.random.default_rng(1)
    values = stream.normal(size=20_000) * 10.0 ** stream.uniform(-13, 3, size=20_000)
    assert round_to_digits(values).tolist() == [round_figure(value) for value in values.tolist()]


def test_nan_zero_and_powers_of_ten_keep_what_they_are() -> None:
    rounded = round_to_digits(np.array([np.nan, 0.0, -0.0, 1.0, 0.1, 1e-13, 1000.0, 999999.5]))
    assert np.isnan(rounded[0])
    assert rounded[1:].tolist() == [0.0, 0.0, 1.0, 0.1, 1e-13, 1000.0, 1000000.0]
    assert not np.signbit(rounded[2])
