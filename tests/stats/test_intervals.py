import pytest
from scipy.stats import binomtest
from statsmodels.stats.proportion import proportion_confint

from jevbias.stats.intervals import clopper_pearson, wilson


@pytest.mark.parametrize(("successes", "trials"), [(0, 23), (23, 23), (5, 100), (24, 3500), (1, 1), (0, 1)])
@pytest.mark.parametrize("confidence", [0.95, 0.99])
def test_clopper_pearson_agrees_with_scipy_and_statsmodels(
    successes: int, trials: int, confidence: float
) -> None:
    found = clopper_pearson(successes, trials, confidence)
    exact = binomtest(successes, trials).proportion_ci(confidence, method="exact")
    assert found == pytest.approx((exact.low, exact.high), abs=1e-9)
    assert found == pytest.approx(proportion_confint(successes, trials, 1 - confidence, "beta"), abs=1e-9)


@pytest.mark.parametrize(("successes", "trials"), [(0, 23), (23, 23), (5, 100), (24, 3500), (1, 1), (0, 1)])
@pytest.mark.parametrize("confidence", [0.95, 0.99])
def test_wilson_agrees_with_scipy_and_statsmodels(successes: int, trials: int, confidence: float) -> None:
    found = wilson(successes, trials, confidence)
    score = binomtest(successes, trials).proportion_ci(confidence, method="wilson")
    assert found == pytest.approx((score.low, score.high), abs=1e-12)
    assert found == pytest.approx(proportion_confint(successes, trials, 1 - confidence, "wilson"), abs=1e-12)


def test_no_trials_no_interval() -> None:
    assert clopper_pearson(0, 0) is None
    assert wilson(0, 0) is None
