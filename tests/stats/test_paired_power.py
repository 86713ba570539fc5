import numpy as np
import pytest
from scipy.stats import binom, multinomial
from statsmodels.stats.contingency_tables import mcnemar

from jevbias.stats.paired_power import (
    FEWEST_DISCORDANT,
    discordant_needed,
    least_p,
    mcnemar_power,
    pairs_needed,
    rejection_limits,
)


def test_the_power_is_the_sum_over_every_table_that_statsmodels_rejects() -> None:
    pairs, first, second = 22, 0.45, 0.1
    total = 0.0
    for one in range(pairs + 1):
        for other in range(pairs + 1 - one):
            p = mcnemar([[0, one], [other, 0]], exact=True).pvalue if one + other else 1.0
            if p < 0.05 and one + other >= FEWEST_DISCORDANT:
                chance = multinomial.pmf([one, other, pairs - one - other], pairs, [first, second, 0.45])
                total += float(chance)
    assert mcnemar_power(pairs, first, second) == pytest.approx(total, rel=1e-9)


def test_numbers_so_far_out_that_they_never_come_are_left_out_without_a_trace() -> None:
    pairs, first, second = 3_000, 0.02, 0.04
    limits = rejection_limits(pairs, 0.05)
    total = 0.0
    for differ in range(pairs + 1):
        rejected = limits[differ]
        if rejected >= 0:
            split = binom.cdf(rejected, differ, 1 / 3) + binom.cdf(rejected, differ, 2 / 3)
            total += float(binom.pmf(differ, pairs, first + second) * split)
    assert mcnemar_power(pairs, first, second) == pytest.approx(total, rel=1e-9)


def test_a_limit_is_the_last_split_that_is_rejected() -> None:
    limits = rejection_limits(300, 0.05)
    for number in (6, 7, 23, 100, 299):
        last, next_one = (2 * binom.cdf(limits[number] + more, number, 0.5) for more in (0, 1))
        assert last < 0.05 <= next_one


def test_five_discordant_pairs_cannot_reach_one_in_twenty() -> None:
    assert least_p(5) == 0.0625
    assert discordant_needed(0.05) == 6
    assert discordant_needed(0.05 / 3) == 7
    assert mcnemar_power(5, 1.0, 0.0) == 0.0
    assert mcnemar_power(6, 1.0, 0.0) == 1.0


def test_however_lenient_the_level_fewer_than_five_reject_nothing() -> None:
    assert discordant_needed(0.5) == FEWEST_DISCORDANT
    assert rejection_limits(4, 0.9).tolist() == [-1] * 5


def test_without_a_difference_the_test_keeps_its_level() -> None:
    for share in np.linspace(0.05, 0.5, 10):
        assert mcnemar_power(60, float(share), float(share)) <= 0.05


@pytest.mark.parametrize(("first", "second"), [(0.3, 0.1), (0.05, 0.25), (0.5, 0.5 - 0.12), (0.2, 0.0)])
def test_as_many_pairs_as_are_needed_have_the_power_one_fewer_has_not(first: float, second: float) -> None:
    needed = pairs_needed(first, second, power=0.8)
    assert needed is not None
    assert mcnemar_power(needed, first, second) >= 0.8
    before = [mcnemar_power(number, first, second) for number in range(needed - 5, needed)]
    assert before[-1] < 0.8
    assert min(mcnemar_power(number, first, second) for number in range(needed, needed + 40)) >= 0.8


def test_no_number_of_pairs_shows_a_difference_that_is_not_there() -> None:
    assert pairs_needed(0.2, 0.2) is None
    assert pairs_needed(0.2, 0.2001, most=500) is None


def test_probabilities_that_are_none_are_refused() -> None:
    with pytest.raises(ValueError, match="add up to 1"):
        mcnemar_power(10, 0.7, 0.6)
