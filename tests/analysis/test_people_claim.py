"""Claim (b): contributions of bases, their sign flips and the interval of delta."""

import numpy as np
import pytest
from scipy.stats import permutation_test, ttest_1samp

from jevbias.analysis.paired import estimate
from jevbias.analysis.people_claim import PeopleClaim, base_patterns, claim_people
from jevbias.stats.sign_flips import smallest_p

FloatArray = np.typing.NDArray[np.float64]


def claimed(difference: FloatArray) -> PeopleClaim:
    """The claim of rows (comparisons, bases, scenarios)."""
    patterns = base_patterns(difference.shape[1], 1)
    return claim_people([estimate(difference)], patterns, np.ones(len(difference), dtype=bool))[0]


@pytest.mark.parametrize("bases", [3, 6, 11])
def test_of_complete_bases_interval_and_p_are_those_of_scipy(bases: int) -> None:
    rows = np.random.default_rng(bases).normal(0.01, 0.02, size=(8, bases, 5))
    claim = claimed(rows)
    for number, by_base in enumerate(rows.mean(axis=2)):
        test = ttest_1samp(by_base, 0.0)
        for half, confidence in ((claim.half_width, 0.95), (claim.half_width_90, 0.90)):
            low, high = test.confidence_interval(confidence)
            assert half[number] == pytest.approx((high - low) / 2, rel=1e-9)
        flips = permutation_test((by_base,), np.sum, permutation_type="samples", n_resamples=10**9)
        assert claim.p[number] == pytest.approx(flips.pvalue, abs=1e-9)
        assert claim.sd[number] == pytest.approx(np.std(by_base, ddof=1), rel=1e-9)


def test_contributions_add_up_to_delta_whatever_is_missing() -> None:
    stream = np.random.default_rng(2)
    rows = stream.normal(size=(30, 5, 6))
    rows[stream.random(rows.shape) < 0.3] = np.nan
    claim = claimed(rows)
    assert claim.contributions.sum(axis=1) == pytest.approx(estimate(rows).delta, abs=1e-12)
    assert (claim.bases == (~np.isnan(rows)).any(axis=2).sum(axis=1)).all()


def test_no_p_is_below_the_floor_that_is_printed_beside_it() -> None:
    """Seventeen bases planned, seven with pairs in this row: random patterns only estimate its p."""
    rows = np.full((20, 17, 1), np.nan)
    rows[:, :7, 0] = np.abs(np.random.default_rng(3).normal(1.0, 0.1, size=(20, 7)))
    claim = claimed(rows)
    assert (claim.p_floor == smallest_p(7)).all()
    assert (claim.p >= claim.p_floor).all()


@pytest.mark.parametrize("answered", [[8, 8, 4, 4, 2, 2], [8, 8, 8, 8, 1, 1], [8, 8, 8, 1, 1, 1]])
def test_equivalence_at_the_margin_is_not_claimed_more_often_than_said(answered: list[int]) -> None:
    """Bases of unequal weight whose mean effect is the margin itself; SD over bases 0.02, two one-sided tests
    at 5%.
    """
    margin, runs = 0.02, 4_000
    stream = np.random.default_rng(4)
    rows = margin + 0.02 * stream.normal(size=(runs, 6, 1)) + 0.004 * stream.normal(size=(runs, 6, 8))
    for base, scenarios in enumerate(answered):
        rows[:, base, scenarios:] = np.nan
    claim = claimed(rows)
    assert not np.isnan(claim.half_width_90).any()
    inside = np.abs(estimate(rows).delta) + claim.half_width_90 < margin
    assert 0.02 <= inside.mean() <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / runs)


def test_bases_worth_fewer_than_three_have_no_interval() -> None:
    rows = np.random.default_rng(5).normal(size=(10, 6, 8))
    rows[:, 1:, 1:] = np.nan
    claim = claimed(rows)
    assert (claim.bases == 6).all()
    assert np.isnan(claim.half_width).all()
    assert not np.isnan(claim.p).any()
