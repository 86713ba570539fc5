import numpy as np
import pytest
from scipy import stats

from jevbias.stats.student import t_quantile, two_sided_p


@pytest.mark.parametrize("degrees", [8, 11, 58, 1344])
def test_two_sided_p_agrees_with_scipy(degrees: float) -> None:
    t = np.array([0.0, 0.3, -2.0, 4.5, -9.0, 30.0])
    assert two_sided_p(t, degrees) == pytest.approx(2 * stats.t.sf(np.abs(t), degrees), rel=1e-9)


@pytest.mark.parametrize("degrees", [2, 8, 58, 1344])
@pytest.mark.parametrize("probability", [0.8, 0.95, 0.975, 0.995])
def test_quantiles_agree_with_scipy(degrees: float, probability: float) -> None:
    assert t_quantile(probability, degrees) == pytest.approx(stats.t.ppf(probability, degrees), rel=1e-9)
