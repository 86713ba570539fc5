import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import multinomial

from jevbias.stats.paired_difference import paired_difference


def test_the_interval_is_that_of_matched_proportions_with_half_a_pair_added_to_each_cell() -> None:
    # Counts of 10.5 and 3.5 among 59 pairs, four halves of a pair added.
    low, high = paired_difference(10, 3, 59 - 2)
    middle, error = -7 / 59, (14 - 49 / 59) ** 0.5 / 59
    assert (low, high) == pytest.approx((middle - 1.959964 * error, middle + 1.959964 * error), abs=1e-6)


@pytest.mark.parametrize(("first", "second"), [(0.2, 0.2), (0.05, 0.3), (0.0, 0.15), (0.4, 0.5)])
@pytest.mark.parametrize("pairs", [10, 30])
def test_the_interval_holds_the_true_difference_in_about_95_of_100_benches(
    first: float, second: float, pairs: int
) -> None:
    covered = 0.0
    for one in range(pairs + 1):
        for other in range(pairs + 1 - one):
            low, high = paired_difference(one, other, pairs)
            if low <= second - first <= high:
                table = [one, other, pairs - one - other]
                covered += float(multinomial.pmf(table, pairs, [first, second, 1 - first - second]))
    assert covered >= 0.93


@settings(max_examples=60)
@given(st.integers(0, 40), st.integers(0, 40), st.integers(1, 40))
def test_the_interval_lies_in_range_holds_the_estimate_and_turns_round_with_the_sides(
    first: int, second: int, others: int
) -> None:
    pairs = first + second + others
    low, high = paired_difference(first, second, pairs)
    assert -1 <= low <= (second - first) / pairs <= high <= 1
    assert paired_difference(second, first, pairs) == pytest.approx((-high, -low))


def test_without_pairs_there_is_none() -> None:
    with pytest.raises(ValueError, match="no pairs"):
        paired_difference(0, 0, 0)
